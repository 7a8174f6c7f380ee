{{ config(materialized = 'ephemeral') }}
-- Results that earlier payloads of a round held, of both suites. A result that the newest payload of the same form lacks was withdrawn.
select
    'inference' as suite_kind, release, dialect,
    {{ inference_result_id('submitter') }} as result_id,
    division, submitter as submitter_published, platform, model_published, scenario, location
from {{ source('raw', 'mlperf_inference_results_earlier') }}
union by name
select
    'training' as suite_kind, release, {{ training_dialect() }} as dialect,
    {{ training_result_id() }} as result_id,
    submitter as submitter_published, submitter_published as submitter_described, system as platform, benchmark as model_published,
    minutes as score_minutes
from {{ source('raw', 'mlperf_training_results_earlier') }}
