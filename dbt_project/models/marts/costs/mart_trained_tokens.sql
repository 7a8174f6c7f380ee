-- What a published training-cost analysis tabulates, for every closed result of a benchmark with a fixed sequence
-- length: tokens per second of one accelerator, MFU with its number format, dollars per million trained tokens and
-- joules per trained token, by scale and by date of the round.
with

results as (
    select results.*, releases.published_on
    from {{ ref('fct_training_result') }} as results
    left join {{ ref('dim_release') }} as releases
        on results.release = releases.release and releases.suite_kind = 'training'
    where results.division = 'closed' and results.trained_tokens_per_s_per_accelerator is not null
        and {{ is_mapped('results.accelerator_id') }} and results.accelerator_count > 0
        and results.is_peer_outlier is not true
    -- results of one run count once
    qualify row_number() over (
        partition by results.run_group_id, results.benchmark_id order by results.energy_j is null, results.result_id
    ) = 1
),

prices as (select * from {{ ref('mart_accelerator_hour') }}),

modelled as (
    select result_id, j_per_trained_token, pue from {{ ref('mart_energy') }}
    where suite_kind = 'training' and power_basis = 'modelled'
)

select
    results.result_id,
    results.release,
    results.published_on,
    results.benchmark_id,
    results.benchmark_version,
    results.accelerator_id,
    results.availability,
    results.accelerator_count,
    results.is_round_incomplete,
    results.submitter,
    results.system_name,
    results.number_format,
    results.number_format_basis,
    results.trained_tokens_per_s_per_accelerator,
    results.mfu_pct,
    results.mfu_reason,
    results.bf16_equivalent_pct,
    {% for way in ['owned', 'rented'] -%}
    {{ way }}.usd_per_accelerator_hour as {{ way }}_usd_per_accelerator_hour,
    {% for end in ['', '_low', '_high'] -%}
    {{ usd_per_trained_mtok(way ~ '.usd_per_accelerator_hour' ~ end, 'results.trained_tokens_per_s_per_accelerator') }}
        as {{ way }}_usd_per_trained_mtok{{ end }},
    {% endfor -%}
    {% endfor -%}
    'ranges of inputs where owned, range of the price level where rented' as uncertainty_basis,
    rented.rent_basis,
    modelled.j_per_trained_token as j_per_trained_token_modelled,
    modelled.pue,
    results.j_per_trained_token as j_per_trained_token_measured_before_pue,
    results.source_url
from results
left join prices as owned
    on results.accelerator_id = owned.accelerator_id and {{ is_owned('owned') }}
left join prices as rented
    on results.accelerator_id = rented.accelerator_id and {{ is_rented('rented') }}
left join modelled on results.result_id = modelled.result_id
