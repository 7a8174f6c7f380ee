{{ config(materialized = 'ephemeral') }}
-- One row per figure of a result, and per offer whose price is in force when the generation is built. Of inference: the result,
-- throughput per accelerator and power; of training score and speed; of an offer the price in the unit and currency of its list. A
-- result exists by its primary figure, which may be null; the others are listed where the result has them.
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

built as (select built_at from {{ ref('ops_generation') }})

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
    -- that it was seen again is news too: it can make a price comparable
    md5([
        offers.price::varchar, offers.currency, offers.price_unit, offers.upfront::varchar,
        offers.term_hours::varchar, offers.accelerator_published, offers.is_seen_again::varchar, offers.overridden_by
    ]::varchar) as input_version,
    {{ hourly_price('offers.price', 'offers.upfront', 'offers.term_hours') }} as value,
    offers.currency || ' per ' || replace(offers.price_unit, '_', '-') as unit
from {{ ref('fct_price_interval') }} as offers
cross join built
where offers.valid_from <= built.built_at and coalesce(offers.valid_to > built.built_at, true)
qualify row_number() over (partition by offers.offer_id order by offers.last_seen_at desc, offers.stream asc) = 1
