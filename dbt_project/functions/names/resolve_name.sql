{#- The one rule for names that people write. In this order: a key or a whole name without case, spaces and marks; of an accelerator
    a published name, read to its last word by the aliases; words that only one key or name has. What is ambiguous or unknown is
    refused, with candidates. -#}
with names as (
    select
        'accelerator' as kind, accelerator_id as key, true as is_listed,
        unnest([accelerator_id, regexp_replace(accelerator_id, '^[a-z0-9]+-', ''), product_name]) as name
    from {{ ref('dim_accelerator') }}
    where not starts_with(accelerator_id, 'unmapped:') or accelerator_id = word
    union all
    select 'benchmark', benchmark_id, true, unnest([benchmark_id, benchmark_family]) from {{ ref('dim_benchmark') }}
    union all
    select distinct 'model', t.benchmark_id, true, unnest([t.benchmark_id, b.benchmark_family])
    from {{ ref('mart_token_throughput') }} as t
    inner join {{ ref('dim_benchmark') }} as b using (benchmark_id)
    union all
    select 'seller', provider, n_offers > 0 and segment <> 'aggregate', unnest([provider, provider_name])
    from {{ ref('dim_provider') }}
    union all
    select 'seller', provider, false, name_published
    from {{ ref('stg_reference__cloud_provider_aliases') }}
    where source = '*'
    union all
    select distinct 'ownership scenario', scenario_id, true, scenario_id from {{ ref('mart_tco') }}
    union all
    select distinct 'serving model', model_id, true, model_id from {{ ref('mart_serving_frontier') }}
    union all
    select distinct 'pricing model', pricing_model, true, pricing_model from {{ ref('fct_price_interval') }}
    union all
    select distinct 'MLPerf scenario', scenario, true, scenario from {{ ref('mart_token_throughput') }}
    union all
    select distinct 'round', release, true, unnest([release, ltrim(release, 'v')]) from {{ ref('mart_token_throughput') }}
),

compared as (
    select
        key, is_listed,
        {{ plain_name('name') }} as plain,
        {{ words_of('name') }} as words,
        {{ plain_name('word') }} as asked_plain,
        {{ words_of('word') }} as asked_words
    from names
    where kind = thing and name is not null
),

known as (
    select
        key,
        bool_or(plain = asked_plain) as is_named,
        len(any_value(asked_words)) > 0 and list_has_all(flatten(list(words)), any_value(asked_words)) as has_every_word,
        max(contains(plain, asked_plain)::integer + jaro_winkler_similarity(plain, asked_plain)) as likeness,
        bool_or(is_listed) as is_listed
    from compared
    group by key
),

published as (
    select accelerator_id as key, pattern
    from {{ ref('stg_reference__accelerator_aliases') }}
    where thing = 'accelerator' and platform_pattern is null and not is_mixed
        and regexp_matches({{ plain_words('word') }}, pattern, 'i')
    order by is_override desc, priority, pattern
    limit 1
),

understood as (
    select key
    from published
    where not regexp_matches(
        regexp_replace(
            regexp_replace({{ plain_words('word') }}, pattern, ' ', 'i'),
            '(?i)\b(?:' || (select string_agg(pattern, '|' order by pattern) from {{ ref('accelerator_name_words') }}) || ')\b', ' ', 'g'
        ),
        '[\p{L}\p{N}]'
    )
),

meanings as (
    select 1 as precedence, key from known where is_named
    union all
    select 2, key from understood
    union all
    select 3, key from known where has_every_word
),

meant as (select distinct key from meanings where precedence = (select min(precedence) from meanings)),

found as (
    select
        (select case when count(*) = 1 then any_value(key) end from meant) as key,
        (select {{ listed_keys() }} from meant) as meant,
        (select {{ listed_keys() }} from known where has_every_word and key not in (from meant)) as others,
        (select string_agg(key, ', ' order by likeness desc, key) from (from known order by likeness desc, key limit 6)) as near,
        (select string_agg(key, ', ' order by key) from known where is_listed) as listed
)

select
    key,
    case when lower(key) <> lower(word) then word || ' is read as ' || key || coalesce('; there is also ' || others, '') end as note,
    case
        when key is not null then null
        when meant is not null then word || ' may be ' || meant || ': name one ' || thing
        else
            'no ' || thing || ' matches "' || word || '"; ' || case
                when thing in ('accelerator', 'benchmark') then 'near: ' || near || '; all: from dim_' || thing
                else thing || 's: ' || listed
            end
    end as problem
from found
