-- Number format of each training result, how it is known, and all candidates where it is ambiguous.
with

candidates as (
    select
        result_id,
        list_sort(list_distinct(list(number_format))) as formats,
        count(*) filter (number_format is null) as n_without_format,
        string_agg(
            coalesce(number_format, 'no format') || ': ' || location || ' (' || evidence || ')', '; '
            order by number_format, location
        ) as number_format_evidence,
        any_value(model_tflop_per_sample) as model_tflop_per_sample
    from {{ ref('int_training__format_candidates') }}
    group by result_id
),

results as (
    select
        *,
        list_distinct(regexp_extract_all(
            lower(concat_ws(' ', notes, software)), '\b(?:nv|mx)?(fp4|fp8|bf16|fp16|tf32)\b', 1
        )) as formats_in_notes
    from {{ ref('int_training__active') }}
),

judged as (
    select
        results.result_id,
        case
            when len(candidates.formats) = 1 and candidates.n_without_format = 0 then 'configuration'
            when len(candidates.formats) > 1 then 'ambiguous'
            when len(results.formats_in_notes) = 1 then 'notes'
            else 'unknown'
        end as number_format_basis,
        candidates.formats,
        results.formats_in_notes,
        candidates.number_format_evidence,
        candidates.model_tflop_per_sample
    from results
    left join candidates using (result_id)
)

select
    result_id,
    case number_format_basis when 'configuration' then formats[1] when 'notes' then formats_in_notes[1] end
        as number_format,
    number_format_basis,
    case when number_format_basis = 'ambiguous' then formats else [] end as candidate_formats,
    number_format_evidence,
    model_tflop_per_sample
from judged
