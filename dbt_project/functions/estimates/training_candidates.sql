{#- What may stand for a run, nearest first: tier 1 is measured of the model on the part, in the format asked for or one of those of
    an ambiguous run; tier 2 an MFU of a format that the part has. A size class: both dense or both mixtures of experts, and at most
    2.5 times apart in the parameters that work on a token. It comes first, as MFU differs more between sizes than between parts; BF16
    comes last, as measured runs of known format use lower ones. -#}
with asked as materialized (
    select
        d.*,
        cast(params as double) as p,
        cast(total_params as double) as p_held,
        cast(gpus as double) as fleet,
        cast(number_format as varchar) as wanted
    from {{ ref('dim_accelerator') }} as d
    where d.accelerator_id = accelerator
),

runs as (
    select
        f.result_id,
        min(f.trained_tokens_per_s_per_accelerator) as low,
        max(f.trained_tokens_per_s_per_accelerator) as high
    from {{ ref('fct_training_run') }} as f
    where f.is_counted
    group by f.result_id
),

known as (
    select
        r.result_id, r.benchmark_id, r.benchmark_id as run_name,
        r.release || case when r.is_round_incomplete then ' (in part)' else '' end as release, r.submitter, r.system_name, r.accelerator_id,
        r.accelerator_count as n, r.number_format as run_format, r.mfu_pct, r.mfu_candidates, r.sequence_length as run_sequence,
        r.trained_tokens_per_s_per_accelerator as tokens_per_s,
        cast(string_split(ltrim(r.release, 'v'), '.') as integer[]) as release_order,
        m.parameters as active,
        m.parameters as held,
        {{ function('training_flops_per_token') }}(m.parameters, m.layers, m.hidden_size, m.sequence_length) as run_flops,
        coalesce(runs.low, r.trained_tokens_per_s_per_accelerator) as run_low,
        coalesce(runs.high, r.trained_tokens_per_s_per_accelerator) as run_high,
        cast(null as varchar) as mfu_id,
        cast(null as varchar) as source_url
    from {{ ref('fct_training_result') }} as r
    inner join {{ ref('mlperf_training_models') }} as m on r.benchmark_id = m.benchmark_id
    left join runs on r.result_id = runs.result_id
    where r.division = 'closed' and r.accelerator_count > 0 and r.trained_tokens_per_s_per_accelerator > 0
        and m.parameters is not null and r.is_peer_outlier is not true
    union all by name
    select
        p.run_name, p.accelerator_id, p.accelerator_count as n, p.number_format as run_format, p.mfu_pct, 0 as tokens_per_s,
        [0, 0] as release_order, p.parameters as active, p.total_parameters as held, p.mfu_id, p.source_url
    from {{ ref('int_training__published_mfu') }} as p
),

compared as (
    select
        k.*,
        (d.vendor is distinct from mine.vendor) as is_of_other_vendor,
        (d.architecture is distinct from mine.architecture) as is_of_other_architecture,
        k.accelerator_id = mine.accelerator_id as is_of_part,
        greatest(abs(k.active / mine.p - 1), abs(k.held / mine.p_held - 1)) <= {{ same_model() }} as is_of_model,
        abs(ln(k.active / mine.p)) as model_distance,
        (k.held > k.active) = (mine.p_held > mine.p) and abs(ln(k.active / mine.p)) <= ln(2.5) as is_of_size_class,
        coalesce(abs(ln(k.n / mine.fleet)), cast('inf' as double)) as scale_distance,
        coalesce(k.run_format = mine.wanted, mine.wanted is null) as has_format,
        mine.wanted,
        {{ dense_peak_tflops(
            'k.run_format', 'mine.bf16_dense_tflops', 'mine.fp8_dense_tflops', 'mine.fp4_dense_tflops', 'mine.tf32_dense_tflops'
        ) }} as peak_tflops
    from known as k
    cross join asked as mine
    left join {{ ref('dim_accelerator') }} as d on k.accelerator_id = d.accelerator_id
)

select
    1 as tier,
    c.*,
    row_number() over (
        order by not c.has_format asc, c.scale_distance asc, c.release_order desc, c.tokens_per_s desc, c.result_id asc
    ) as place
from compared as c
where c.result_id is not null and c.is_of_part and c.is_of_model
    and (c.has_format or coalesce(contains(c.mfu_candidates, 'of ' || upper(c.wanted)), false))
union all
select
    2 as tier,
    c.*,
    row_number() over (
        order by
            not c.is_of_size_class asc, c.run_format = 'bf16' asc, not c.is_of_part asc, c.model_distance asc,
            c.is_of_other_architecture asc, c.is_of_other_vendor asc, c.scale_distance asc, c.release_order desc, c.tokens_per_s desc,
            c.result_id asc, c.mfu_id asc
    ) as place
from compared as c
where c.mfu_pct is not null and c.has_format and c.peak_tflops is not null and (c.result_id is not null or c.is_of_size_class)
