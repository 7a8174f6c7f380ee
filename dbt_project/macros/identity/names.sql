{#- Names as people write them (`resolve_name`). -#}

{#- A name without what people write in several ways: case, spaces, hyphens, dots. -#}
{% macro plain_name(name) -%}
    regexp_replace(lower({{ name }}), '[^\p{L}\p{N}]', '', 'g')
{%- endmacro %}

{#- The words of a name, in small letters. -#}
{% macro words_of(name) -%}
    regexp_extract_all(lower({{ name }}), '[\p{L}\p{N}]+')
{%- endmacro %}

{#- The key that a word stands for. One that stands for none or several is an error: an empty answer would look like "there is no
    result". -#}
{% macro key_or_error(thing) -%}
    case
        when word is not null
            then (
                select case when found.problem is null then found.id else error(cast(found.problem as varchar)) end
                from {{ function('resolve_name') }}('{{ thing }}', cast(word as varchar)) as found
            )
    end
{%- endmacro %}

{#- A number and what it counts, in words: 1 seller, 2 sellers. -#}
{% macro counted(number, noun) -%}
    {{ number }} || case {{ number }} when 1 then ' {{ noun }}' else ' {{ noun }}s' end
{%- endmacro %}

{#- The first keys in order, and how many more there are. -#}
{% macro listed_keys(shown=8) -%}
    array_to_string(list(id order by id)[:{{ shown }}], ', ')
    || case when count(*) > {{ shown }} then ' and ' || count(*) - {{ shown }} || ' more' else '' end
{%- endmacro %}
