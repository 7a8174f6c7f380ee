{{ config(materialized = 'ephemeral') }}
-- One row per result and basis of its power: measured where it was measured, modelled for tokens on plain systems
-- (a model knows nothing of power caps or shared accelerators). Energy of a token before PUE and with that of the site.
with

results as (select * from {{ ref('int_energy__results') }}),

watts as (
    select * from {{ ref('int_energy__modelled_watts') }} where is_preferred and without_system_id is null
),

measured as (
    select
        results.* exclude (
            measured_watts_per_accelerator, measured_system_w, measured_power_scope, measured_j_per_trained_token
        ),
        'measured' as power_basis,
        results.measured_power_scope as power_scope,
        results.measured_watts_per_accelerator as watts_per_accelerator,
        {{ j_per_unit('results.measured_watts_per_accelerator', 'results.throughput_per_accelerator') }}
            as j_per_unit_before_pue,
        {{ j_per_unit('results.measured_watts_per_accelerator', 'results.output_tokens_per_s_per_accelerator') }}
            as j_per_output_token_before_pue,
        results.measured_j_per_trained_token as j_per_trained_token_before_pue
    from results
    where results.measured_watts_per_accelerator is not null
),

modelled as (
    select
        results.* exclude (
            results.measured_watts_per_accelerator, results.measured_system_w, results.measured_power_scope,
            results.measured_j_per_trained_token
        ),
        'modelled' as power_basis,
        watts.power_model,
        case when watts.n_model_systems > 0
            then 'all-in rating with network, divided by its median error against servers metered at the wall'
            else 'all-in rating: accelerator with its share of host and network'
        end as power_scope,
        watts.all_in_watts_per_accelerator,
        watts.watts_per_accelerator,
        watts.watts_per_accelerator_low / watts.watts_per_accelerator as low_ratio,
        watts.watts_per_accelerator_high / watts.watts_per_accelerator as high_ratio,
        watts.n_model_systems,
        watts.model_error_pct_low,
        watts.model_error_pct_median,
        watts.model_error_pct_high,
        watts.uncertainty_basis,
        {{ j_per_unit('watts.watts_per_accelerator', 'results.throughput_per_accelerator') }} as j_per_unit_before_pue,
        {{ j_per_unit('watts.watts_per_accelerator', 'results.output_tokens_per_s_per_accelerator') }}
            as j_per_output_token_before_pue,
        {{ j_per_unit('watts.watts_per_accelerator', 'results.trained_tokens_per_s_per_accelerator') }}
            as j_per_trained_token_before_pue
    from results
    inner join watts using (accelerator_id)
    where results.division = 'closed'
        and coalesce(results.suite, 'datacenter') = 'datacenter'
        and results.variant = 'standard'
        and results.is_derived is not true
        and coalesce(results.output_tokens_per_s_per_accelerator, results.trained_tokens_per_s_per_accelerator) > 0
),

-- where a system stands is not published: one PUE and one grid for all, named in each row
site as (
    select
        {{ latest_constant(ref('energy_constants'), var('energy_pue_constant')) }} as pue,
        {{ latest_constant(ref('energy_constants'), 'us_household_kwh') }} as household_kwh,
        '{{ var("energy_grid") }}' as grid_id,
        (select kg_co2e_per_kwh from {{ ref('grid_intensity') }} where grid_id = '{{ var("energy_grid") }}')
            as kg_co2e_per_kwh
),

both_bases as (
    select * from measured
    union all by name
    select * from modelled
)

select
    both_bases.*,
    site.*,
    {{ with_pue('both_bases.j_per_output_token_before_pue', 'site.pue') }} as j_per_output_token,
    {{ with_pue('both_bases.j_per_trained_token_before_pue', 'site.pue') }} as j_per_trained_token
from both_bases
cross join site
