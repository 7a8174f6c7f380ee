{{ config(materialized = 'ephemeral') }}
-- One row per figure of a mart, and per source the rows of its payloads.
with

throughput as (
    select
        *,
        concat_ws(
            '/', suite, division, benchmark_id, scenario, accelerator_id, variant, nullif(availability, 'available'),
            'version ' || nullif(benchmark_version, 1)
        ) as cell
    from {{ ref('mart_inference_throughput') }}
),

costs as (
    select *
    from {{ ref('mart_cost_per_mtok') }}
    where is_representative
    qualify row_number() over (
        partition by benchmark_id, scenario, accelerator_id, pricing_model order by usd_per_output_mtok, provider, offer_id
    ) = 1
)

-- the best there ever was, whatever the round
select
    'best' as role, 'mart_inference_throughput' as relation, 'best_throughput_per_accelerator' as figure,
    cell || '/' || result_unit as subject, result_unit || ' per accelerator' as unit,
    suite, division, benchmark_id, scenario, accelerator_id, variant, release,
    best_submitter as submitter, best_submission_id as submission_id,
    throughput_per_accelerator_max as value, best_result_id as held_by
from throughput
qualify row_number() over (
    partition by cell, result_unit order by throughput_per_accelerator_max desc, best_result_id asc
) = 1

union all by name
select
    'figure' as role, 'mart_inference_throughput' as relation, figure,
    concat_ws('/', release, cell, result_unit) as subject, result_unit || ' per accelerator' as unit,
    release, suite, division, benchmark_id, scenario, accelerator_id, variant, value
from throughput
unpivot include nulls (value for figure in (throughput_per_accelerator_max, throughput_per_accelerator_median))

union all by name
select
    'best' as role, 'mart_price_current' as relation, figure,
    concat_ws('/', accelerator_id, provider, pricing_model) as subject, 'USD per accelerator-hour' as unit,
    accelerator_id, provider, pricing_model, source, value,
    case figure when 'usd_per_accelerator_hour_min' then best_offer_id end as held_by
from {{ ref('mart_price_current') }}
unpivot include nulls (value for figure in (usd_per_accelerator_hour_min, usd_per_accelerator_hour_median))

union all by name
select
    'best' as role, 'mart_cost_per_mtok' as relation, 'usd_per_output_mtok' as figure,
    concat_ws('/', benchmark_id, scenario, accelerator_id, pricing_model) as subject,
    'USD per million output tokens' as unit,
    benchmark_id, scenario, accelerator_id, pricing_model, provider, instance_type, region, release,
    usd_per_output_mtok as value, offer_id as held_by
from costs

union all by name
select
    'figure' as role, 'mart_training_efficiency' as relation, 'score_minutes_min' as figure,
    concat_ws('/', release, division, benchmark_id, accelerator_id, accelerator_count,
        coalesce(number_format, number_format_basis), nullif(availability, 'available')) as subject, 'min' as unit,
    release, division, benchmark_id, accelerator_id, score_minutes_min as value, best_result_id as held_by
from {{ ref('mart_training_efficiency') }}

union all by name
select
    'figure' as role, 'mart_energy' as relation, 'j_per_output_token_' || power_basis as figure, energy_id as subject, 'J/token' as unit,
    release, suite, division, submitter, submission_id, benchmark_id, scenario, accelerator_id, variant,
    coalesce(j_per_output_token_measured, j_per_output_token_modelled) as value
from {{ ref('mart_energy') }}
where coalesce(j_per_output_token_measured, j_per_output_token_modelled) is not null

union all by name
select
    'figure' as role, 'mart_tco' as relation, 'usd_per_accelerator_hour' as figure,
    concat_ws('/', scenario_id, accelerator_id, capex_basis, price_level) as subject, 'USD per accelerator-hour' as unit,
    accelerator_id, scenario_id as variant, usd_per_accelerator_hour as value, true as depends_on_assumptions
from {{ ref('mart_tco') }}

union all by name
select 'source' as role, 'mart_source_health' as relation, 'rows' as figure, source as subject, 'rows' as unit,
    true as is_primary, source, rows::double as value, source as input_scope
from {{ ref('mart_source_health') }}
