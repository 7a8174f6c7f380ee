{{ config(meta = {'dagster': {'ref': {'name': 'mart_energy_model_check'}}}) }}
select result_id
from {{ ref('int_energy__results') }}
where measured_watts_per_accelerator is not null
    and result_id not in (
        select energy_model_check.result_id from {{ ref('mart_energy_model_check') }} as energy_model_check
        where energy_model_check.error_pct is not null or energy_model_check.caveat is not null
    )
