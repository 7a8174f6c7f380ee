-- Energy of a token, before and after PUE. Measured and modelled never share a row or a _measured/_modelled column.
with

powered as (select * from {{ ref('int_energy__powered') }}),

-- where a system stands is not published: one PUE and one grid for all, named in each row
site as (
    select
        {{ latest_constant(ref('energy_constants'), var('energy_pue_constant', 'pue_industry_average_uptime')) }} as pue,
        {{ latest_constant(ref('energy_constants'), 'us_household_kwh') }} as household_kwh,
        '{{ var("energy_grid", "world_2023") }}' as grid_id,
        (select kg_co2e_per_kwh from {{ ref('grid_intensity') }} where grid_id = '{{ var("energy_grid", "world_2023") }}')
            as kg_co2e_per_kwh
),

sited as (
    select
        powered.*,
        site.*,
        {{ with_pue('powered.j_per_output_token_before_pue', 'site.pue') }} as j_per_output_token,
        {{ with_pue('powered.j_per_trained_token_before_pue', 'site.pue') }} as j_per_trained_token
    from powered
    cross join site
)

select
    concat_ws('#', result_id, power_basis) as energy_id,
    suite_kind,
    result_id,
    release,
    division,
    suite,
    submission_id,
    submitter,
    system_name,
    benchmark_id,
    scenario,
    accelerator_id,
    accelerator_count,
    variant,
    is_derived,
    is_same_run_as_99_9,
    power_basis,
    power_model,
    power_scope,
    watts_per_accelerator,
    pue,
    {{ with_pue('watts_per_accelerator', 'pue') }} as watts_per_accelerator_with_pue,
    throughput_unit,
    throughput_per_accelerator,
    j_per_unit_before_pue,
    output_tokens_per_s_per_accelerator,
    j_per_output_token_before_pue,
    j_per_output_token,
    case when power_basis = 'measured' then j_per_output_token end as j_per_output_token_measured,
    case when power_basis = 'modelled' then j_per_output_token end as j_per_output_token_modelled,
    {{ tokens_per_kwh('j_per_output_token') }} as output_tokens_per_kwh,
    {{ tokens_per_household_year('j_per_output_token', 'household_kwh') }} as output_tokens_per_household_year,
    {{ kg_co2e_per_mtok('j_per_output_token', 'kg_co2e_per_kwh') }} as kg_co2e_per_output_mtok,
    trained_tokens_per_s_per_accelerator,
    j_per_trained_token_before_pue,
    j_per_trained_token,
    case when power_basis = 'measured' then j_per_trained_token end as j_per_trained_token_measured,
    case when power_basis = 'modelled' then j_per_trained_token end as j_per_trained_token_modelled,
    {{ tokens_per_kwh('j_per_trained_token') }} as trained_tokens_per_kwh,
    {{ tokens_per_household_year('j_per_trained_token', 'household_kwh') }} as trained_tokens_per_household_year,
    {{ kg_co2e_per_mtok('j_per_trained_token', 'kg_co2e_per_kwh') }} as kg_co2e_per_trained_mtok,
    grid_id,
    kg_co2e_per_kwh,
    source_url
from sited
