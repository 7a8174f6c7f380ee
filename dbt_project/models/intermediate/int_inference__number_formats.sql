-- The number format of the weights, from the submitter's words (weight_data_types of the submission).
with

-- each wording is read once: there are a hundred times fewer of them than results
worded as (
    select words, {{ weight_format_families('words') }} as formats
    from (select distinct weight_data_types_published as words from {{ ref('int_inference__in_force') }})
)

select
    results.result_number,
    case when len(worded.formats) > 1 then 'mixed' else worded.formats[1] end as number_format,
    case when len(worded.formats) > 0 then 'published' else 'unknown' end as number_format_basis
from {{ ref('int_inference__in_force') }} as results
left join worded on results.weight_data_types_published = worded.words
