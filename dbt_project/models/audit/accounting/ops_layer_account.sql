{#- Every step from the landed payload to the fact: what goes in, what comes out, what is left out on purpose, and by
    what reason. A step that loses a row names itself. -#}
with

accounts as (select * from {{ ref('ops_reconciliation') }}),

-- 1. payload → raw: what the parsers account for
parsed as (
    select
        1 as step, 'payload → raw' as layers, source, release, dialect, payload_key,
        records_in as rows_in,
        rows_out,
        duplicates + merged + rejects + left_out as rows_excluded,
        concat_ws(', ',
            case when duplicates > 0 then duplicates || ' duplicates' end,
            case when merged > 0 then merged || ' merged' end,
            case when rejects > 0 then rejects || ' rejected' end,
            case when left_out > 0 then left_out || ' left out' end
        ) as exclusion_reasons
    from accounts
),

-- 2. raw → staging
inference_rows as (
    select source, release, dialect, payload_key, payload_sha256, count(*) as n
    from {{ ref('stg_mlperf_inference__results') }}
    group by all
),

training_rows as (
    select source, release, payload_sha256, count(*) as n, 'training_runs' as dialect
    from {{ ref('stg_mlperf_training__runs') }}
    group by all
    union all by name
    select source, release, payload_sha256, count(*) as n, 'training_results' as dialect
    from {{ ref('stg_mlperf_training__results') }}
    group by all
    union all by name
    select source, release, payload_sha256, count(*) as n, 'training_formats' as dialect
    from {{ ref('stg_mlperf_training__configurations') }}
    group by all
),

list_rows as (
    select source, payload_key, payload_sha256, count(*) as n from {{ ref('stg_specs__values') }} group by all
    union all
    select source, payload_key, payload_sha256, count(*) as n from {{ ref('stg_grids__intensities') }} group by all
    union all
    select source, payload_key, payload_sha256, count(*) as n from {{ ref('stg_serving__points') }} group by all
),

rate_rows as (select source, count(*) as n from {{ ref('stg_prices__exchange_rates') }} group by source),

staged as (
    select 2 as step, 'raw → staging' as layers, accounts.source, accounts.release, accounts.dialect, accounts.payload_key,
        accounts.rows_out as rows_in, coalesce(inference_rows.n, 0) as rows_out, 0 as rows_excluded, '' as exclusion_reasons
    from accounts
    left join inference_rows using (source, release, dialect, payload_key, payload_sha256)
    where accounts.source like 'mlperf-inference%'

    union all

    select 2, 'raw → staging', accounts.source, accounts.release, accounts.dialect, accounts.payload_key,
        accounts.rows_out, coalesce(training_rows.n, 0), 0, ''
    from accounts
    left join training_rows
        on accounts.source = training_rows.source and accounts.release = training_rows.release
        and accounts.payload_sha256 = training_rows.payload_sha256
        -- a collection holds results, as the scored rounds do
        and replace(accounts.dialect, 'training_collection', 'training_results') = training_rows.dialect
    where accounts.source like 'mlperf-training%'

    union all

    select 2, 'raw → staging', accounts.source, accounts.release, accounts.dialect, accounts.payload_key,
        accounts.rows_out, coalesce(list_rows.n, 0),
        case when list_rows.n is null and spoken.n > 0 then accounts.rows_out else 0 end,
        case when list_rows.n is null and spoken.n > 0 then 'superseded by a later payload of the same page' else '' end
    from accounts
    left join list_rows using (source, payload_key, payload_sha256)
    left join (
        select source, split_part(payload_key, '@', 1) as stream, sum(n) as n from list_rows group by all
    ) as spoken on accounts.source = spoken.source and split_part(accounts.payload_key, '@', 1) = spoken.stream
    where accounts.dialect in ('specs', 'grids', 'serving')
),

-- 2. of prices: the last poll of a list finds, in the intervals, as many offers as one of its payloads has. What a list
-- dates itself lies at polls of its own: no more offers than rows, and not none.
listed as (
    select
        source, split_part(payload_key, '@', 1) as stream,
        max(rows_out) as rows_max,
        list(distinct rows_out) as row_counts
    from {{ ref('stg_prices__accounts') }}
    where source not in (select source from rate_rows)
    group by all
),

last_polls as (select source, stream, max(poll) as poll from {{ ref('stg_prices__polls') }} group by source, stream),

intervals as (
    select
        intervals.source, intervals.stream, count(*) as n,
        count(distinct intervals.offer_id) filter (intervals.last_poll = last_polls.poll) as n_last,
        count(distinct (intervals.payload_sha256, intervals.first_poll)) > count(distinct intervals.payload_sha256) as is_dated_by_row
    from {{ ref('int_price__intervals') }} as intervals
    inner join last_polls using (source, stream)
    group by intervals.source, intervals.stream
),

polled as (
    select
        2 as step, 'raw → intervals of prices' as layers, listed.source, '' as release, 'prices' as dialect,
        listed.stream as payload_key,
        case
            when list_contains(listed.row_counts, coalesce(intervals.n_last, 0)) then coalesce(intervals.n_last, 0)
            else listed.rows_max
        end as rows_in,
        coalesce(intervals.n_last, 0) as rows_out,
        case when intervals.is_dated_by_row and intervals.n_last between 1 and listed.rows_max
            and not list_contains(listed.row_counts, intervals.n_last) then listed.rows_max - intervals.n_last else 0 end as rows_excluded,
        case when intervals.is_dated_by_row and intervals.n_last between 1 and listed.rows_max
            and not list_contains(listed.row_counts, intervals.n_last) then 'of earlier days, dated by the list itself' else '' end
            as exclusion_reasons
    from listed
    left join intervals using (source, stream)
),

rated as (
    select 2 as step, 'raw → staging' as layers, source, '' as release, 'prices' as dialect, '' as payload_key,
        max(accounts.rows_out) as rows_in,
        -- a day that several payloads name is one row: no fewer than the fullest of them has
        least(any_value(rate_rows.n), max(accounts.rows_out)) as rows_out, 0 as rows_excluded, '' as exclusion_reasons
    from {{ ref('stg_prices__accounts') }} as accounts
    inner join rate_rows using (source)
    group by source
),

-- 3. staging → facts
inference_facts as (
    select release, dialect, payload_sha256, count(*) as n from {{ ref('fct_inference_result') }} group by all
),

training_facts as (
    select release, payload_sha256, count(*) as n, 'training_results' as dialect
    from {{ ref('fct_training_result') }} group by all
    union all by name
    select release, payload_sha256, count(*) as n, 'training_runs' as dialect
    from {{ ref('fct_training_run') }} group by all
),

tree_only as (select release, payload_sha256, count(*) as n from {{ ref('int_inference__tree_only') }} group by all),

fact_prices as (select source, stream, count(*) as n from {{ ref('fct_price_interval') }} group by all),

facts as (
    select 3 as step, 'staging → fct_inference_result' as layers, staged.source, staged.release, staged.dialect,
        staged.payload_key, staged.n as rows_in, coalesce(facts.n, 0) as rows_out,
        case when used.dialect <> staged.dialect
            then staged.n - case when staged.dialect = 'raw_tree' then coalesce(tree_only.n, 0) else 0 end
            else 0 end as rows_excluded,
        case when used.dialect <> staged.dialect then used.dialect || ' is used for the round' else '' end
        || case when used.dialect <> staged.dialect and staged.dialect = 'raw_tree' and tree_only.n > 0
            then ', which lacks ' || tree_only.n || ' results of the tree' else '' end
            as exclusion_reasons
    from inference_rows as staged
    left join inference_facts as facts using (release, dialect, payload_sha256)
    left join tree_only on staged.release = tree_only.release and staged.payload_sha256 = tree_only.payload_sha256
    left join {{ ref('int_inference__dialects') }} as used on staged.release = used.release

    union all by name

    select 3 as step, 'staging → fct_' || rtrim(staged.dialect, 's') as layers,
        staged.source, staged.release, staged.dialect, '' as payload_key, staged.n as rows_in,
        coalesce(facts.n, 0) as rows_out, 0 as rows_excluded, '' as exclusion_reasons
    from training_rows as staged
    left join training_facts as facts using (release, dialect, payload_sha256)
    -- configurations are evidence of a result's number format, not facts of their own
    where staged.dialect <> 'training_formats'

    union all by name

    select 4 as step, 'intervals → fct_price_interval' as layers, intervals.source, '' as release, 'prices' as dialect,
        intervals.stream as payload_key, intervals.n as rows_in, coalesce(facts.n, 0) as rows_out, 0 as rows_excluded,
        '' as exclusion_reasons
    from intervals
    left join fact_prices as facts using (source, stream)
),

-- 4. specifications: figures of known products; of several figures of one accelerator, the one that is used
mapped as (
    select figures.source, figures.attribute, products.accelerator_id
    from {{ ref('stg_specs__values') }} as figures
    left join {{ ref('int_specs__products') }} as products using (source, product_published)
),

spec_published as (select source, count(*) as n from {{ ref('int_specs__published') }} group by source),

spec_figures as (
    select 3 as step, 'staging → figures of accelerators' as layers, mapped.source, '' as release, 'specs' as dialect,
        '' as payload_key,
        count(*) as rows_in,
        any_value(coalesce(spec_published.n, 0)) as rows_out,
        count(*) filter (mapped.accelerator_id is null)
        + count(mapped.accelerator_id) - count(distinct (mapped.accelerator_id, mapped.attribute)) filter (mapped.accelerator_id is not null)
        + any_value(coalesce(not_applicable.n, 0)) as rows_excluded,
        concat_ws(', ',
            count(*) filter (mapped.accelerator_id is null) || ' of other products',
            (count(mapped.accelerator_id)
                - count(distinct (mapped.accelerator_id, mapped.attribute)) filter (mapped.accelerator_id is not null))
                || ' where another figure of the source is used',
            any_value(not_applicable.n) || ' of a rate the part does not have'
        ) as exclusion_reasons
    from mapped
    left join spec_published using (source)
    left join (
        select mapped.source, count(distinct mapped.accelerator_id) as n
        from mapped
        inner join {{ ref('spec_absences') }} as absences using (accelerator_id, attribute)
        where mapped.attribute = 'bf16_dense_tflops' and absences.kind = 'not applicable'
        group by mapped.source
    ) as not_applicable on mapped.source = not_applicable.source
    group by mapped.source
),

serving_facts as (
    select 4 as step, 'staging → fct_serving_point' as layers, staged_points.source, '' as release, 'serving' as dialect,
        staged_points.payload_key, staged_points.n as rows_in, coalesce(facts.n, 0) as rows_out, 0 as rows_excluded,
        '' as exclusion_reasons
    from (select source, payload_key, count(*) as n from {{ ref('stg_serving__points') }} group by all) as staged_points
    left join (select source, payload_key, count(*) as n from {{ ref('fct_serving_point') }} group by all) as facts
        using (source, payload_key)
),

-- 5. facts → comparisons: nothing is dropped, what stays out says why
compared as (
    select 5 as step, 'fct_inference_result → per accelerator' as layers, any_value(payload_url) as source, release, dialect,
        '' as payload_key, count(*) as rows_in, count(throughput_per_accelerator) as rows_out,
        count(invalid_reason) as rows_excluded,
        coalesce(string_agg(distinct invalid_reason, ', ' order by invalid_reason), '') as exclusion_reasons
    from {{ ref('fct_inference_result') }}
    group by release, dialect

    union all by name

    select 5 as step, 'fct_price_interval → comparable' as layers, source, '' as release, 'prices' as dialect,
        stream as payload_key, count(*) as rows_in, count(*) filter (is_comparable) as rows_out,
        count(exclusion_reason) as rows_excluded,
        coalesce(string_agg(distinct exclusion_reason, ', ' order by exclusion_reason), '') as exclusion_reasons
    from {{ ref('fct_price_interval') }}
    group by source, stream

    union all by name

    select 5 as step, 'fct_serving_point → frontiers' as layers, source, '' as release, 'serving' as dialect, payload_key,
        count(*) as rows_in, count(*) filter (is_newest_run and exclusion_reason is null) as rows_out,
        count(*) filter (not is_newest_run or exclusion_reason is not null) as rows_excluded,
        coalesce(string_agg(distinct coalesce(exclusion_reason, case when not is_newest_run then 'a newer run of the configuration' end), ', '), '')
            as exclusion_reasons
    from {{ ref('fct_serving_point') }}
    group by source, payload_key
),

steps as (
    select * from parsed
    union all by name
    select * from staged
    union all by name
    select * from rated
    union all by name
    select * from polled
    union all by name
    select * from facts
    union all by name
    select * from spec_figures
    union all by name
    select * from serving_facts
    union all by name
    select * replace (case when dialect in ('prices', 'serving') then source else 'mlperf-inference' end as source) from compared
)

select
    step::integer as step,
    layers,
    source,
    release,
    dialect,
    payload_key,
    rows_in::bigint as rows_in,
    rows_out::bigint as rows_out,
    rows_excluded::bigint as rows_excluded,
    exclusion_reasons,
    rows_in = rows_out + rows_excluded as is_balanced
from steps
