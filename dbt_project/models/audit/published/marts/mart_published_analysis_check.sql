-- One row per row of a published analysis, beside its own arithmetic on our rows and the right figure. A row is reproduced where its
-- arithmetic is the right one, or where the right figure comes out all the same.
with

printed as (select * from {{ ref('published_analysis_inference') }}),

results as (
    select * from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite_published like '%datacenter%'
),

-- its way: all rounds from v3.1 to v5.1 in one pool, one exact published name, units ignored, and the
-- accelerators of one node as the divisor
recomputed as (
    select
        printed.row_id,
        {{ mean('results.result / nullif(results.accelerators_per_node, 0)') }} as avg_per_accelerator
    from printed
    inner join results
        on printed.benchmark_id = results.benchmark_id
        and printed.scenario = results.scenario
        and printed.accelerator_name_pooled = results.accelerator_name_published
    where list_contains({{ var('published_analysis_rounds') }}, results.release)
    group by printed.row_id
),

-- the right way, for the newest round we have: all accelerators of the system, one unit, nothing derived
corrected as (
    select
        printed.row_id,
        marts.release,
        marts.result_unit,
        marts.n_results,
        marts.throughput_per_accelerator_mean
    from printed
    inner join {{ ref('mart_inference_throughput') }} as marts
        on printed.benchmark_id = marts.benchmark_id
        and printed.scenario = marts.scenario
        and printed.accelerator_id = marts.accelerator_id
        and printed.variant = marts.variant
        and marts.division = 'closed'
        and marts.suite = 'datacenter'
        and marts.apart_reason is null
    where {{ release_number('marts.release') }} <= {{ release_number("'" ~ var('published_analysis_rounds')[-1] ~ "'") }}
    qualify row_number() over (partition by printed.row_id order by {{ release_number('marts.release') }} desc) = 1
)

select
    printed.row_id,
    printed.benchmark_id,
    printed.scenario,
    printed.accelerator_printed,
    printed.accelerator_id,
    printed.variant,
    printed.avg_total_printed,
    printed.avg_per_accelerator_printed,
    printed.avg_accelerators_printed,
    recomputed.avg_per_accelerator as avg_per_accelerator_its_way,
    -- the printed figures have two decimals; logs have six digits
    abs(recomputed.avg_per_accelerator - printed.avg_per_accelerator_printed)
        <= greatest(0.01, printed.avg_per_accelerator_printed * 0.00001) as is_reproduced,
    case
        when printed.cause_of_difference like '%wrong_%' then 'not reproduced'
        when starts_with(printed.cause_of_difference, 'agrees') and abs(recomputed.avg_per_accelerator
            - printed.avg_per_accelerator_printed) <= greatest(0.01, printed.avg_per_accelerator_printed * 0.00001)
            then 'reproduced'
        when corrected.throughput_per_accelerator_mean is null then 'cannot be checked'
        when abs({{ change_pct('printed.avg_per_accelerator_printed', 'corrected.throughput_per_accelerator_mean') }})
            <= {{ var('published_table_agreement_pct') }} then 'reproduced'
        else 'not reproduced'
    end as status,
    corrected.release as right_release,
    corrected.result_unit as right_unit,
    corrected.n_results as right_n_results,
    corrected.throughput_per_accelerator_mean as right_throughput_per_accelerator,
    printed.avg_per_accelerator_printed / corrected.throughput_per_accelerator_mean as printed_over_right,
    printed.cause_of_difference,
    printed.cause_note,
    printed.source_url
from printed
left join recomputed using (row_id)
left join corrected using (row_id)
