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
    results.submitter,
    results.system_name,
    results.number_format,
    results.number_format_basis,
    results.trained_tokens_per_s_per_accelerator,
    results.mfu_pct,
    results.mfu_reason,
    results.bf16_equivalent_pct,
    of_owner.usd_per_accelerator_hour as owned_usd_per_accelerator_hour,
    {{ usd_per_trained_mtok('of_owner.usd_per_accelerator_hour', 'results.trained_tokens_per_s_per_accelerator') }}
        as owned_usd_per_trained_mtok,
    {{ usd_per_trained_mtok('of_owner.usd_per_accelerator_hour_low', 'results.trained_tokens_per_s_per_accelerator') }}
        as owned_usd_per_trained_mtok_low,
    {{ usd_per_trained_mtok('of_owner.usd_per_accelerator_hour_high', 'results.trained_tokens_per_s_per_accelerator') }}
        as owned_usd_per_trained_mtok_high,
    rented.usd_per_accelerator_hour as rented_usd_per_accelerator_hour,
    {{ usd_per_trained_mtok('rented.usd_per_accelerator_hour', 'results.trained_tokens_per_s_per_accelerator') }}
        as rented_usd_per_trained_mtok,
    {{ usd_per_trained_mtok('rented.usd_per_accelerator_hour_low', 'results.trained_tokens_per_s_per_accelerator') }}
        as rented_usd_per_trained_mtok_low,
    {{ usd_per_trained_mtok('rented.usd_per_accelerator_hour_high', 'results.trained_tokens_per_s_per_accelerator') }}
        as rented_usd_per_trained_mtok_high,
    'ranges of inputs where owned, range of the price level where rented' as uncertainty_basis,
    rented.rent_basis,
    modelled.j_per_trained_token as j_per_trained_token_modelled,
    modelled.pue,
    results.j_per_trained_token as j_per_trained_token_measured_before_pue,
    results.source_url
from results
left join prices as of_owner
    on results.accelerator_id = of_owner.accelerator_id and {{ is_owned('of_owner') }}
left join prices as rented
    on results.accelerator_id = rented.accelerator_id and {{ is_rented('rented') }}
left join modelled on results.result_id = modelled.result_id
