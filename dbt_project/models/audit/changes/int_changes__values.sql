{{ config(materialized = 'ephemeral') }}
-- One row per figure of a result, of an offer whose price is in force when the generation is built, and of a mart; and per source the
-- rows of its payloads. Of inference: the result, throughput per accelerator and power; of training score and speed; of an offer the
-- price in the unit and currency of its list. A result exists by its primary figure, which may be null; the others are listed where the
-- result has them.
with

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
    inner join {{ ref('int_inference__active') }} as words using (result_id)
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

built as (select built_at from {{ ref('stg_accelmart__build_info') }}),

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
)

select
    * exclude (result_unit),
    figure = 'result' as is_primary,
    case figure
        when 'result' then result_unit
        when 'throughput_per_accelerator' then result_unit || ' per accelerator'
        when 'power_w' then 'W'
    end as unit
from inference unpivot include nulls (value for figure in (result, throughput_per_accelerator, power_w))
where figure = 'result' or value is not null

union all by name

select
    *,
    figure = 'score_minutes' as is_primary,
    case figure when 'score_minutes' then 'min' else 'tokens/s per accelerator' end as unit
from training unpivot include nulls (value for figure in (score_minutes, trained_tokens_per_s_per_accelerator))
where figure = 'score_minutes' or value is not null

union all by name

select
    'price' as role,
    'fct_price_interval' as relation,
    'hourly_price' as figure,
    offers.offer_id as subject,
    true as is_primary,
    offers.accelerator_id, offers.variant, offers.provider, offers.instance_type, offers.region,
    offers.pricing_model, offers.source, offers.is_comparable,
    offers.source as input_scope,
    -- that it was seen again is news too: it can make a price comparable; and so is its age: a price too old stands for no seller
    md5([
        offers.price::varchar, offers.currency, offers.price_unit, offers.upfront::varchar,
        offers.term_hours::varchar, offers.accelerator_published, offers.is_seen_again::varchar, offers.overridden_by,
        aged.price_standing, (aged.days_before > {{ var('price_level_days') }})::varchar
    ]::varchar) as input_version,
    {{ hourly_price('offers.price', 'offers.upfront', 'offers.term_hours') }} as value,
    offers.currency || ' per ' || replace(offers.price_unit, '_', '-') as unit
from {{ ref('fct_price_interval') }} as offers
cross join built
left join {{ ref('int_price__current') }} as aged using (offer_id, stream)
where offers.valid_from <= built.built_at and coalesce(offers.valid_to > built.built_at, true)
qualify row_number() over (partition by offers.offer_id order by offers.last_seen_at desc, offers.stream asc) = 1

union all by name

-- the best there ever was, whatever the round
select
    'best' as role, 'mart_inference_throughput' as relation, 'best_throughput_per_accelerator' as figure,
    cell || '/' || result_unit as subject, result_unit || ' per accelerator' as unit,
    suite, division, benchmark_id, scenario, accelerator_id, variant, release,
    best_submitter as submitter, best_submission_id as submission_id,
    throughput_per_accelerator_max as value, best_result_id as held_by
from throughput
qualify row_number() over (
    partition by cell, result_unit order by throughput_per_accelerator_max desc, best_result_id asc
) = 1

union all by name
select
    'figure' as role, 'mart_inference_throughput' as relation, figure,
    concat_ws('/', release, cell, result_unit) as subject, result_unit || ' per accelerator' as unit,
    release, suite, division, benchmark_id, scenario, accelerator_id, variant, value
from throughput
unpivot include nulls (value for figure in (throughput_per_accelerator_max, throughput_per_accelerator_median))

union all by name
select
    'best' as role, 'mart_price_current' as relation, figure,
    concat_ws('/', accelerator_id, provider, pricing_model) as subject, 'USD per accelerator-hour' as unit,
    accelerator_id, provider, pricing_model, source, value,
    case figure when 'usd_per_accelerator_hour_min' then best_offer_id end as held_by
from {{ ref('mart_price_current') }}
unpivot include nulls (value for figure in (usd_per_accelerator_hour_min, usd_per_accelerator_hour_median))

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
    accelerator_id, scenario_id as variant, usd_per_accelerator_hour as value, true as depends_on_assumptions
from {{ ref('mart_tco') }}

union all by name
select 'source' as role, 'mart_source_health' as relation, 'rows' as figure, source as subject, 'rows' as unit,
    true as is_primary, source, rows::double as value, source as input_scope
from {{ ref('mart_source_health') }}
