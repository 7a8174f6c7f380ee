-- Measured serving outside of MLPerf, one row a configuration and run. Throughput is per accelerator, of all that did
-- work: upstream's figure of disaggregated runs divides by the decode pool alone.
{% set configuration = [
    'source', 'model_published', 'accelerator_published', 'number_format_published', 'workload', 'framework', 'speculation',
    'is_disaggregated', 'parallelism', 'n_accelerators_all', 'concurrency',
] %}
with

known as (
    select
        *,
        {{ weight_format_families('number_format_published') }} as formats,
        try_cast(nullif(measured_on, '') as date) as measured_on_date
    from {{ ref('int_serving__points') }}
),

keyed as (
    select
        *,
        md5(concat_ws('|', {{ configuration | join(', ') }}, measured_on, source_url, payload_member, payload_record)) as point_id,
        case when len(formats) = 1 then formats[1] end as number_format,
        -- of equal days the run with the higher id: addresses of runs end in it
        dense_rank() over (
            partition by {{ configuration | join(', ') }} order by measured_on_date desc nulls last, source_url desc
        ) = 1 as is_newest_run
    from known
)

select
    * exclude (w_per_accelerator, j_per_output_token, formats, candidates, measured_on_date, payload_bytes)
        replace (measured_on_date as measured_on),
    w_per_accelerator as watts_per_accelerator_measured,
    j_per_output_token as j_per_output_token_measured,
    case when j_per_output_token is null then 'no power was measured' end as energy_reason,
    case
        when not {{ is_mapped('model_id') }} then 'the model is not mapped'
        when not {{ is_mapped('accelerator_id') }} then 'the accelerator is not mapped'
        when number_format is null then 'the number format is not known'
    end as exclusion_reason
from keyed
