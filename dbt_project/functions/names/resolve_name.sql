{#- The one rule for names that people write. In this order: a key or a whole name without case, spaces and marks; of an accelerator
    a published name, read to its last word by the aliases (A100 is of 40 or 80 GB: both are candidates); words that only one key or name has. What is ambiguous or unknown is
    refused, with candidates. -#}
with names as (
    select
        'accelerator' as kind, d.accelerator_id as id, true as is_listed,
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
    select distinct 'ownership scenario', o.scenario_id as id, true as is_listed, o.scenario_id as name from {{ ref('mart_tco') }} as o
    union all
    select distinct 'serving model', s.model_id as id, true as is_listed, s.model_id as name from {{ ref('mart_serving_frontier') }} as s
    union all
    select distinct 'pricing model', f.pricing_model as id, true as is_listed, f.pricing_model as name from {{ ref('fct_price_interval') }} as f
    union all
    select distinct 'MLPerf scenario', t.scenario as id, true as is_listed, t.scenario as name from {{ ref('mart_token_throughput') }} as t
    union all
    select distinct 'round', t.release, true, unnest([t.release, ltrim(t.release, 'v')])
    from {{ ref('mart_token_throughput') }} as t
),

compared as (
    select
        id, is_listed,
        {{ plain_name('name') }} as compact,
        {{ words_of('name') }} as words,
        {{ plain_name('word') }} as asked_compact,
        {{ words_of('word') }} as asked_words
    from names
    where kind = thing and name is not null
),

known as (
    select
        id,
        bool_or(compact = asked_compact) as is_named,
        len(any_value(asked_words)) > 0 and list_has_all(flatten(list(words)), any_value(asked_words)) as has_every_word,
        -- MI300A and MI300X are both of an MI300: a word of the name goes on in letters alone
        len(any_value(asked_words)) > 0 and list_has_all(
            flatten(list(words)) || [rtrim(w, 'abcdefghijklmnopqrstuvwxyz') for w in flatten(list(words))], any_value(asked_words)
        ) as is_like,
        max(contains(compact, asked_compact)::integer + jaro_winkler_similarity(compact, asked_compact)) as likeness,
        bool_or(is_listed) as is_listed
    from compared
    group by id
),

published as (
    select a.accelerator_id as id, a.pattern, a.candidates
    from {{ ref('stg_reference__accelerator_aliases') }} as a
    where thing = 'accelerator' and a.platform_pattern is null and not a.is_mixed
        and regexp_matches({{ plain_words('word') }}, a.pattern, 'i')
    order by a.is_override desc, a.priority asc, a.pattern asc
    limit 1
),

candidates as (
    select d.accelerator_id as id, d.form_factor, d.memory_gb
    from published as p
    inner join {{ ref('dim_accelerator') }} as d on list_contains(string_split(p.candidates, ';'), d.accelerator_id)
),

-- a form that comes in several sizes of memory: no size of it is the usual one
open_forms as (select c.form_factor from candidates as c group by c.form_factor having count(distinct c.memory_gb) > 1),

understood as (
    select id
    from published
    where not regexp_matches(
        {{ unknown_words(
            plain_words('word'), pattern_of_mentions(ref('stg_reference__accelerator_aliases')), ref('accelerator_name_words')
        ) }},
        -- a word that is left, or a second accelerator
        '[\p{L}\p{N}]|;.*;'
    )
),

meanings as (
    select 1 as precedence, id from known where is_named
    union all
    select 2, id from understood where not exists (from open_forms)
    union all
    select 2, c.id from candidates as c where exists (from open_forms) and exists (from understood)
    union all
    select 3, id from known where has_every_word
),

meant as (select distinct id from meanings where precedence = (select min(m.precedence) from meanings as m)),

found as (
    select
        (select case when count(*) = 1 then any_value(id) end from meant) as id,
        (select {{ listed_keys() }} from meant) as meant,
        (select {{ listed_keys() }} from known where is_like and id not in (from meant)) as other_keys,
        (select string_agg(id, ', ' order by likeness desc, id asc) from (from known order by likeness desc, id asc limit 4)) as similar_keys,
        (select string_agg(id, ', ' order by id) from known where is_listed) as listed
)

select
    id,
    case when lower(id) <> lower(word) then word || ' is read as ' || id || coalesce('; there is also ' || other_keys, '') end as note,
    case
        when id is not null then null
        when thing = 'model' and word in (select b.benchmark_id from {{ ref('dim_benchmark') }} as b)
            then word || ' is not measured in output tokens: its costs are in mart_task_cost, and in alternatives of an accelerator'
        when meant is not null then word || ' may be ' || meant || ': name one ' || thing
        else
            'no ' || thing || ' matches "' || word || '"; near: ' || similar_keys || '; all: '
            || case when thing in ('accelerator', 'benchmark') then 'from dim_' || thing else listed end
    end as problem
from found
