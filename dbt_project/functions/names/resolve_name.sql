{#- The one rule for names that people write. In this order: a key or a whole name without case, spaces and marks; of an accelerator
    a published name, read to its last word by the aliases; words that only one key or name has. What is ambiguous or unknown is
    refused, with candidates. -#}
with names as (
    select
        'accelerator' as kind, d.accelerator_id as key, true as is_listed,
        unnest([d.accelerator_id, regexp_replace(d.accelerator_id, '^[a-z0-9]+-', ''), d.product_name]) as name
    from {{ ref('dim_accelerator') }} as d
    where not starts_with(d.accelerator_id, 'unmapped:') or d.accelerator_id = word
    union all
    select 'benchmark', b.benchmark_id, true, unnest([b.benchmark_id, b.benchmark_family]) from {{ ref('dim_benchmark') }} as b
    union all
    select distinct 'model', t.benchmark_id, true, unnest([t.benchmark_id, b.benchmark_family])
    from {{ ref('mart_token_throughput') }} as t
    inner join {{ ref('dim_benchmark') }} as b on t.benchmark_id = b.benchmark_id
    union all
    select 'seller', p.provider, p.n_offers > 0 and p.segment <> 'aggregate', unnest([p.provider, p.provider_name])
    from {{ ref('dim_provider') }} as p
    union all
    select 'seller', a.provider, false, a.name_published
    from {{ ref('stg_reference__cloud_provider_aliases') }} as a
    where a.source = '*'
    union all
    select distinct 'ownership scenario', o.scenario_id, true, o.scenario_id from {{ ref('mart_tco') }} as o
    union all
    select distinct 'serving model', s.model_id, true, s.model_id from {{ ref('mart_serving_frontier') }} as s
    union all
    select distinct 'pricing model', f.pricing_model, true, f.pricing_model from {{ ref('fct_price_interval') }} as f
    union all
    select distinct 'MLPerf scenario', t.scenario, true, t.scenario from {{ ref('mart_token_throughput') }} as t
    union all
    select distinct 'round', t.release, true, unnest([t.release, ltrim(t.release, 'v')])
    from {{ ref('mart_token_throughput') }} as t
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
    select a.accelerator_id as key, a.pattern
    from {{ ref('stg_reference__accelerator_aliases') }} as a
    where thing = 'accelerator' and a.platform_pattern is null and not a.is_mixed
        and regexp_matches({{ plain_words('word') }}, a.pattern, 'i')
    order by a.is_override desc, a.priority, a.pattern
    limit 1
),

understood as (
    select key
    from published
    where not regexp_matches(
        regexp_replace(
            regexp_replace({{ plain_words('word') }}, published.pattern, ' ', 'i'),
            '(?i)\b(?:' || (select string_agg(w.pattern, '|' order by w.pattern) from {{ ref('accelerator_name_words') }} as w) || ')\b', ' ', 'g'
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
        (select string_agg(key, ', ' order by likeness desc, key) from (from known order by likeness desc, key limit 4)) as near,
        (select string_agg(key, ', ' order by key) from known where is_listed) as listed
)

select
    key,
    case when lower(key) <> lower(word) then word || ' is read as ' || key || coalesce('; there is also ' || others, '') end as note,
    case
        when key is not null then null
        when meant is not null then word || ' may be ' || meant || ': name one ' || thing
        else
            'no ' || thing || ' matches "' || word || '"; near: ' || near || '; all: '
            || case when thing in ('accelerator', 'benchmark') then 'from dim_' || thing else listed end
    end as problem
from found
