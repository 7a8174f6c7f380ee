{{ config(materialized = 'ephemeral') }}
-- The results in use of all forms of a training round. Where MLCommons published a score, it stands: that of the logs beside it may lack
-- runs.
select
    results.* replace (
        forms.result_id as result_id,
        coalesce(forms.published_minutes, results.score_minutes) as score_minutes,
        case when forms.published_minutes is null then results.no_score_reason end as no_score_reason,
        case
            when forms.published_minutes is null then results.accelerator_hours
            else results.accelerator_count * forms.published_minutes / 60
        end as accelerator_hours
    ),
    results.result_id as staged_id,
    forms.publication_basis
from {{ ref('stg_mlperf_training__results') }} as results
inner join {{ ref('int_mlperf__forms') }} as forms
    on forms.suite_kind = 'training' and forms.exclusion_reason is null
    and results.dialect = forms.dialect and results.result_id = forms.staged_id
