{{ config(materialized = 'ephemeral') }}
-- The number format of the weights: from the submitter's words (weight_data_types of the submission), else from settings
-- in the submission's configuration files, else from the names that it gives to the system and the model. The first of
-- them that names a format decides; configurations or names of two formats are ambiguous.
with

results as (
    select
        result_number, release, division, submitter_published, model_published, scenario, platform,
        weight_data_types_published as words, concat_ws('; ', platform, system_name, notes, model_published) as all_names
    from {{ ref('int_inference__active') }}
),

-- each wording is read once: there are a hundred times fewer of them than results
worded as (
    select words, {{ weight_format_families('words') }} as formats from (select distinct words from results) as distinct_words
),

named as (
    select
        all_names,
        -- formats that names of systems and models contain as a word of their own: `PyTorch-INT8`, `precision_uint8-1.0`
        array_to_string(regexp_extract_all(
            lower(all_names),
            '(?:^|[^a-z0-9])((?:mx|nv)?fp4|fp8|u?int4|u?int8|bf(?:loat)?16|fp16|tf32|fp32)(?:$|[^a-z0-9])', 1
        ), ' ') as words,
        {{ weight_format_families('words') }} as formats
    from (select distinct all_names from results) as distinct_names
),

configured as (
    select
        results.result_number,
        list_sort(list_distinct(list(configurations.number_format))) as formats,
        string_agg(configurations.source_url || ': ' || configurations.setting, '; ' order by configurations.source_url) as evidence
    from results
    inner join {{ ref('inference_format_settings') }} as configurations
        on results.release = configurations.release
        and results.submitter_published = configurations.submitter
        and results.model_published = configurations.model
        and results.scenario = configurations.scenario
        and results.division = 'closed'
        and regexp_full_match(results.platform, configurations.platform_pattern)
    group by results.result_number
),

judged as (
    select
        results.*,
        worded.formats as formats_in_words,
        coalesce(configured.formats, named.formats) as candidates,
        case when configured.formats is not null then 'configuration' else 'notes' end as basis_of_candidates,
        coalesce(configured.evidence, results.all_names) as evidence
    from results
    left join worded using (words)
    inner join named using (all_names)
    left join configured using (result_number)
)

select
    result_number,
    case
        when len(formats_in_words) > 1 then 'mixed'
        when len(formats_in_words) = 1 then formats_in_words[1]
        when len(candidates) = 1 then candidates[1]
    end as number_format,
    case
        when len(formats_in_words) > 0 then 'published'
        when len(candidates) = 1 then basis_of_candidates
        when len(candidates) > 1 then 'ambiguous'
        else 'unknown'
    end as number_format_basis,
    case
        when len(formats_in_words) > 0 then words
        when len(candidates) > 0 then evidence
    end as number_format_evidence
from judged
