-- A row is measured or modelled, and its figures stand in the columns of its basis alone; PUE is never below 1.
select energy_id, power_basis, pue
from {{ ref('mart_energy') }}
where power_basis not in ('measured', 'modelled')
    or pue is null or pue < 1
    or watts_per_accelerator <= 0
    or (power_basis = 'measured') <> (power_model is null)
    or (power_basis = 'measured' and coalesce(j_per_output_token_modelled, j_per_trained_token_modelled) is not null)
    or (power_basis = 'modelled' and coalesce(j_per_output_token_measured, j_per_trained_token_measured) is not null)
