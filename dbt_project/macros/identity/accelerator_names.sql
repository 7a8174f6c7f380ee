{#- Which accelerators a system has, by the words of its description. A published name is read to its last word: it is
    mapped where the aliases find one accelerator in it, seed accelerator_name_words has every other word, and the part is what
    these words state. So neither a part that no seed knows nor a second model is taken for the first: H100X-NEXT, H100 NVL144,
    B200 PCIe, H100 and Acme X9. A name that several parts have (H100) is mapped where the other fields leave one of them. -#}

{#- A text as one line of plain words: one space for any white space or underscore, no marks of trade, counts apart from
    models (72xVR200, H200x8, MI350Xx8, A100 × 8). An upper-case X belongs to the model: H100X2 is not two of anything. -#}
{% macro plain_words(words) -%}
    trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        replace(replace({{ words }}, '_', ' '), '×', ' x '),
        '\((?:R|TM|C)\)|[®™©]', ' ', 'gi'),
        '[\s\p{Z}\p{C}]+', ' ', 'g'),
        '\b((?:[0-9]{1,5}x)+)([A-Za-z])', '\1 \2', 'g'),
        '([A-Z0-9])x([0-9]{1,5})\b', '\1 x\2', 'g'))
{%- endmacro %}

{#- A text without the words of `known`. -#}
{% macro without_words(words, known) -%}
    regexp_replace(
        {{ words }}, '(?im)\b(?:' || (select string_agg(k.pattern, '|' order by k.pattern) from {{ known }} as k) || ')\b', ' ', 'g'
    )
{%- endmacro %}

{#- A text without mentions of accelerators and without the words of `known`. -#}
{% macro unknown_words(words, mentions, known) -%}
    {{ without_words("regexp_replace(" ~ words ~ ", " ~ mentions ~ ", ';', 'g')", known) }}
{%- endmacro %}

{#- The pattern of all mentions of accelerators: the aliases without `.*`. -#}
{% macro pattern_of_mentions(aliases) -%}
    (
        select '(?im)' || string_agg('(?:' || m.pattern || ')', '|' order by m.priority, m.pattern)
        from {{ aliases }} as m
        where not contains(m.pattern, '.*')
    )
{%- endmacro %}

{#- The texts that `known` has for the words of a text: what it states of the part, such as SXM. -#}
{% macro stated_traits(words, known) -%}
    (
        select coalesce(list(distinct states), [])
        from {{ known }}
        where states is not null and regexp_matches({{ words }}, '(?i)\b(?:' || pattern || ')\b')
    )
{%- endmacro %}

{#- Whether a part has all traits, or its form is not known. -#}
{% macro has_traits(traits, stated) -%}
    coalesce(len(list_filter({{ stated }}, lambda trait: not contains({{ traits }}, lower(trait)))) = 0, true)
{%- endmacro %}

{#- Capacities in GB that a text states, without those of slices such as 1g.10gb. -#}
{% macro stated_capacities(words) -%}
    regexp_extract_all(regexp_replace({{ words }}, '[0-9]g\.[0-9]+gb', '', 'gi'), '(?i)\b([0-9]{1,4}) ?G(?:i?B)?\b', 1)
{%- endmacro %}

{#- Whether a part has a capacity, within rounding. -#}
{% macro is_of_capacity(gb, memory_gb) -%}
    coalesce(abs({{ gb }}::double / {{ memory_gb }} - 1) <= {{ var('capacity_tolerance_pct') }} / 100.0, true)
{%- endmacro %}

{#- The accelerators of each described system: a query of its own.

    A name is cut before each mention, and the best alias of each piece gives its accelerator. What the platform and the name
    of the system mention counts by the mention alone, since such texts repeat a model (DGX-A100_A100-SXM-80GB): they show
    that there are several models, never which one a name means. A user's alias precedes all others for the words that it
    matches, beside any other word; what it leaves of the name may still mention another accelerator.

    systems  relation with accelerator_name_published, platform, system_name and capacities_gb (of its accelerators, by its file)
    aliases  stg_reference__accelerator_aliases
    known    seed accelerator_name_words
    specs    stg_reference__accelerator_specs

    Columns: those of `systems`, accelerator_id (of the only accelerator in the name, null where there is none or the name is
    not understood), candidates (where several remain), is_mixed, is_override. -#}
{% macro accelerators_of_systems(systems, aliases, known, specs) -%}
    {%- set on_platform = "(seed.platform_pattern is null or regexp_matches(names.platform, seed.platform_pattern, 'i'))" -%}
    with

    systems as (
        select row_number() over () as system_id, *
        from (
            select accelerator_name_published as name, platform, system_name, list_distinct(flatten(list(capacities_gb))) as capacities_gb
            from {{ systems }}
            group by all
        )
    ),

    shipped as (from {{ aliases }} where not is_override),

    of_user as (from {{ aliases }} where is_override),

    names as (
        {{ best_match(
            '(select distinct name, platform from systems where name is not null)',
            'of_user',
            "regexp_matches(names.name, seed.pattern, 'i') and " ~ on_platform,
            per=['name', 'platform'],
            preference=['seed.priority', 'seed.pattern'],
            columns=['accelerator_id', 'is_mixed as is_stated_mixed', 'pattern'],
        ) }}
    ),

    remaining as (
        select *, case when pattern is null then name else regexp_replace(name, pattern, ' ', 'gi') end as rest from names
    ),

    read_names as (select *, {{ plain_words('rest') }} as words from remaining),

    texts as (
        select distinct unnest([{{ plain_words('platform') }}, {{ plain_words('system_name') }}]) as words from systems
        union
        select words from read_names
    ),

    -- the texts with mentions of accelerators marked: line (chr(1) before and chr(2) behind each mention) and left_over (neither
    -- mentions nor known words). A mention is what an alias without `.*` matches. The patterns are one large pattern, the
    -- texts lines of one text: it is compiled once, as `matched_texts` explains.
    marked as (
        select
            unnest(words) as words,
            unnest(string_split(regexp_replace(lines, {{ pattern_of_mentions('shipped') }}, chr(1) || '\0' || chr(2), 'g'), chr(10))) as line,
            unnest(string_split({{ unknown_words('lines', pattern_of_mentions('shipped'), known) }}, chr(10))) as left_over
        from (select list(words) as words, string_agg(words, chr(10)) as lines from texts where words is not null)
    ),

    -- what stands before the first mention belongs to it
    pieces as (
        select distinct words, trim(unnest(list_concat([parts[1] || parts[2]], parts[3:])), ' ,;+&/|') as piece
        from (select words, string_split(replace(line, chr(2), ''), chr(1)) as parts from marked)
        where len(parts) > 1 and words in (select words from read_names)
    ),

    mentions as (
        select distinct words, trim(unnest(regexp_extract_all(line, '\x01([^\x02]*)\x02', 1))) as piece from marked
    ),

    named as (
        {{ matched_texts('(select piece from pieces union select piece from mentions)', 'piece', 'shipped', 'pattern') }}
    ),

    identified as (
        {{ best_match(
            '(select distinct pieces.piece, platform from read_names inner join pieces using (words))',
            'named',
            'names.piece = seed.piece and ' ~ on_platform,
            per=['piece', 'platform'],
            preference=['seed.priority', 'seed.pattern'],
            columns=['accelerator_id', 'pattern', 'candidates'],
            is_inner=true,
        ) }}
    ),

    in_names as (
        select name, platform, accelerator_id, pattern, null as candidates from read_names where accelerator_id is not null
        union all
        select names.name, names.platform, seed.accelerator_id, seed.pattern, null
        from read_names as names
        inner join of_user as seed
            on names.pattern is not null and regexp_matches(names.rest, seed.pattern, 'i') and {{ on_platform }}
        union all
        select read_names.name, read_names.platform, identified.accelerator_id, identified.pattern, identified.candidates
        from read_names
        inner join pieces using (words)
        inner join identified using (piece, platform)
    ),

    of_names as (
        select
            name, platform, any_value(accelerator_id) as accelerator_id, count(distinct accelerator_id) as n, min(pattern) as pattern,
            max(candidates) as candidates
        from in_names
        group by name, platform
    ),

    of_mentions as (
        {{ best_match(
            'mentions',
            'named',
            'names.piece = seed.piece and seed.platform_pattern is null',
            per=['words', 'piece'],
            preference=['seed.priority', 'seed.pattern'],
            columns=['accelerator_id'],
            is_inner=true,
        ) }}
    ),

    several as (select words from of_mentions group by words having count(distinct accelerator_id) > 1),

    described as (
        select
            systems.*,
            coalesce(
                read_names.is_stated_mixed or of_names.n > 1
                or {{ plain_words('systems.platform') }} in (from several)
                or {{ plain_words('systems.system_name') }} in (from several),
                false
            ) as is_mixed,
            read_names.pattern is not null as is_override,
            case
                when read_names.pattern is not null or not regexp_matches(marked.left_over, '[\p{L}\p{N}]')
                    then of_names.accelerator_id
            end as accelerator_id,
            coalesce(of_names.candidates, of_names.accelerator_id) as candidates,
            coalesce(read_names.pattern, of_names.pattern) as alias_pattern,
            read_names.words as name_words,
            {{ plain_words("concat_ws(' ', systems.platform, systems.system_name)") }} as place_words
        from systems
        left join read_names on systems.name = read_names.name and systems.platform = read_names.platform
        left join marked on read_names.words = marked.words
        left join of_names on systems.name = of_names.name and systems.platform = of_names.platform
    ),

    parts as (
        select
            accelerator_id as option,
            memory_gb,
            case when lower(form_factor) <> 'unknown' then lower(concat_ws(' ', accelerator_id, form_factor, product_name, architecture)) end
                as traits
        from {{ specs }}
    ),

    -- The parts that a name may mean: another form or capacity than the name states is another part. A number that the alias has is
    -- not the memory's (480 GB of a GH200 are its processor's).
    options as (
        select *, string_agg(traits, ' ') over (partition by system_id) as all_traits
        from (
            select stated.*, parts.memory_gb, unnested.option, if(parts.option is null, lower(unnested.option), parts.traits) as traits
            from (
                select
                    *,
                    {{ stated_traits('name_words', known) }} as name_traits,
                    {{ stated_traits("case when contains(candidates, ';') then place_words end", known) }} as place_traits
                from described
                where accelerator_id is not null and not is_override and not is_mixed
            ) as stated
            cross join unnest(string_split(stated.candidates, ';')) as unnested (option)
            left join parts on unnested.option = parts.option
        )
        where {{ has_traits('traits', 'name_traits') }}
            and len(list_filter(
                {{ stated_capacities('name_words') }},
                lambda gb: not ({{ is_of_capacity('gb', 'memory_gb') }} or contains(alias_pattern, gb))
            )) = 0
    ),

    -- those that agree with platform, name of the system and system file, as far as any of them does
    decided as (
        select system_id, string_agg(option, ';' order by option) as options
        from (
            select
                *,
                {{ has_traits('traits', 'list_filter(place_traits, lambda trait: contains(all_traits, lower(trait)))') }}
                and (of_capacity or not bool_or(of_capacity) over (partition by system_id)) as is_of_place
            from (
                select
                    *,
                    len(list_filter(
                        list_concat({{ stated_capacities('place_words') }}::double[], capacities_gb),
                        lambda gb: {{ is_of_capacity('gb', 'memory_gb') }}
                    )) > 0 as of_capacity
                from options
            )
        )
        group by system_id, is_of_place
        qualify row_number() over (partition by system_id order by is_of_place desc) = 1
    )

    select
        described.name as accelerator_name_published,
        described.platform,
        described.system_name,
        described.is_mixed,
        described.is_override,
        case
            when described.is_mixed then null
            when described.is_override then described.accelerator_id
            else parts.option
        end as accelerator_id,
        case when contains(decided.options, ';') then decided.options end as candidates
    from described
    left join decided using (system_id)
    left join parts on decided.options = parts.option
{%- endmacro %}

{#- Whether a row of int_mlperf__accelerators is of the system of a row of results. -#}
{% macro is_of_system(accelerators, results) -%}
    {{ accelerators }}.platform = {{ results }}.platform
    and {{ accelerators }}.accelerator_name_published is not distinct from {{ results }}.accelerator_name_published
    and {{ accelerators }}.system_name is not distinct from {{ results }}.system_name
{%- endmacro %}
