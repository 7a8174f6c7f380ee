-- Energy of a token, before and after PUE, with low and high. Measured: the spread of the measured results of the same
-- accelerator, benchmark, scenario and round. Modelled: all-in power ÷ the median error of its model against metered systems,
-- from its highest to its lowest error. Measured and modelled never share a row.
with

-- one measured result has no spread
ranged as (
    select
        * exclude (low_ratio, high_ratio, uncertainty_basis),
        case when power_basis = 'measured' then count(distinct coalesce(run_group_id, result_id)) over same end as n_results,
        {{ end_of_range('j_per_output_token', 'low_ratio', 'min') }} as j_per_output_token_low,
        {{ end_of_range('j_per_output_token', 'high_ratio', 'max') }} as j_per_output_token_high,
        {{ end_of_range('j_per_trained_token', 'low_ratio', 'min') }} as j_per_trained_token_low,
        {{ end_of_range('j_per_trained_token', 'high_ratio', 'max') }} as j_per_trained_token_high,
        case
            when power_basis = 'modelled' then uncertainty_basis
            when n_results > 1 then 'spread of results'
            else 'one result'
        end as uncertainty_basis
    from {{ ref('int_energy__powered') }}
    window same as (
        partition by power_basis, suite_kind, release, division, suite, benchmark_id, scenario, accelerator_id, variant, is_derived
    )
),

-- measured and modelled figures in columns of their own
apart as (
    select
        *,
        case when power_basis = 'measured' then j_per_output_token end as j_per_output_token_measured,
        case when power_basis = 'measured' then j_per_output_token_low end as j_per_output_token_measured_low,
        case when power_basis = 'measured' then j_per_output_token_high end as j_per_output_token_measured_high,
        case when power_basis = 'modelled' then j_per_output_token end as j_per_output_token_modelled,
        case when power_basis = 'modelled' then j_per_output_token_low end as j_per_output_token_modelled_low,
        case when power_basis = 'modelled' then j_per_output_token_high end as j_per_output_token_modelled_high
    from ranged
)

select
    * exclude (
        run_group_id, platform, j_per_output_token, household_kwh, j_per_output_token_low, j_per_output_token_high
    ),
    concat_ws('#', result_id, power_basis) as energy_id,
    {{ tokens_per_household_year('j_per_output_token', 'household_kwh') }} as output_tokens_per_household_year,
    case
        when coalesce(j_per_output_token, j_per_trained_token) is null
            then 'no energy of a token: the result is not in tokens'
    end as reason
from apart
