{#- Formats named in words about the weights, each once, by the name of their family: NVFP4 and MXFP4 are fp4, uint8 is int8.
    What a submitter says about other tensors is left out: the cache of keys and values, scales of blocks, and the format
    that the weights had before. -#}
{% macro weight_format_families(words) -%}
    {%- set of_weights -%}
        regexp_replace(
            regexp_replace(lower({{ words }}), '(fp|int)[0-9]+ ?\(?-?(kv|block)[^,;+]*', '', 'g'),
            'original fp[0-9]+ weight|\((embedding|reranker)[^)]*\)', '', 'g'
        )
    {%- endset -%}
    list_distinct(list_transform(
        regexp_extract_all(
            {{ of_weights }},
            '(?:mx|nv)?fp4|f(?:p|loat)?8(?:_e[0-9]m[0-9])?|u?int8|signed 8-bit integer|bf(?:loat)?16|f(?:p|loat)16|tf32|f(?:p|loat)?32|u?int4'
        ),
        lambda word: case
            when word like '%fp4' then 'fp4'
            when word like '%int4' then 'int4'
            when word like '%int8' or word like 'signed%' then 'int8'
            when word like 'bf%' then 'bf16'
            when word = 'tf32' then 'tf32'
            when word like '%16' then 'fp16'
            when word like '%32' then 'fp32'
            else 'fp8'
        end
    ))
{%- endmacro %}
