{#- Which accelerators a system has, by the words of its description. A published name is read to its last word: it is
    mapped where the aliases find one accelerator in it and seed accelerator_name_words has every other word. So neither a
    part that no seed knows nor a second model is taken for the first: H100X-NEXT, H100 Ultra2, H100 and Acme X9. -#}

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

{#- The accelerators of each described system: a query of its own.

    A name is cut before each mention, and the best alias of each piece gives its accelerator. What the platform and the name
    of the system mention counts by the mention alone, since such texts repeat a model (DGX-A100_A100-SXM-80GB): they show
    that there are several models, never which one a name means. A user's alias precedes all others for the words that it
    matches, beside any other word; what it leaves of the name may still mention another accelerator.

    systems  relation with accelerator_name_published, platform and system_name
    aliases  stg_reference__accelerator_aliases
    known    seed accelerator_name_words

    Columns: those of `systems`, accelerator_id (of the only accelerator in the name, null where there is none or the name is
    not understood), is_mixed, is_override, alias_pattern. -#}
{% macro accelerators_of_systems(systems, aliases, known) -%}
    {%- set on_platform = "(seed.platform_pattern is null or regexp_matches(names.platform, seed.platform_pattern, 'i'))" -%}
    with

    systems as (select distinct accelerator_name_published as name, platform, system_name from {{ systems }}),

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
            unnest(string_split(lines, chr(10))) as line,
            unnest(string_split(
                regexp_replace(
                    regexp_replace(lines, '\x01[^\x02]*\x02', ';', 'g'),
                    '(?im)\b(?:' || (select string_agg(pattern, '|' order by pattern) from {{ known }}) || ')\b', ' ', 'g'
                ),
                chr(10)
            )) as left_over
        from (
            select
                list(words) as words,
                regexp_replace(
                    string_agg(words, chr(10)),
                    '(?im)' || (
                        select string_agg('(?:' || pattern || ')', '|' order by priority, pattern)
                        from shipped
                        where not contains(pattern, '.*')
                    ),
                    chr(1) || '\0' || chr(2), 'g'
                ) as lines
            from texts
                where words is not null
        )
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
            columns=['accelerator_id', 'pattern'],
            is_inner=true,
        ) }}
    ),

    in_names as (
        select name, platform, accelerator_id, pattern from read_names where accelerator_id is not null
        union all
        select names.name, names.platform, seed.accelerator_id, seed.pattern
        from read_names as names
        inner join of_user as seed
            on names.pattern is not null and regexp_matches(names.rest, seed.pattern, 'i') and {{ on_platform }}
        union all
        select read_names.name, read_names.platform, identified.accelerator_id, identified.pattern
        from read_names
        inner join pieces using (words)
        inner join identified using (piece, platform)
    ),

    of_names as (
        select name, platform, any_value(accelerator_id) as accelerator_id, count(distinct accelerator_id) as n, min(pattern) as pattern
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
            systems.name as accelerator_name_published,
            systems.platform,
            systems.system_name,
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
            coalesce(read_names.pattern, of_names.pattern) as alias_pattern
        from systems
        left join read_names on systems.name = read_names.name and systems.platform = read_names.platform
        left join marked on read_names.words = marked.words
        left join of_names on systems.name = of_names.name and systems.platform = of_names.platform
    )

    select * replace (case when not is_mixed then accelerator_id end as accelerator_id) from described
{%- endmacro %}

{#- Whether a row of int_mlperf__accelerators is of the system of a row of results. -#}
{% macro is_of_system(accelerators, results) -%}
    {{ accelerators }}.platform = {{ results }}.platform
    and {{ accelerators }}.accelerator_name_published is not distinct from {{ results }}.accelerator_name_published
    and {{ accelerators }}.system_name is not distinct from {{ results }}.system_name
{%- endmacro %}
