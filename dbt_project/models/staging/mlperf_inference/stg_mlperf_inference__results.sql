-- Types unchanged; the only derived columns are keys.
select
    * exclude (
        member, record, host_processors_per_node, host_processor_core_count_published, compliance_published, has_power_published,
        payload_bytes, licence
    ) rename (submitter as submitter_published, result as result_value_published, power as power_published),
    {{ inference_result_id('submitter') }} as result_id,
    {{ release_number('release') }} as release_number,
    nullif(member, '') as payload_member,
    nullif(record, '') as payload_record
from {{ source('raw', 'mlperf_inference_results') }}
