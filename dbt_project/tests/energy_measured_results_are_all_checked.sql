{{ config(meta = {'dagster': {'ref': {'name': 'mart_energy_model_check'}}}) }}
-- Every measured MLPerf power result of a known accelerator is compared with a model, or has a caveat that gives the reason.
select result_id
from {{ ref('int_energy__results') }}
where measured_watts_per_accelerator is not null
    and result_id not in (
        select result_id from {{ ref('mart_energy_model_check') }} where error_pct is not null or caveat is not null
    )
