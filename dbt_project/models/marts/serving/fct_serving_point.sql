-- Measured serving outside of MLPerf, one row a configuration and run. Throughput is per accelerator, of all that did
-- work: upstream's figure of disaggregated runs divides by the decode pool alone.
{% set configuration = [
    'source', 'model_published', 'accelerator_published', 'number_format_published', 'workload', 'framework', 'speculation',
    'is_disaggregated', 'parallelism', 'n_accelerators_all', 'concurrency',
] %}
with

known as (
    select
        *,
        {{ weight_format_families('number_format_published') }} as formats,
        try_cast(nullif(measured_on, '') as date) as measured_on_date
    from {{ ref('int_serving__points') }}
),

keyed as (
    select
        *,
        md5(concat_ws('|', {{ configuration | join(', ') }}, measured_on, source_url, payload_member, payload_record)) as point_id,
        case when len(formats) = 1 then formats[1] end as number_format,
        -- of equal days the run with the higher id: addresses of runs end in it
        dense_rank() over (
            partition by {{ configuration | join(', ') }} order by measured_on_date desc nulls last, source_url desc
        ) = 1 as is_newest_run
    from known
),

-- one point of a publisher against its other statements
checked as (
    select
        keyed.*,
        keyed.output_tokens_per_s_per_accelerator * (1 + coalesce(keyed.input_tokens, 0) / keyed.output_tokens)
        > best.total_tokens_per_s_per_accelerator as is_above_best,
        best.total_tokens_per_s_per_accelerator as published_best,
        (
            select min(larger.n_accelerators_all)
            from keyed as larger
            where larger.source = keyed.source and larger.model_published = keyed.model_published
                and larger.accelerator_published = keyed.accelerator_published
                and larger.number_format_published = keyed.number_format_published
                and larger.workload = keyed.workload and larger.concurrency = keyed.concurrency
                and larger.n_accelerators_all >= {{ var('serving_wrong_divisor_min') }} * keyed.n_accelerators_all
                and abs(
                    larger.output_tokens_per_s_per_accelerator * larger.n_accelerators_all
                    / (keyed.output_tokens_per_s_per_accelerator * keyed.n_accelerators_all) - 1
                ) <= 0.02
        ) as n_accelerators_of_same_tokens
    from keyed
    left join {{ ref('serving_published_best') }} as best using (source, model_id, accelerator_id)
)

select
    * exclude (
        w_per_accelerator, j_per_output_token, formats, candidates, measured_on_date, payload_bytes, is_above_best, published_best,
        n_accelerators_of_same_tokens
    ) replace (measured_on_date as measured_on),
    w_per_accelerator as watts_per_accelerator_measured,
    j_per_output_token as j_per_output_token_measured,
    case when j_per_output_token is null then 'no power was measured' end as energy_reason,
    case
        when not {{ is_mapped('model_id') }} then 'the model is not mapped'
        when not {{ is_mapped('accelerator_id') }} then 'the accelerator is not mapped'
        when number_format is null then 'the number format is not known'
        when is_above_best then format(
            'more tokens/s of one accelerator than the {:,.0f} that its publisher states as the most', published_best
        )
        when n_accelerators_of_same_tokens is not null then format(
            'its tokens/s of {} accelerators are those of {} at the same load: the divisor is wrong', n_accelerators_all,
            n_accelerators_of_same_tokens
        )
    end as exclusion_reason
from checked
