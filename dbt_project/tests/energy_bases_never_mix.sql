-- A row is measured or modelled, and its figures stand in the columns of its basis alone; PUE is never below 1.
select energy_id, power_basis, pue
from {{ ref('mart_energy') }}
where power_basis not in ('measured', 'modelled')
    or pue is null or pue < 1
    or watts_per_accelerator <= 0
    or (power_basis = 'measured') <> (power_model is null)
    or (power_basis = 'measured' and coalesce(j_per_output_token_modelled, j_per_trained_token_modelled, kg_co2e_per_output_mtok_modelled, kg_co2e_per_trained_mtok_modelled) is not null)
    or (power_basis = 'modelled' and coalesce(j_per_output_token_measured, j_per_trained_token_measured, kg_co2e_per_output_mtok_measured, kg_co2e_per_trained_mtok_measured) is not null)
    or not coalesce(j_per_output_token_measured between j_per_output_token_measured_low and j_per_output_token_measured_high, true)
    or not coalesce(j_per_output_token_modelled between j_per_output_token_modelled_low and j_per_output_token_modelled_high, true)
    or (reason is null) <> (coalesce(j_per_output_token_measured, j_per_output_token_modelled, j_per_trained_token) is not null)
