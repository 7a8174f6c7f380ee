-- Every figure that generations are compared by, one row each, in one form. The next build reads it from the published
-- file. `input_version` hashes the source's own words behind a row: a figure that moves while they stay was moved by us.
with

built as (select built_at from {{ ref('ops_generation') }}),

inference as (
    select
        'result' as role,
        'fct_inference_result' as relation,
        facts.result_id as subject,
        facts.release, facts.suite, facts.division, facts.submitter, facts.submission_id, facts.benchmark_id,
        facts.scenario, facts.accelerator_id, facts.variant,
        words.source,
        'inference/' || facts.release as input_scope,
        md5([
            words.result_published, words.result_unit_published, words.power_published::varchar,
            words.power_unit_published, words.accelerator_name_published, words.number_of_nodes::varchar,
            words.accelerators_per_node_published, words.total_accelerators_published::varchar, words.availability,
            words.system_name, words.model_published, words.suite_published, words.tokens_per_sample::varchar,
            facts.overridden_by
        ]::varchar) as input_version,
        facts.result, facts.result_unit, facts.throughput_per_accelerator, facts.power_w
    from {{ ref('fct_inference_result') }} as facts
    inner join {{ ref('int_inference__in_force') }} as words using (result_id)
),

training as (
    select
        'result' as role,
        'fct_training_result' as relation,
        result_id as subject,
        release, division, submitter, benchmark_id, accelerator_id,
        'training/' || release as input_scope,
        -- a score is worked out from hundreds of log lines: what stands for them is the payload
        payload_sha256 as input_version,
        score_minutes, trained_tokens_per_s_per_accelerator
    from {{ ref('fct_training_result') }}
),

offers as (
    select
        'price' as role,
        'fct_price_interval' as relation,
        offers.offer_id as subject,
        offers.accelerator_id, offers.variant, offers.provider, offers.instance_type, offers.region,
        offers.pricing_model, offers.source, offers.is_comparable,
        offers.source as input_scope,
        -- that it was seen again is news too: it can make a price comparable
        md5([
            offers.price::varchar, offers.currency, offers.price_unit, offers.upfront::varchar,
            offers.term_hours::varchar, offers.accelerator_published, offers.is_seen_again::varchar, offers.overridden_by
        ]::varchar) as input_version,
        {{ hourly_price('offers.price', 'offers.upfront', 'offers.term_hours') }} as hourly_price,
        offers.currency || ' per ' || replace(offers.price_unit, '_', '-') as unit
    from {{ ref('fct_price_interval') }} as offers
    cross join built
    where offers.valid_from <= built.built_at and coalesce(offers.valid_to > built.built_at, true)
    qualify row_number() over (partition by offers.offer_id order by offers.last_seen_at desc, offers.stream) = 1
),

throughput as (
    select
        *,
        concat_ws(
            '/', suite, division, benchmark_id, scenario, accelerator_id, variant, nullif(availability, 'available'),
            'version ' || nullif(benchmark_version, 1)
        ) as cell
    from {{ ref('mart_inference_throughput') }}
),

costs as (
    select *
    from {{ ref('mart_cost_per_mtok') }}
    where is_representative
    qualify row_number() over (
        partition by benchmark_id, scenario, accelerator_id, pricing_model order by usd_per_output_mtok, provider, offer_id
    ) = 1
),

polls as (
    select source, md5(concat_ws('/', count(*), max(polled_at))) as version
    from {{ ref('stg_prices__polls') }}
    group by source
),

payloads as (
    select
        {{ input_scope('source', 'release') }} as subject,
        min(source) as source,
        md5(string_agg(distinct payload_sha256, '/' order by payload_sha256)) as version
    from {{ ref('ops_reconciliation') }}
    group by all
),

own_assumptions as (
    select md5(coalesce(string_agg(overrides::varchar, '/' order by overrides::varchar), '')) as version
    from {{ ref('stg_tco__overrides') }} as overrides
)

select * exclude (result, result_unit, throughput_per_accelerator, power_w), 'result' as figure, true as is_primary,
    result as value, result_unit as unit
from inference

union all by name
select * exclude (result, result_unit, throughput_per_accelerator, power_w), 'throughput_per_accelerator' as figure,
    false as is_primary, throughput_per_accelerator as value, result_unit || ' per accelerator' as unit
from inference
where throughput_per_accelerator is not null

union all by name
select * exclude (result, result_unit, throughput_per_accelerator, power_w), 'power_w' as figure, false as is_primary,
    power_w as value, 'W' as unit
from inference
where power_w is not null

union all by name
select * exclude (score_minutes, trained_tokens_per_s_per_accelerator), 'score_minutes' as figure, true as is_primary,
    score_minutes as value, 'min' as unit
from training

union all by name
select * exclude (score_minutes, trained_tokens_per_s_per_accelerator),
    'trained_tokens_per_s_per_accelerator' as figure, false as is_primary,
    trained_tokens_per_s_per_accelerator as value, 'tokens/s per accelerator' as unit
from training
where trained_tokens_per_s_per_accelerator is not null

union all by name
select * exclude (hourly_price, is_comparable), 'hourly_price' as figure, true as is_primary, hourly_price as value
from offers

-- the best there ever was, whatever the round
union all by name
select
    'best' as role, 'mart_inference_throughput' as relation, 'best_throughput_per_accelerator' as figure,
    cell || '/' || result_unit as subject, result_unit || ' per accelerator' as unit,
    suite, division, benchmark_id, scenario, accelerator_id, variant, release,
    best_submitter as submitter, best_submission_id as submission_id,
    throughput_per_accelerator_max as value, best_result_id as held_by
from throughput
qualify row_number() over (
    partition by cell, result_unit order by throughput_per_accelerator_max desc, best_result_id
) = 1

{% for column in ['throughput_per_accelerator_max', 'throughput_per_accelerator_median'] %}
union all by name
select
    'figure' as role, 'mart_inference_throughput' as relation, '{{ column }}' as figure,
    concat_ws('/', release, cell, result_unit) as subject, result_unit || ' per accelerator' as unit,
    release, suite, division, benchmark_id, scenario, accelerator_id, variant, {{ column }} as value
from throughput
{% endfor %}

{% for column in ['usd_per_accelerator_hour_min', 'usd_per_accelerator_hour_median'] %}
union all by name
select
    'best' as role, 'mart_price_current' as relation, '{{ column }}' as figure,
    concat_ws('/', accelerator_id, provider, pricing_model) as subject, 'USD per accelerator-hour' as unit,
    accelerator_id, provider, pricing_model, source, {{ column }} as value,
    {{ 'best_offer_id' if loop.first else 'null' }} as held_by
from {{ ref('mart_price_current') }}
{% endfor %}

union all by name
select
    'best' as role, 'mart_cost_per_mtok' as relation, 'usd_per_output_mtok' as figure,
    concat_ws('/', benchmark_id, scenario, accelerator_id, pricing_model) as subject,
    'USD per million output tokens' as unit,
    benchmark_id, scenario, accelerator_id, pricing_model, provider, instance_type, region, release,
    usd_per_output_mtok as value, offer_id as held_by
from costs

union all by name
select
    'figure' as role, 'mart_training_efficiency' as relation, 'score_minutes_min' as figure,
    concat_ws('/', release, division, benchmark_id, accelerator_id, accelerator_count,
        coalesce(number_format, number_format_basis), nullif(availability, 'available')) as subject, 'min' as unit,
    release, division, benchmark_id, accelerator_id, score_minutes_min as value, best_result_id as held_by
from {{ ref('mart_training_efficiency') }}

union all by name
select
    'figure' as role, 'mart_energy' as relation, 'j_per_output_token_' || power_basis as figure, energy_id as subject, 'J/token' as unit,
    release, suite, division, submitter, submission_id, benchmark_id, scenario, accelerator_id, variant,
    coalesce(j_per_output_token_measured, j_per_output_token_modelled) as value
from {{ ref('mart_energy') }}
where coalesce(j_per_output_token_measured, j_per_output_token_modelled) is not null

union all by name
select
    'figure' as role, 'mart_tco' as relation, 'usd_per_accelerator_hour' as figure,
    concat_ws('/', scenario_id, accelerator_id, capex_basis, price_level) as subject, 'USD per accelerator-hour' as unit,
    accelerator_id, scenario_id as variant, usd_per_accelerator_hour as value,
    own_assumptions.version as input_version
from {{ ref('mart_tco') }}
cross join own_assumptions

union all by name
select 'source' as role, 'mart_source_health' as relation, 'rows' as figure, source as subject, 'rows' as unit,
    true as is_primary, source, rows::double as value, source as input_scope
from {{ ref('mart_source_health') }}

-- what is only counted
{% for fact in ['fct_inference_result', 'fct_training_result'] %}
union all by name
select 'count' as role, '{{ fact }}' as relation, 'rows_of_release' as figure, release as subject, 'rows' as unit,
    release, count(*)::double as value
from {{ ref(fact) }}
group by release
{% endfor %}

union all by name
select 'count' as role, 'fct_price_interval' as relation, 'offers_in_force' as figure, provider as subject,
    'offers' as unit, provider, count(*)::double as value
from offers
where provider is not null
group by provider

union all by name
select 'count' as role, 'fct_price_interval' as relation, 'comparable_offers_in_force' as figure, provider as subject,
    'offers' as unit, provider, count(*)::double as value
from offers
where is_comparable
group by provider

{% for relation, is_users in counted_relations().items() %}
union all by name
select 'count' as role, '{{ relation }}' as relation, 'rows' as figure, '{{ relation }}' as subject, 'rows' as unit,
    count(*)::double as value{% if is_users %}, (select version from own_assumptions) as input_version{% endif %}

from {{ ref(relation) }}
{% endfor %}

-- which payloads, and which polls of price lists, a generation was made of
union all by name
select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, payloads.subject,
    payloads.source, null::double as value, coalesce(polls.version, payloads.version) as input_version
from payloads
left join polls using (source)

-- and which override files of the user
union all by name
select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, 'overrides' as subject,
    null::double as value, coalesce(md5(string_agg(seed || record::varchar, ',' order by seed, record::varchar)), '') as input_version
from {{ ref('stg_accelmart__overrides') }}

-- the figures of one subject beside each other: their words are alike, and take a third of the space
order by subject, figure
