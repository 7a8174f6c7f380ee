{#- Rules: docs/figures.md, "Estimates of training". -#}
with part as materialized (
    select
        d.accelerator_id,
        coalesce(number_format, 'bf16') as wanted,
        cast(gpus as double) as fleet,
        cast(params as double) as p,
        cast(total_params as double) as p_held,
        cast(flops_per_token as double) as flops,
        {{ dense_peak_tflops(
            "coalesce(number_format, 'bf16')", 'd.bf16_dense_tflops', 'd.fp8_dense_tflops', 'd.fp4_dense_tflops', 'null'
        ) }} as wanted_peak,
        coalesce(nullif(concat_ws(
            ', ', case when d.bf16_dense_tflops > 0 then 'bf16' end, case when d.fp8_dense_tflops > 0 then 'fp8' end,
            case when d.fp4_dense_tflops > 0 then 'fp4' end
        ), ''), 'none') as formats
    from {{ ref('dim_accelerator') }} as d
    where d.accelerator_id = accelerator
),

asked as materialized (
    select
        a.*,
        case
            when a.wanted not in ('bf16', 'fp8', 'fp4')
                then cast(error(format('precision is {}: it must be one of bf16, fp8, fp4', a.wanted)) as double)
            when a.wanted_peak is null and (number_format is not null or mfu is not null) then cast(error(format(
                'precision is {0}: {1} has no dense {0} peak in the specifications (it has {2})', a.wanted, a.accelerator_id, a.formats
            )) as double)
            else cast({{ argument('mfu') }} as double)
        end as given_mfu
    from part as a
),

-- the kind of speed, and the factor from the measured sequence length to the one asked for
chosen as (
    select
        n.* exclude (accelerator_id, wanted),
        n.accelerator_id as known_part,
        a.*,
        case
            when a.given_mfu is not null then 'given'
            when n.tier = 1 then 'measured'
            when n.tier = 2 then 'carried'
            when n.n_published > 0 and a.wanted_peak is not null then 'published'
        end as kind,
        coalesce(abs(coalesce(n.n, 0) / a.fleet - 1) > 0.10, false) as is_other_scale,
        case when sequence_length <> n.run_sequence then n.run_flops / a.flops else 1 end as by_sequence
    from asked as a
    cross join {{ function('training_reference') }}(
        (select b.accelerator_id from part as b), (select b.p from part as b), (select b.p_held from part as b),
        (select b.fleet from part as b), number_format := number_format
    ) as n
),

-- an MFU, or measured tokens/s
ends as (
    select
        c.*,
        case c.kind
            when 'given' then c.given_mfu when 'published' then sqrt(c.published_low * c.published_high) else c.mfu_pct
        end as mid,
        case when c.kind in ('given', 'published') then c.wanted else c.run_format end as speed_format,
        case when c.kind in ('given', 'published') then c.wanted_peak else c.peak_tflops end as speed_peak
    from chosen as c
),

speed as (
    select
        e.*,
        case
            when e.kind is null then cast(error(format(
                'no measured training result can stand for {} in {}, and no published MFU: give mfu (above 0, at most 100) with precision',
                e.accelerator_id, e.wanted
            )) as double)
            when e.kind = 'measured' then e.tokens_per_s * e.by_sequence
            else {{ function('trained_tokens_per_s') }}(e.mid, e.flops, e.speed_peak)
        end as value,
        case when e.kind = 'published' then e.published_low / e.mid when e.kind in ('measured', 'carried') then e.quantile_low end
            as by_low,
        case when e.kind = 'published' then e.published_high / e.mid when e.kind in ('measured', 'carried') then e.quantile_high end
            as by_high,
        [x for x in [
            case when e.kind = 'measured' and number_format is not null and number_format is distinct from e.run_format then 'format' end,
            case when e.kind = 'measured' and sequence_length <> e.run_sequence then 'sequence length' end,
            case when e.kind = 'carried' and not e.is_of_part or e.kind = 'published' and not e.has_part then 'accelerator' end,
            case when e.kind = 'carried' and not e.is_of_model or e.kind = 'published' then 'model' end,
            case when e.kind = 'published' or e.kind in ('measured', 'carried') and e.is_other_scale then 'scale' end
        ] if x is not null] as extrapolated
    from ends as e
)

select
    s.* exclude (value),
    s.value as speed,
    case when s.by_low < s.by_high then s.value * s.by_low end as speed_low,
    case when s.by_low < s.by_high then s.value * s.by_high end as speed_high
from speed as s
