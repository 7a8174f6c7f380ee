-- One row per figure that changed against the published generation, by kind, and whether there was new input for it.
with

compared as (select * from {{ ref('int_changes__compared') }}),

-- rounds and sources of which something new came, or was asked again
new_inputs as (select distinct subject as input_scope from compared where role = 'input'),

primaries as (select relation, subject from compared where role in ('result', 'price') and is_primary and is_before <> is_after),

flagged as (
    select
        compared.*,
        case
            when compared.is_before and compared.is_after
                then (compared.input_version_before is distinct from compared.input_version_after)
            else new_inputs.input_scope is not null
        end as has_new_words,
        primaries.subject is not null as is_of_new_or_gone_subject
    from compared
    left join new_inputs using (input_scope)
    left join primaries
        on compared.relation = primaries.relation and compared.subject = primaries.subject and not compared.is_primary
),

-- offers whose price a newer observation of another source ended
replaced as (
    select offer_id as subject from {{ ref('fct_price_interval') }}
    group by offer_id
    having arg_max(ended_because, valid_from) = 'a newer observation of the same machine'
),

-- results and offers whose words are new, under the accelerator where they stand and under that where they stood
news as (
    select *, accelerator_id as news_of from flagged where role in ('result', 'price') and is_primary and has_new_words
    union all
    select *, accelerator_id_before as news_of from flagged where role in ('result', 'price') and is_primary and has_new_words
),

moved as (select * from flagged where role in ('best', 'figure') and is_before and is_after),

-- figures of marts with such a row among those under them; what either side does not state, it does not differ in
moved_by_news as (
    select moved.relation, moved.figure, moved.subject
    from moved
    inner join news
        on moved.accelerator_id = news.news_of
        and moved.benchmark_id = news.benchmark_id
        and coalesce(moved.scenario = news.scenario, true)
        and coalesce(moved.suite = news.suite, true)
        and coalesce(moved.division = news.division, true)
        and (moved.role = 'best' or moved.release = news.release)
    where news.role = 'result'
    union
    select moved.relation, moved.figure, moved.subject
    from moved
    inner join news
        on moved.accelerator_id = news.news_of
        and moved.pricing_model = news.pricing_model
        and (moved.relation <> 'mart_price_current' or moved.provider = news.provider)
    where news.role = 'price'
),

rows_with_new_words as (select relation, subject from flagged where is_primary and has_new_words),

kinds as (
    select
        *,
        case role
            when 'result' then case
                when not is_before then 'new_result'
                when not is_after then 'withdrawn_result'
                else 'corrected_result'
            end
            when 'price' then case
                when not is_before then 'new_price'
                when not is_after then 'ended_price'
                else 'changed_price'
            end
            when 'source' then case when not is_before then 'new_source' else 'vanished_source' end
        end as kind,
        case
            when has_new_words then 'new input'
            when role = 'price' and not is_after and subject in (select replaced.subject from replaced) then 'another source'
            else 'no new input'
        end as cause
    from flagged
    where role in ('result', 'price') and is_primary
        or role = 'source' and is_before <> is_after

    union all by name

    -- a figure that a row newly has, or has no more, corrects the row
    select
        flagged.*,
        'corrected_result' as kind,
        case
            when flagged.is_before and flagged.is_after and flagged.has_new_words then 'new input'
            when flagged.is_before <> flagged.is_after and rows_with_new_words.subject is not null then 'new input'
            else 'no new input'
        end as cause
    from flagged
    left join rows_with_new_words using (relation, subject)
    where flagged.role = 'result' and not flagged.is_primary and not flagged.is_of_new_or_gone_subject

    union all by name

    select
        moved.*,
        case moved.role when 'best' then 'moved_best' else 'moved_figure' end as kind,
        case
            when moved_by_news.subject is not null or (moved.input_version_before is distinct from moved.input_version_after)
                then 'new input'
            when (moved.source_before is distinct from moved.source) then 'another source'
            else 'no new input'
        end as cause
    from moved
    left join moved_by_news using (relation, figure, subject)
)

select *
from kinds
where is_before <> is_after or is_other_value or not is_same_unit
