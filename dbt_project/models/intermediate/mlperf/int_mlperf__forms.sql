-- Which results of a round the facts use, of all forms that hold the round (MLCommons' summary or collection, the logs of its tree,
-- logs read singly). One rule for both suites:
-- 1. A result is taken from the best form that holds it (seed mlperf_forms). The same result is known by its names, or by its folder
--    (inference) or its score (training).
-- 2. The main form of a round is the best one that holds at least a share of what the largest holds: single logs of a round do not
--    stand for it. What the main form lacks is added and marked, unless that is a summary: the final list of MLCommons.
-- 3. What an earlier payload of a form held and its newest lacks is withdrawn: no other form brings it back.
-- Where the tree of a training round and MLCommons' collection hold a result, its id and score are those of the collection.
with

results as (
    select
        'inference' as suite_kind, release, dialect, result_id, division, submitter_published, platform, model_published, scenario, location,
        source, payload_key, payload_sha256, dialect = 'raw_tree' and coalesce(upper(log_validity), '') <> 'VALID' as is_invalid_log
    from {{ ref('stg_mlperf_inference__results') }}
    union all by name
    select
        'training' as suite_kind, release, dialect, result_id, submitter_published, submitter_described, platform,
        benchmark_published as model_published, score_minutes, source, payload_sha256, false as is_invalid_log
    from {{ ref('stg_mlperf_training__results') }}
),

earlier as (
    select earlier_results.*
    from {{ ref('stg_mlperf__earlier_results') }} as earlier_results
    inner join {{ ref('mlperf_forms') }} as forms using (suite_kind, dialect)
    anti join (
        select results.*, held_as.form from results inner join {{ ref('mlperf_forms') }} as held_as using (suite_kind, dialect)
    ) as newest
        on earlier_results.result_id = newest.result_id and forms.form = newest.form
),

named as (
    select
        r.*, forms.form, forms.form_rank,
        -- the collections name the submitter as the description does, and that may be another than the folder's
        lower(case
            when r.suite_kind = 'training' then concat_ws('/', coalesce(r.submitter_described, r.submitter_published), r.platform, r.model_published)
            else concat_ws('/',
                r.division, case when r.dialect = 'raw_tree' then split_part(r.location, '/', 2) else r.submitter_published end,
                r.platform, r.model_published, r.scenario)
        end) as full_name,
        case
            when r.suite_kind = 'training' then r.model_published || ' in ' || round(r.score_minutes, 5) || ' minutes'
            else lower(r.location)
        end as other_mark
    from (
        select *, false as is_withdrawn from results
        union all by name
        select *, true as is_withdrawn from earlier
    ) as r
    inner join {{ ref('mlperf_forms') }} as forms using (suite_kind, dialect)
),

sizes as (
    select suite_kind, release, form, form_rank, count(*) as n, max(n) over (partition by suite_kind, release) as n_of_largest
    from named
    where not is_withdrawn
    group by suite_kind, release, form, form_rank
),

main_forms as (
    select suite_kind, release, arg_min(form, form_rank) as main_form
    from sizes
    where n >= n_of_largest * {{ var('main_form_share') }}
    group by suite_kind, release
),

marks as (
    select
        named.*,
        main_forms.main_form,
        any_mark.mark,
        -- beside the main form only a valid log counts
        named.form = main_forms.main_form or not named.is_invalid_log as is_usable
    from named
    inner join main_forms using (suite_kind, release)
    cross join unnest([named.full_name, named.other_mark]) as any_mark (mark)
    where any_mark.mark is not null
),

known as (
    select
        suite_kind, release, mark,
        min(form_rank) filter (is_usable and not is_withdrawn) as best_rank,
        bool_or(form = main_form and not is_withdrawn) as is_in_main_form
    from marks
    group by suite_kind, release, mark
),

withdrawn as (select distinct suite_kind, release, mark, form from marks where is_withdrawn),

compared as (
    select
        marks.suite_kind, marks.release, marks.dialect, marks.result_id, marks.form, marks.form_rank, marks.main_form, marks.is_usable,
        marks.source, marks.payload_key, marks.payload_sha256, marks.full_name,
        min(known.best_rank) as best_rank,
        bool_or(known.is_in_main_form) as is_in_main_form,
        min(withdrawn.form) as withdrawn_from
    from marks
    inner join known using (suite_kind, release, mark)
    left join withdrawn
        on marks.suite_kind = withdrawn.suite_kind and marks.release = withdrawn.release and marks.mark = withdrawn.mark
        and marks.form <> withdrawn.form
    where not marks.is_withdrawn
    group by all
),

-- of training alone: in inference the published row is used itself. Two folders can describe one submitter: each result keeps its id
collected as (
    select
        suite_kind, release, full_name, 'tree' as form, any_value(result_id) filter (form = 'collection') as result_id,
        any_value(score_minutes) filter (form = 'collection') as score_minutes
    from named
    where suite_kind = 'training' and form in ('tree', 'collection') and not is_withdrawn
    group by suite_kind, release, full_name
    having count(*) = 2 and count(distinct form) = 2
)

select
    compared.suite_kind,
    compared.release,
    compared.dialect,
    compared.result_id as staged_id,
    coalesce(collected.result_id, compared.result_id) as result_id,
    collected.score_minutes as published_minutes,
    compared.source,
    compared.payload_key,
    compared.payload_sha256,
    case
        when compared.form = compared.main_form or compared.is_in_main_form then compared.form
        else compared.form || '_beside_' || compared.main_form
    end as publication_basis,
    case
        when compared.withdrawn_from is not null then 'withdrawn: a later payload of the ' || compared.withdrawn_from || ' lacks it'
        when not compared.is_usable then 'without a valid log'
        when compared.form_rank > compared.best_rank then 'held by a better form of the round'
        when compared.main_form = 'summary' and not compared.is_in_main_form then 'not in the summary of the round'
    end as exclusion_reason
from compared
left join collected using (suite_kind, release, full_name, form)
