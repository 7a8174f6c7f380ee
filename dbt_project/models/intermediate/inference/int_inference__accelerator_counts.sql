-- How many accelerators did the work, with every statement kept.
with

results as (
    select
        result_number, release, submitter_published, platform, system_name, accelerator_name_published, number_of_nodes,
        accelerators_per_node, accelerators_per_node_published, total_accelerators_published
    from {{ ref('int_inference__active') }}
),

-- systems whose description is known to be wrong: the right size, or why there is no figure per accelerator. A correction
-- holds only while the published value is the one it was made for
corrections as (
    select
        results.result_number,
        max(try_cast(seed.corrected_value as bigint)) filter (seed.field = 'number_of_nodes') as number_of_nodes,
        max(try_cast(seed.corrected_value as bigint)) filter (seed.field = 'accelerators_per_node') as accelerators_per_node,
        max(seed.reason) filter (not seed.is_per_accelerator_valid) as reason
    from results
    inner join {{ ref('mlperf_system_corrections') }} as seed
        on seed.suite_kind = 'inference'
        and results.release = seed.release
        and results.submitter_published = seed.submitter
        and results.platform = seed.platform
        and seed.published_value is not distinct from
            case seed.field
                when 'number_of_nodes' then results.number_of_nodes::varchar
                when 'accelerators_per_node' then results.accelerators_per_node_published
            end
    group by results.result_number
),

said as (
    unpivot (select result_number, platform, accelerator_name_published, system_name from results)
    on platform, accelerator_name_published, system_name
    into name field value words
),

-- each wording is read once: there are a hundred times fewer of them than results
worded as (
    select
        wordings.field,
        wordings.words,
        try_cast(regexp_extract(wordings.words, patterns.pattern, 1, 'i') as integer) as stated_count
    from (select distinct field, words from said) as wordings
    inner join {{ ref('accelerator_count_patterns') }} as patterns
        on wordings.field = patterns.field
        and regexp_matches(wordings.words, patterns.pattern, 'i')
    qualify row_number() over (partition by wordings.field, wordings.words order by patterns.priority) = 1
),

stated as (select said.result_number, said.field, worded.stated_count from said inner join worded using (field, words)),

statements as (
    select
        results.*,
        max(stated.stated_count) filter (stated.field = 'accelerator_name_published') as count_in_accelerator_name,
        max(stated.stated_count) filter (stated.field = 'platform') as count_in_platform,
        max(stated.stated_count) filter (stated.field = 'system_name') as count_in_system_name
    from results
    left join stated using (result_number)
    group by all
),

-- System text is free and often copied from another system: evidence for the check, never for the count.
named as (
    select
        statements.*,
        coalesce(statements.count_in_accelerator_name, statements.count_in_platform) as count_in_name,
        -- the product of two counts may exceed 64 bits
        coalesce(corrections.number_of_nodes, statements.number_of_nodes)::hugeint as nodes,
        coalesce(corrections.accelerators_per_node, statements.accelerators_per_node)::hugeint as per_node,
        try_cast(statements.number_of_nodes::hugeint * statements.accelerators_per_node as bigint) as count_nodes_x_per_node,
        coalesce(corrections.number_of_nodes, corrections.accelerators_per_node) is not null as is_corrected,
        coalesce(accelerators.is_mixed, false) as is_mixed,
        corrections.number_of_nodes as corrected_number_of_nodes,
        corrections.reason as correction_reason
    from statements
    left join corrections using (result_number)
    left join {{ ref('int_mlperf__accelerators') }} as accelerators on {{ is_of_system('accelerators', 'statements') }}
),

counted as (
    select
        *,
        -- The count that did the work, of up to three statements. A total beats nodes × per node, except where the name
        -- states a count that a last, not full node explains: then the name is the more specific statement.
        coalesce(count_in_name > (nodes - 1) * per_node and count_in_name < nodes * per_node and nodes > 1, false) as is_named,
        case
            when is_named then count_in_name
            when total_accelerators_published > 0 then total_accelerators_published
            when nodes * per_node > 0 then nodes * per_node
        end as accelerator_count_stated,
        -- beyond what a last, not full node explains; a name alone contradicts unless the free text confirms the count, and of
        -- a mixed system each name counts a part
        not is_corrected and coalesce(
            total_accelerators_published > 0
            and (total_accelerators_published <= (nodes - 1) * per_node or total_accelerators_published > nodes * per_node),
            false
        ) or not (is_corrected or is_named or is_mixed) and coalesce(
            count_in_name <> accelerator_count_stated and count_in_system_name is distinct from accelerator_count_stated,
            false
        ) as do_counts_contradict
    from named
)

select
    result_number,
    corrected_number_of_nodes,
    correction_reason,
    count_nodes_x_per_node,
    count_in_accelerator_name,
    count_in_platform,
    count_in_system_name,
    case when not do_counts_contradict then {{ possible_count('accelerator_count_stated') }} end as accelerator_count,
    case
        when {{ is_impossible_count('accelerator_count_stated') }} then 'impossible'
        when do_counts_contradict then 'contradictory'
        when is_corrected then 'correction'
        when is_named then 'name'
        when total_accelerators_published > 0 then 'published_total'
        when nodes * per_node > 0 then 'nodes_x_per_node'
        else 'unknown'
    end as accelerator_count_basis,
    len(list_distinct([
        total_accelerators_published, count_nodes_x_per_node, count_in_accelerator_name, count_in_platform, count_in_system_name
    ])) > 1 as do_counts_disagree
from counted
