with candidates as materialized (
    from {{ function('training_candidates') }}(accelerator, params, total_params, gpus, number_format := number_format)
),

nearest as materialized (select c.* from candidates as c where c.place = 1 order by c.tier limit 1),

-- candidates of the format that are off by no more than the nearest
spread as (
    select
        count(*) filter (c.n between n.n / 2.0 and n.n * 2.0) as n_peers,
        min(c.run_low) filter (c.n between n.n / 2.0 and n.n * 2.0) as peers_low,
        max(c.run_high) filter (c.n between n.n / 2.0 and n.n * 2.0) as peers_high,
        min(c.n) as fewest,
        max(c.n) as most,
        count(*) filter (c.is_of_part >= n.is_of_part and c.is_of_size_class >= n.is_of_size_class) as n_mfu,
        min(c.mfu_pct) filter (c.is_of_part >= n.is_of_part and c.is_of_size_class >= n.is_of_size_class) as least_mfu,
        max(c.mfu_pct) filter (c.is_of_part >= n.is_of_part and c.is_of_size_class >= n.is_of_size_class) as most_mfu
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

kept as (
    select
        s.benchmark_id,
        pow(s.throughput_scaling_efficiency, 1 / log2(s.accelerator_count / s.base_accelerator_count)) as kept_share
    from {{ ref('mart_training_scaling') }} as s
    where s.division = 'closed' and s.throughput_scaling_efficiency > 0
)

select
    n.*,
    s.*,
    p.*,
    -- at worst, of the model, else of any
    least(1, coalesce(
        (select min(k.kept_share) from kept as k where k.benchmark_id = n.benchmark_id), (select min(k.kept_share) from kept as k), 1
    )) as kept_per_doubling,
    case
        when n.result_id is null then format('{} on {}{}, published by others and no MLPerf result ({})', n.run_name,
            coalesce(format('{:,} x ', n.n), ''), n.accelerator_id, n.source_url)
        else format(
            'MLPerf Training {}, closed, {}, {}, {} on {:,} x {} (result {}): {:,.1f} trained tokens/s per accelerator', n.release,
            n.submitter, n.system_name, n.benchmark_id, n.n, n.accelerator_id, n.result_id, n.tokens_per_s
        )
    end || ', MFU ' || case
        when n.mfu_pct is not null then format('{:.1f} % of the dense {} peak', n.mfu_pct, upper(n.run_format))
        else 'not known, as ' || coalesce(
            'its number format is ambiguous (' || nullif(n.mfu_candidates, '') || ')', 'no file names its number format'
        )
    end || '.' as words
from spread as s
cross join published as p
left join nearest as n on true
