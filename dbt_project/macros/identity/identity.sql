{#- Identity of a source's words, one rule for accelerators, benchmarks, scenarios, submitters, units, sellers, regions and
    instance types: the best row of a reference seed (with the user's overrides, macro with_overrides) gives the key, and
    words that no row maps have the key `unmapped:<words>`. -#}

{#- Each row of `names` with `columns` of the row of `seed` that fits it best: a query of its own.

    names       relation or query with the words; called `names` in the expressions below
    seed        relation or query with the mapping; called `seed`
    condition   SQL: whether a row of the seed maps a name
    per         columns of `names` that tell one name from another
    preference  SQL expressions, the most important first: the row that sorts first wins
    columns     columns and expressions of the seed to add, as `name` or `name as other_name`
    is_inner    whether names that no row maps are left out; otherwise their columns of the seed are null -#}
{% macro best_match(names, seed, condition, per, preference, columns, is_inner=false) -%}
    select
        names.*
        {%- for column in columns %},
        seed.{{ column }}
        {%- endfor %}
    from {{ names }} as names
    {{ 'inner' if is_inner else 'left' }} join {{ seed }} as seed
        on {{ condition }}
    qualify row_number() over (
        partition by {% for column in per %}names.{{ column }}{{ ', ' if not loop.last }}{% endfor %}
        order by {{ preference | join(', ') }}
    ) = 1
{%- endmacro %}

{#- Texts with the rows of `seed` whose pattern matches them, whatever their case: a query of its own, with the text and
    the columns of the seed.

    DuckDB compiles a pattern again for every text that it is tried on, which takes far longer than to try it. So the
    texts are joined, one a line, and each pattern is tried once, for all lines that it matches. A pattern that could
    match the end of a line, and a text of several lines, are tried pair by pair.

    texts     relation or query with distinct texts
    text      its column
    seed      relation with the patterns; other columns than `text`
    pattern   its column with regular expressions
    is_whole  whether a pattern has to match the whole text; otherwise a part of it -#}
{% macro matched_texts(texts, text, seed, pattern, is_whole=false) -%}
    {%- set around = '' if is_whole else '.*' -%}
    {%- set matches = 'regexp_full_match' if is_whole else 'regexp_matches' -%}
    {%- set has_lines = "contains(" ~ text ~ ", chr(10))" -%}
    {#- negated and named classes, flags, and escapes but those of digits, letters, word ends and signs -#}
    {%- set could_match_line_end -%}
        regexp_matches(regexp_replace({{ pattern }}, '\\[dwb]', '', 'g'), '\[\^|\[:|\(\?[^:]|\\[a-zA-Z0-9]|\n')
    {%- endset -%}
    select unnest(
        regexp_extract_all(lines.{{ text }}, '(?im)^{{ around }}(?:' || seed.{{ pattern }} || '){{ around }}$')
    ) as {{ text }}, seed.*
    from (from {{ seed }} where not {{ could_match_line_end }}) as seed
    cross join (select string_agg({{ text }}, chr(10)) as {{ text }} from {{ texts }} where not {{ has_lines }}) as lines
    union all by name
    select texts.{{ text }}, seed.*
    from {{ texts }} as texts
    inner join (from {{ seed }} where {{ could_match_line_end }}) as seed
        on {{ matches }}(texts.{{ text }}, seed.{{ pattern }}, 'i')
    union all by name
    select texts.{{ text }}, seed.*
    from (from {{ texts }} where {{ has_lines }}) as texts
    inner join (from {{ seed }} where not {{ could_match_line_end }}) as seed
        on {{ matches }}(texts.{{ text }}, seed.{{ pattern }}, 'i')
{%- endmacro %}

{#- The key that a seed gives, or `unmapped:<words>`: unmapped:AMD Instinct MI455X. -#}
{% macro key_or_unmapped(key, words) -%}
    coalesce({{ key }}, {{ unmapped(words) }})
{%- endmacro %}

{#- The key of words that no seed maps. -#}
{% macro unmapped(words) -%}
    ('unmapped:' || {{ words }})
{%- endmacro %}

{#- Whether a key stands for a name that a seed maps. Null keys do not. -#}
{% macro is_mapped(key) -%}
    coalesce(not starts_with({{ key }}, 'unmapped:'), false)
{%- endmacro %}

{#- Branches of a `case`: why the words of a system's description allow no figure per accelerator. -#}
{% macro reasons_of_system() -%}
    when not is_system_described then 'no system description: accelerator and count are unknown'
            when is_name_absent and coalesce(accelerators_per_node, 0) = 0 then 'no accelerator: CPU only'
            when is_name_absent then 'accelerators are counted but not named'
            when is_mixed then 'several accelerator models in one system'
            when candidates is not null then 'several accelerators have this name'
            when not {{ is_mapped('accelerator_id') }} then 'accelerator name is not mapped'
{%- endmacro %}

{#- Branches of a `case`: why its counts allow none. -#}
{% macro reasons_of_count() -%}
    when accelerator_count_basis = 'impossible' then 'more accelerators than a cluster can have'
            when accelerator_count_basis = 'contradictory' then 'the stated accelerator counts contradict each other'
            when accelerator_count is null then 'accelerator count is unknown'
{%- endmacro %}

{#- Whether a count is beyond what a cluster can be. The stated counts stay published; no figure rests on such a count. -#}
{% macro is_impossible_count(count) -%}
    ({{ count }} > {{ var('cluster_accelerators_max') }})
{%- endmacro %}

{#- A count, or null where it is impossible. Products may exceed 64 bits: they are compared before they are cast. -#}
{% macro possible_count(count) -%}
    case when not {{ is_impossible_count(count) }} then cast({{ count }} as bigint) end
{%- endmacro %}

{#- A region or zone under the name of its region: AWS's zone ids abbreviate it (use1-az1: us-east-1-az1, usge1-az1:
    us-gov-east-1-az1, apne1-az4: ap-northeast-1-az4). Any other text stays as it is. -#}
{% macro named_zone(region) -%}
    {%- set directions = {
        'n': 'north', 'e': 'east', 's': 'south', 'w': 'west', 'c': 'central',
        'ne': 'northeast', 'nw': 'northwest', 'se': 'southeast', 'sw': 'southwest',
    } -%}
    {%- set zone_id = "'(usg|af|ap|ca|cn|eu|il|me|mx|sa|us)([nesw]|c|[ns][ew])([0-9])(-az[0-9]+)'" -%}
    case
        when regexp_full_match({{ region }}, {{ zone_id }})
            then concat_ws(
                '-',
                replace(regexp_extract({{ region }}, {{ zone_id }}, 1), 'usg', 'us-gov'),
                case regexp_extract({{ region }}, {{ zone_id }}, 2)
                    {%- for short, long in directions.items() %}
                    when '{{ short }}' then '{{ long }}'
                    {%- endfor %}
                end,
                regexp_extract({{ region }}, {{ zone_id }}, 3) || regexp_extract({{ region }}, {{ zone_id }}, 4)
            )
        else {{ region }}
    end
{%- endmacro %}

{#- Whether the region of an offer is the wanted one (% is a wildcard), a zone of it, or the region of a wanted zone. -#}
{% macro is_of_region(region, wanted) -%}
    {%- set zone = '(' ~ named_zone('lower(' ~ wanted ~ ')') ~ ')' -%}
    coalesce(
        {{ region }} ilike {{ wanted }}
        or {{ region }} ilike {{ zone }}
        or {{ region }} ilike {{ region_of_numbered_zone(zone) }}
        or {{ is_region_or_zone(region_of_numbered_zone(region), wanted) }},
        false
    )
{%- endmacro %}

{#- The region of a zone that is numbered after its region: us-east-1-az1, US-ASHBURN-1-AD-1. Any other text stays as it is. -#}
{% macro region_of_numbered_zone(zone) -%}
    regexp_replace({{ zone }}, '-(az|ad-)[0-9]+$', '', 'i')
{%- endmacro %}
