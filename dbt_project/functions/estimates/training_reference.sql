with candidates as materialized (
    from {{ function('training_candidates') }}(accelerator, params, total_params, gpus, number_format := number_format)
),

nearest as materialized (select c.* from candidates as c where c.place = 1 order by c.tier limit 1),

scales as (
    select
        min(c.n) as fewest,
        max(c.n) as most
    from nearest as n
    inner join candidates as c on n.tier = c.tier and n.run_format is not distinct from c.run_format
),

published as (
    select
        count(*) as n_published,
        min(p.mfu_pct) as published_low,
        least(max(p.mfu_pct), min(p.mfu_pct) * 2.5) as published_high,
        string_agg(distinct p.accelerator_id, ', ' order by p.accelerator_id) as published_parts,
        bool_or(p.accelerator_id = accelerator) as has_part,
        string_agg(distinct p.source_url, ', ' order by p.source_url) as published_urls
    from {{ ref('int_training__published_mfu') }} as p
    where p.number_format = coalesce(number_format, 'bf16')
),

classed as (
    select
        n.*,
        {{ training_class('n.is_of_part', 'n.is_of_model', 'n.has_format', 'coalesce(m.does_maker_have_mfu, false)') }} as kind_of_case
    from nearest as n
    cross join {{ ref('dim_accelerator') }} as d
    left join (
        select k.vendor, bool_or(k.does_maker_have_mfu) as does_maker_have_mfu
        from {{ ref('int_training__known_speeds') }} as k
        group by k.vendor
    ) as m on d.vendor = m.vendor
    where d.accelerator_id = accelerator
),

-- of its class, or of the next wider one that has cases enough
errors as (
    select e.*
    from classed as c
    inner join {{ ref('int_calibration__training') }} as e
        on e.is_sufficient
        and list_position({{ training_classes() }}, e.case_kind) >= list_position({{ training_classes() }}, c.kind_of_case)
    qualify row_number() over (order by list_position({{ training_classes() }}, e.case_kind)) = 1
)

select
    n.*,
    s.*,
    p.*,
    e.quantile_low,
    e.quantile_high,
    e.case_kind,
    e.n_cases,
    e.n_groups,
    e.sentence as error_words,
    case
        when n.result_id is null then format('{} on {}{}, published by others and no MLPerf result ({})', n.run_name,
            coalesce(format('{:,} x ', n.n), ''), n.accelerator_id, n.source_url)
        else format(
            'MLPerf Training {}{}, closed, {}, {}, {} on {:,} x {} (result {}): {:,.1f} trained tokens/s per accelerator', n.release,
            case when n.is_round_incomplete then ' (in part)' else '' end,
            n.submitter, n.system_name, n.benchmark_id, n.n, n.accelerator_id, n.result_id, n.tokens_per_s
        )
    end || ', MFU ' || case
        when n.mfu_pct is not null then format('{:.1f} % of the dense {} peak', n.mfu_pct, upper(n.run_format))
        else 'not known, as ' || coalesce(
            'its number format is ambiguous (' || nullif(n.mfu_candidates, '') || ')', 'no file names its number format'
        )
    end || '.' as words
from scales as s
cross join published as p
left join nearest as n on true
left join errors as e on true
