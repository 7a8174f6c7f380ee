{#- Comparable prices in force at a moment, of sellers that one can buy from. -#}
{% macro prices_in_force(offers, providers, at) -%}
    -- once, in a table of one row: DuckDB plans an expression again wherever it is written
    with moments as (
        select {{ at }} as moment
    ),

    offers as (
        select offers.*, providers.segment, moments.moment, least(offers.last_seen_at, moments.moment) as seen_at
        from {{ offers }} as offers
        inner join {{ providers }} as providers using (provider)
        cross join moments
        where offers.is_comparable
            and providers.segment <> 'aggregate'
            and offers.valid_from <= moments.moment
            and (offers.valid_to is null or offers.valid_to > moments.moment)
    )

    select
        offers.* exclude (moment, seen_at),
        cast(offers.moment as date) as price_as_of,
        date_diff('day', cast(offers.seen_at as date), cast(offers.moment as date)) as days_before,
        {{ price_standing('offers.observed_precision', 'offers.seen_at', 'offers.moment') }} as price_standing
    from offers
{%- endmacro %}

{#- Day of the newest comparable price in the file: the day that macros read prices of unless they get another one. -#}
{% macro create_newest_price_day() -%}
    create or replace macro main.newest_price_day() as (
        select cast({{ newest_price_at('fct_price_interval', 'now()') }} as date)
    )
{%- endmacro %}

{#- Days after which a price is no longer current. -#}
{% macro create_price_current_days() -%}
    create or replace macro main.price_current_days() as ({{ var('price_current_days') }})
{%- endmacro %}

{#- mart_cost_headline with the prices of a day, for the rounds published by then. -#}
{% macro create_cost_headline() -%}
    create or replace macro main.cost_headline(as_of := null) as table (
        with offers as (
            select o.* from price_on(coalesce(cast(as_of as date), newest_price_day())) as o
        ),

        throughput as (
            select t.*
            from mart_token_throughput as t
            left join dim_release as r on r.suite_kind = 'inference' and t.release = r.release
            where as_of is null or cast(r.published_on as date) <= cast(as_of as date)
                -- a round of an unknown day is newer than the newest one with a day
                or (r.published_on is null and cast(as_of as date) >= newest_price_day())
        ),

        costs as ({{ token_costs('throughput', 'offers', 'dim_accelerator') }})

        {{ cost_headlines('throughput', 'costs') | replace('with keys as', ', keys as') }}
    )
{%- endmacro %}

{#- Questions people ask again and again, as macros in the published file. -#}
{% macro create_price_on() -%}
    create or replace macro main.price_on(day) as table (
        {{ prices_in_force('fct_price_interval', 'dim_provider', "(cast(day as timestamptz) + interval 1 day - interval 1 microsecond)") }}
    )
{%- endmacro %}

{% macro create_usd_per_output_mtok() -%}
    create or replace macro main.usd_per_output_mtok(usd_per_accelerator_hour, output_tokens_per_s_per_accelerator) as (
        {{ usd_per_output_mtok('usd_per_accelerator_hour', 'output_tokens_per_s_per_accelerator') }}
    )
{%- endmacro %}

{#- Words beside a cost: prices of fewer accelerators than were measured. -#}
{% macro create_size_note() -%}
    create or replace macro main.size_note(sizes, measured) as (
        {{ size_note('sizes', 'measured') }}
    )
{%- endmacro %}

{#- Keys people type. One that nothing bears is an error with what may be meant: an empty answer would look like "there
    is no result". -#}
{% macro create_key(name, relation, column, thing) -%}
    create or replace macro main.{{ name }}(word) as (
        case
            when exists (from {{ relation }} as known where known.{{ column }} = word) then word
            else error(
                'there is no {{ thing }} ' || word || '. Near: ' || (
                    select string_agg(near.id, ', ' order by near.likeness desc, near.id)
                    from (
                        select
                            known.{{ column }} as id,
                            contains(known.{{ column }}, lower(word))::integer
                            + jaro_winkler_similarity(known.{{ column }}, lower(word)) as likeness
                        from (select distinct {{ column }} from {{ relation }}) as known
                        order by likeness desc, id
                        limit 6
                    ) as near
                ) || '. All: from {{ relation }}'
            )
        end
    );
{%- endmacro %}

{% macro create_keys() -%}
    {{ create_key('accelerator_named', 'dim_accelerator', 'accelerator_id', 'accelerator') }}
    {{ create_key('benchmark_named', 'dim_benchmark', 'benchmark_id', 'benchmark') }}
    {{ create_key('ownership_scenario_named', 'mart_tco', 'scenario_id', 'ownership scenario') }}
{%- endmacro %}

{#- The best measured result of each accelerator: closed, datacenter, plain systems, of all rounds together or of one. -#}
{% macro create_best_result() -%}
    create or replace macro main.best_result(model, scenario, accelerator := null, release := null) as table (
        select
            t.accelerator_id,
            t.release,
            t.throughput_per_accelerator_max as throughput_per_accelerator,
            t.result_unit,
            t.throughput_per_accelerator_median,
            t.n_results,
            t.is_round_incomplete,
            t.best_submitter as submitter,
            t.best_system_name as system_name,
            t.best_availability as availability,
            t.best_submission_id as submission_id,
            t.best_source_url as source_url,
            t.best_result_id as result_id
        from mart_inference_throughput as t
        where t.benchmark_id = benchmark_named(model)
            and t.scenario = scenario
            and t.division = 'closed'
            and t.suite = 'datacenter'
            and t.variant = 'standard'
            and t.throughput_per_accelerator_max is not null
            and (accelerator is null or t.accelerator_id = accelerator_named(accelerator))
            and (release is null or t.release = release)
        qualify row_number() over (
            partition by t.accelerator_id, t.result_unit
            order by t.throughput_per_accelerator_max desc, {{ release_number('t.release') }} desc
        ) = 1
        order by t.result_unit, t.throughput_per_accelerator_max desc, t.accelerator_id
    )
{%- endmacro %}

{#- What a million output tokens cost: the best measured throughput of each accelerator and the cheapest offer of each
    seller and pricing model in force on a day, by default that of the newest price. Offers that rank stand first.
    `accelmart rank` reads it. -#}
{% macro create_cost_per_mtok() -%}
    create or replace macro main.cost_per_mtok(
        model, scenario, pricing := null, provider := null, region := null, release := null, day := null, as_of := null
    ) as table (
        with throughput as (
            select t.*
            from mart_token_throughput as t
            where t.benchmark_id = benchmark_named(model)
                and t.scenario = scenario
                and (t.release = release or (release is null and t.is_latest_of_accelerator))
        ),

        offers as (
            select o.*
            from price_on(coalesce(cast(as_of as date), cast(day as date), newest_price_day())) as o
            where (pricing is null or o.pricing_model = pricing)
                and (provider is null or o.provider = provider)
                and (region is null or o.region ilike region or o.country = upper(region))
        ),

        costs as ({{ token_costs('throughput', 'offers', 'dim_accelerator') }})

        select
            c.usd_per_output_mtok,
            c.accelerator_id,
            c.provider,
            c.pricing_model,
            c.usd_per_accelerator_hour,
            c.output_tokens_per_s_per_accelerator,
            c.instance_type,
            c.region,
            c.country,
            least(cast(c.price_observed_at as date), c.price_as_of) as price_seen_on,
            c.price_observed_precision as price_date_precision,
            c.release,
            c.is_round_incomplete,
            c.submission_id,
            c.submitter,
            c.system_name,
            c.offer_id,
            c.price_source,
            c.price_source_url,
            c.number_format,
            c.price_as_of,
            c.price_standing,
            c.fit,
            c.is_smaller_than_measured,
            c.is_unusual,
            c.rank_reason,
            c.instance_accelerator_count,
            c.result_accelerator_count,
            c.size_note
        from costs as c
        order by c.rank_reason is not null, c.usd_per_output_mtok, c.accelerator_id, c.provider, c.pricing_model
    )
{%- endmacro %}

{#- Ownership cost of an accelerator, with any of its assumptions replaced. -#}
{% macro create_tco() -%}
    create or replace macro main.tco(
        accelerator, scenario := null, price_level := null, capex_usd := null, it_power_w := null
        {%- for parameter in tco_parameters() %}, {{ parameter }} := null{% endfor %}
    ) as table (
        with assumed as (
            select
                m.accelerator_id,
                m.scenario_id,
                case when capex_usd is null then m.price_level end as level_of_capex,
                cast(coalesce(capex_usd, m.capex_usd_per_accelerator) as double) as capex_usd_per_accelerator,
                cast(coalesce(it_power_w, m.it_power_w) as double) as it_w,
                {% for parameter in tco_parameters() -%}
                cast(coalesce({{ parameter }}, m.{{ parameter }}) as double) as {{ parameter }},
                {% endfor -%}
                m.capex_basis,
                m.capex_as_of,
                m.capex_source
            from mart_tco as m
            where m.accelerator_id = accelerator_named(accelerator)
                and (scenario is null or m.scenario_id = ownership_scenario_named(scenario))
                and case
                    when price_level is null then m.is_newest_level
                    else m.price_level = price_level
                end
        ),

        costs as (
            select
                s.*,
                {{ tco_usd_per_accelerator_hour('s.capex_usd_per_accelerator', 's.it_w', 's') }} as usd_per_accelerator_hour
            from assumed as s
        )

        select
            s.accelerator_id,
            s.scenario_id,
            s.level_of_capex as price_level,
            s.usd_per_accelerator_hour,
            {{ tco_capital_usd_per_h('s.capex_usd_per_accelerator', 's.cost_of_capital_pct', 's.depreciation_years') }}
                as capital_usd_per_accelerator_hour,
            {{ tco_electricity_usd_per_h('s.it_w', 's.pue', 's.electricity_usd_per_kwh') }}
                as electricity_usd_per_accelerator_hour,
            {{ tco_colocation_usd_per_h('s.it_w', 's.colocation_usd_per_kw_month') }} as colocation_usd_per_accelerator_hour,
            {{ tco_maintenance_usd_per_h('s.capex_usd_per_accelerator', 's.maintenance_pct_of_capex_per_year') }}
                as maintenance_usd_per_accelerator_hour,
            {{ tco_staff_usd_per_h('s.staff_usd_per_accelerator_year') }} as staff_usd_per_accelerator_hour,
            s.usd_per_accelerator_hour * (1 - s.availability_pct / 100) as unavailability_usd_per_accelerator_hour,
            s.usd_per_accelerator_hour / (s.utilisation_pct / 100) as usd_per_utilised_accelerator_hour,
            s.usd_per_accelerator_hour / (s.utilisation_pct / 100) / (s.goodput_pct / 100) as usd_per_useful_accelerator_hour,
            s.capex_usd_per_accelerator,
            s.it_w as it_power_w,
            {% for parameter in tco_parameters() %}s.{{ parameter }},
            {% endfor -%}
            s.capex_basis,
            s.capex_as_of,
            s.capex_source
        from costs as s
        order by s.usd_per_accelerator_hour, s.scenario_id
    )
{%- endmacro %}

{#- Two accelerators side by side, topic by topic: only what both have, in the latest round in which both stand. -#}
{% macro create_compare() -%}
    create or replace macro main.compare(a, b) as table (
        with named as (select accelerator_named(a) as id_a, accelerator_named(b) as id_b),

        specs as (
            select
                1 as topic_order,
                'specification' as topic,
                s.attribute as item,
                s.unit,
                cast(null as varchar) as release,
                s.curated_value as value,
                s.accelerator_id,
                cast(null as varchar) as evidence
            from mart_spec_agreement as s
            where s.curated_value is not null
        ),

        spec_rows as (
            select
                x.topic_order, x.topic, x.item, x.unit, x.release,
                x.value as value_a, y.value as value_b, x.evidence as evidence_a, y.evidence as evidence_b
            from named as n
            inner join specs as x on n.id_a = x.accelerator_id
            inner join specs as y on n.id_b = y.accelerator_id and x.item = y.item
        ),

        throughput_rows as (
            select
                case p.suite_kind when 'inference' then 2 else 3 end as topic_order,
                p.suite_kind as topic,
                p.benchmark_id || coalesce(' ' || p.scenario, '') as item,
                p.result_unit || ' per accelerator' as unit,
                p.release,
                p.throughput_per_accelerator as value_a,
                p.baseline_throughput_per_accelerator as value_b,
                p.result_id as evidence_a,
                p.baseline_result_id as evidence_b
            from named as n
            inner join intermediate.int_tco__throughput_pairs as p
                on n.id_a = p.accelerator_id and n.id_b = p.baseline_accelerator_id
            qualify row_number() over (
                partition by p.suite_kind, p.benchmark_id, p.scenario, p.result_unit
                order by {{ release_number('p.release') }} desc
            ) = 1
        ),

        token_costs as (
            select c.*
            from mart_cost_per_mtok as c
            where c.pricing_model = 'on_demand' and c.rank_reason is null and c.fit = 'fits'
            qualify row_number() over (
                partition by c.benchmark_id, c.scenario, c.release, c.accelerator_id
                order by c.usd_per_output_mtok, c.offer_id
            ) = 1
        ),

        token_cost_rows as (
            select
                4 as topic_order,
                'rented, on demand' as topic,
                x.benchmark_id || ' ' || x.scenario as item,
                'USD/Mtok' as unit,
                x.release,
                x.usd_per_output_mtok as value_a,
                y.usd_per_output_mtok as value_b,
                x.offer_id || ' ' || x.result_id as evidence_a,
                y.offer_id || ' ' || y.result_id as evidence_b,
                x.size_note as size_note_a,
                y.size_note as size_note_b
            from named as n
            inner join token_costs as x on n.id_a = x.accelerator_id
            inner join token_costs as y
                on n.id_b = y.accelerator_id
                and x.benchmark_id = y.benchmark_id and x.scenario = y.scenario and x.release = y.release
            qualify row_number() over (
                partition by x.benchmark_id, x.scenario order by {{ release_number('x.release') }} desc
            ) = 1
        ),

        prices as (
            select
                p.accelerator_id,
                p.pricing_model,
                min(p.usd_per_accelerator_hour_min) as cheapest,
                arg_min(p.best_offer_id, (p.usd_per_accelerator_hour_min, p.best_offer_id)) as offer_id
            from mart_price_current as p
            where p.rank_reason is null
            group by p.accelerator_id, p.pricing_model
        ),

        price_rows as (
            select
                5 as topic_order,
                'rent' as topic,
                x.pricing_model || ', cheapest seller' as item,
                'USD per accelerator-hour' as unit,
                cast(null as varchar) as release,
                x.cheapest as value_a,
                y.cheapest as value_b,
                x.offer_id as evidence_a,
                y.offer_id as evidence_b
            from named as n
            inner join prices as x on n.id_a = x.accelerator_id
            inner join prices as y on n.id_b = y.accelerator_id and x.pricing_model = y.pricing_model
        ),

        ownership_rows as (
            select
                6 as topic_order,
                'ownership' as topic,
                c.scenario_id || ', prices of ' || coalesce(c.tco_price_level, 'your own') as item,
                'USD per accelerator-hour' as unit,
                cast(null as varchar) as release,
                c.usd_per_accelerator_hour as value_a,
                c.baseline_usd_per_accelerator_hour as value_b,
                c.tco_ratio_basis as evidence_a,
                c.tco_ratio_basis as evidence_b
            from named as n
            inner join intermediate.int_tco__cost_pairs as c
                on n.id_a = c.accelerator_id and n.id_b = c.baseline_accelerator_id
            where c.tco_ratio is not null
        ),

        energy as (
            select
                e.power_basis,
                e.benchmark_id,
                e.scenario,
                e.release,
                e.accelerator_id,
                min(coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled)) as joules,
                arg_min(
                    e.result_id, (coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled), e.result_id)
                ) as result_id
            from mart_energy as e
            where e.suite_kind = 'inference' and e.division = 'closed' and e.suite = 'datacenter' and e.variant = 'standard'
                and e.is_derived is not true
                and coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled) is not null
            group by e.power_basis, e.benchmark_id, e.scenario, e.release, e.accelerator_id
        ),

        energy_rows as (
            select
                7 as topic_order,
                'energy, ' || x.power_basis as topic,
                x.benchmark_id || ' ' || x.scenario as item,
                'J per output token, with PUE' as unit,
                x.release,
                x.joules as value_a,
                y.joules as value_b,
                x.result_id as evidence_a,
                y.result_id as evidence_b
            from named as n
            inner join energy as x on n.id_a = x.accelerator_id
            inner join energy as y
                on n.id_b = y.accelerator_id and x.power_basis = y.power_basis and x.benchmark_id = y.benchmark_id
                and x.scenario = y.scenario and x.release = y.release
            qualify row_number() over (
                partition by x.power_basis, x.benchmark_id, x.scenario order by {{ release_number('x.release') }} desc
            ) = 1
        ),

        side_by_side as (
            from spec_rows
            union all by name from throughput_rows
            union all by name from token_cost_rows
            union all by name from price_rows
            union all by name from ownership_rows
            union all by name from energy_rows
        )

        select
            r.topic,
            r.item,
            r.unit,
            r.release,
            r.topic <> 'training' and coalesce(r.release in (
                select d.release from dim_release as d where d.suite_kind = 'inference' and d.is_incomplete
            ), false) as is_round_incomplete,
            r.value_a,
            r.value_b,
            r.value_a / nullif(r.value_b, 0) as a_to_b,
            r.evidence_a,
            r.evidence_b,
            r.size_note_a,
            r.size_note_b
        from side_by_side as r
        order by r.topic_order, r.topic, r.item, r.unit
    )
{%- endmacro %}

{#- The columns of a public relation as their comments tell them: DESCRIBE itself shows no comments. -#}
{% macro create_columns_of() -%}
    create or replace macro main.columns_of(relation) as table (
        select
            c.column_name,
            c.data_type,
            nullif(regexp_extract(c.comment, '^\[([^\]]+)\] ', 1), '') as unit,
            regexp_replace(c.comment, '^\[[^\]]+\] ', '') as description
        from duckdb_columns() as c
        where c.schema_name = 'main' and c.table_name = relation and c.database_name = current_database()
        order by c.column_index
    )
{%- endmacro %}
