-- One row per figure that changed against the published generation, by kind, and whether there was new input for it.
{% set subject = subject_columns() %}
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

-- the rows under the marts' figures whose words are new, where they stood before and where they stand
news as (
    select distinct role, {{ subject | join(', ') }} from flagged
    where role in ('result', 'price') and is_primary and has_new_words
    union
    select distinct role, {{ subject | join(', ') | replace('accelerator_id', 'accelerator_id_before as accelerator_id') }} from flagged
    where role in ('result', 'price') and is_primary and has_new_words and accelerator_id_before is not null
),

marts as (
    select
        *,
        exists (
            select 1
            from news
            where news.role = 'result' and flagged.benchmark_id is not null
                and news.benchmark_id = flagged.benchmark_id
                and news.accelerator_id = flagged.accelerator_id
                and (flagged.scenario is null or news.scenario is null or news.scenario = flagged.scenario)
                and (flagged.suite is null or news.suite is null or news.suite = flagged.suite)
                and (flagged.division is null or news.division is null or news.division = flagged.division)
                and (flagged.role = 'best' or news.release = flagged.release)
        )
        or exists (
            select 1
            from news
            where news.role = 'price' and flagged.pricing_model is not null
                and news.pricing_model = flagged.pricing_model
                and news.accelerator_id = flagged.accelerator_id
                and (flagged.relation <> 'mart_price_current' or news.provider = flagged.provider)
        ) as has_news
    from flagged
    where role in ('best', 'figure') and is_before and is_after
),

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
        *,
        'corrected_result' as kind,
        case
            when is_before and is_after and has_new_words then 'new input'
            when is_before <> is_after and exists (
                select 1 from flagged as own
                where own.relation = flagged.relation and own.subject = flagged.subject and own.is_primary and own.has_new_words
            ) then 'new input'
            else 'no new input'
        end as cause
    from flagged
    where role = 'result' and not is_primary and not is_of_new_or_gone_subject

    union all by name

    select
        *,
        case role when 'best' then 'moved_best' else 'moved_figure' end as kind,
        case
            when has_news or (input_version_before is distinct from input_version_after) then 'new input'
            when (source_before is distinct from source) then 'another source'
            else 'no new input'
        end as cause
    from marts
)

select
    kind, role, relation, figure, subject, {{ subject | join(', ') }},
    value_before, value_after, unit, is_same_unit, held_by_before, held_by_after, cause
from kinds
where is_before <> is_after or is_other_value or not is_same_unit
