-- What an instance type holds. Two sources: the seed of instance types, which decides, and the words for the
-- accelerator beside it, which decide where the type is not in that seed or leaves it open. Where the type's own name states
-- another form (a100_SXM4 sold as A100_PCIE), they are ambiguous.
{% set is_of_form %}(by_words.is_override or {{ has_traits('by_words.form_of_part', 'type_forms.traits') }}){% endset %}
{% set words_decide %}by_words.rule is not null and coalesce(by_type.count_rule, 'ambiguous') = 'ambiguous'{% endset %}
{% set neutral %}(from {{ ref('accelerator_name_words') }} where is_in_prices){% endset %}
with

types as (
    select distinct
        providers.provider,
        intervals.instance_type,
        intervals.accelerator_published,
        intervals.accelerator_memory_gb,
        trim(regexp_replace(lower(intervals.accelerator_published), '[^a-z0-9.]+', ' ', 'g')) as words,
        -- as stated, else as the words say
        coalesce(
            cast(round(intervals.accelerator_memory_gb) as integer)::varchar,
            regexp_extract(lower(intervals.accelerator_published), '([0-9]+) ?gb', 1),
            ''
        ) as memory_gb
    from {{ ref('int_price__intervals') }} as intervals
    inner join {{ ref('int_price__providers') }} as providers using (source, provider_published)
),

instance_types as (
    {{ with_overrides('instance_accelerators') }}
),

gpu_names as (
    {{ with_overrides('gpu_name_accelerators') }}
),

by_type as (
    {{ best_match(
        '(select distinct provider, instance_type from types)',
        'instance_types',
        "names.provider = seed.provider and regexp_full_match(names.instance_type, seed.instance_type_regex, 'i')",
        per=['provider', 'instance_type'],
        preference=['seed.is_override desc', 'seed.instance_type_regex'],
        columns=['instance_type_regex', 'accelerator_id', 'accelerator_count', 'count_rule', 'is_override'],
        is_inner=true,
    ) }}
),

-- as published, and without words that any name may have
wordings as (
    select words, words as wording from types where words is not null
    union
    select words, trim(regexp_replace({{ without_words('words', neutral) }}, ' +', ' ', 'g')) from types where words is not null
),

forms as (
    select distinct known.pattern, known.states
    from {{ ref('accelerator_name_words') }} as known
    inner join {{ ref('stg_reference__accelerator_specs') }} as specs on contains(lower(specs.form_factor), lower(known.states))
),

-- what the type's own name states and the words beside it do not
type_forms as (
    select
        instance_type,
        accelerator_published,
        list_filter(of_type, lambda form: not list_contains(of_words, form)) as traits
    from (
        select
            *,
            {{ stated_traits(plain_words('instance_type'), 'forms') }} as of_type,
            {{ stated_traits(plain_words('accelerator_published'), 'forms') }} as of_words
        from (select distinct instance_type, accelerator_published from types) as named
    ) as stated
),

-- each wording is tried once, whoever offers it: names of the seed, and every accelerator under its own id, since
-- collected prices name accelerators by id
accelerator_words as (
    select *, false as is_id
    from ({{ matched_texts('(select distinct wording from wordings)', 'wording', 'gpu_names', 'name_regex', is_whole=true) }})
    union all by name
    select
        wordings.wording, '*' as provider, '.*' as memory_gb_regex, specs.accelerator_id, 'exact' as rule,
        false as is_override, true as is_id
    from (select distinct words as wording from wordings) as wordings
    inner join {{ ref('stg_reference__accelerator_specs') }} as specs
        on wordings.wording = regexp_replace(specs.accelerator_id, '[^a-z0-9.]+', ' ', 'g')
),

-- a part with another memory is another part, whatever the name: a fraction, a modified card, or one that is not known
words_with_memory as (
    select
        accelerator_words.*,
        wordings.words,
        wordings.words <> wording as is_shortened,
        case when not accelerator_words.is_override then specs.memory_gb end as memory_gb_of_part,
        lower(specs.form_factor) as form_of_part
    from accelerator_words
    inner join wordings using (wording)
    left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
),

by_words as (
    {{ best_match(
        '(select distinct provider, words, memory_gb from types where words is not null)',
        'words_with_memory',
        "seed.words = names.words and seed.provider in (names.provider, '*') "
        "and regexp_full_match(names.memory_gb, seed.memory_gb_regex) "
        "and coalesce(try_cast(names.memory_gb as double) / seed.memory_gb_of_part between 0.75 and 1.25, true)",
        per=['provider', 'words', 'memory_gb'],
        preference=['seed.is_override desc', 'seed.is_id desc', 'seed.is_shortened', "seed.provider = '*'", 'seed.name_regex'],
        columns=['accelerator_id', 'rule', 'is_override', 'form_of_part'],
        is_inner=true,
    ) }}
)

select
    types.provider,
    types.instance_type,
    types.accelerator_published,
    types.accelerator_memory_gb,
    case
        when {{ words_decide }} then case when {{ is_of_form }} then by_words.accelerator_id end
        when by_type.count_rule is null then {{ unmapped("coalesce(types.accelerator_published, types.instance_type)") }}
        else by_type.accelerator_id
    end as accelerator_id,
    case
        when by_type.count_rule = 'fixed' then by_type.accelerator_count
        when by_type.count_rule = 'group1'
            then try_cast(regexp_extract(types.instance_type, by_type.instance_type_regex, 1, 'i') as double)
        when by_type.count_rule = 'group1/2'
            then try_cast(regexp_extract(types.instance_type, by_type.instance_type_regex, 1, 'i') as double) / 2
    end as accelerator_count_of_type,
    case
        when {{ words_decide }} then if({{ is_of_form }}, by_words.rule, 'ambiguous')
        else coalesce(by_type.count_rule, 'unmapped')
    end as mapping_rule,
    case
        when {{ words_decide }} then 'words'
        when by_type.provider is not null then 'instance_type'
        else 'none'
    end as mapping_basis,
    by_words.accelerator_id as accelerator_id_by_words,
    coalesce(case when {{ words_decide }} then by_words.is_override else by_type.is_override end, false) as is_override,
    -- the words name another part than the type is known to hold: an SXM type sold as PCIe, say
    coalesce(by_words.accelerator_id <> by_type.accelerator_id, false) as is_contradicted
from types
left join by_type using (provider, instance_type)
left join type_forms using (instance_type, accelerator_published)
left join by_words
    on types.provider = by_words.provider and types.words = by_words.words and types.memory_gb = by_words.memory_gb
