{#- Comparable prices in force at a moment, of sellers that one can buy from. -#}
{% macro prices_in_force(offers, providers, at) -%}
    -- once, in a table of one row: DuckDB plans an expression again wherever it is written
    with moments as (
        select {{ at }} as moment
    ),

    offers as (
        select
            offers.*,
            providers.segment,
            {{ seller_vote('offers.provider', 'providers.resells') }} as vote,
            moments.moment,
            least(offers.last_seen_at, moments.moment) as seen_at
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

{#- mart_token_throughput with the rule of which result stands for an accelerator applied to one round, or to the rounds
    published by a day. -#}
{% macro create_token_throughput() -%}
    create or replace macro main.token_throughput(model := null, scenario := null, release := null, as_of := null) as table (
        with measured as (
            select m.* exclude (
                is_best_of_accelerator, is_representative, newest_release, newest_release_median, newest_release_n_results
            )
            from mart_token_throughput as m
            left join dim_release as r on r.suite_kind = 'inference' and m.release = r.release
            where (model is null or m.benchmark_id = benchmark_named(model))
                and (scenario is null or m.scenario = scenario)
                and (release is null or m.release = release)
                and {{ is_round_published('r', 'as_of') }}
        )

        {{ token_throughput_judged('measured') }}
    )
{%- endmacro %}

{#- mart_cost_headline with the prices of a day, for the rounds published by then, or for one round. -#}
{% macro create_cost_headline() -%}
    create or replace macro main.cost_headline(as_of := null, release := null) as table (
        with offers as (
            select o.* from price_on(coalesce(cast(as_of as date), newest_price_day())) as o
        ),

        throughput as (
            from token_throughput(release := release, as_of := as_of)
        ),

        costs as ({{ token_costs('throughput', 'offers', 'dim_accelerator') }}),

        levels as (
            {{ levels_on('mart_rental_price_level', 'coalesce(cast(as_of as date), newest_price_day())') }}
        )

        {{ cost_headlines('throughput', 'costs', 'levels') | replace('with keys as', ', keys as') }}
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

{#- The result that stands for each accelerator, or the best of one round: closed, datacenter, plain systems. Accelerators
    without an available one come last: with the reason alone, or, where a round is asked for, with their other result. -#}
{% macro create_best_result() -%}
    create or replace macro main.best_result(model, scenario, accelerator := null, release := null) as table (
        with measured as (
            select t.*, t.best_result_id as result_id
            from mart_inference_throughput as t
            where t.benchmark_id = benchmark_named(model)
                and t.scenario = scenario
                and t.division = 'closed'
                and t.suite = 'datacenter'
                and t.variant = 'standard'
                and t.throughput_per_accelerator_max is not null
                and (release is null or t.release = release)
        ),

        best as (
            select
                m.*,
                case
                    when release is null and m.apart_reason is not null
                        then format(
                            'no available result; {} in {}: {:.1f} {}', m.apart_reason, m.release,
                            m.throughput_per_accelerator_max, m.result_unit
                        )
                    else m.apart_reason
                end as reason,
                release is not null or m.apart_reason is null as is_shown
            from measured as m
            qualify {{ is_best_of_accelerator('m', 'throughput_per_accelerator_max', ['result_unit']) }}
        )

        select
            b.accelerator_id,
            {%- for column, name in [
                ('release', 'release'),
                ('throughput_per_accelerator_max', 'throughput_per_accelerator'),
                ('result_unit', 'result_unit'),
                ('n_results', 'n_results'),
                ('n_submitters', 'n_submitters'),
                ('best_submitter', 'submitter'),
                ('best_system_name', 'system_name'),
                ('availability', 'availability'),
                ('best_number_format', 'number_format'),
                ('throughput_per_accelerator_median', 'throughput_per_accelerator_median'),
                ('newest_release', 'newest_release'),
                ('newest_release_median', 'newest_release_median'),
                ('newest_release_n_results', 'newest_release_n_results'),
                ('is_round_incomplete', 'is_round_incomplete'),
                ('best_submission_id', 'submission_id'),
                ('best_source_url', 'source_url'),
                ('best_result_id', 'result_id'),
            ] %}
            case when b.is_shown then b.{{ column }} end as {{ name }},
            {%- endfor %}
            b.benchmark_version,
            b.reason
        from best as b
        where accelerator is null or b.accelerator_id = accelerator_named(accelerator)
        order by b.apart_reason is not null, b.result_unit, b.throughput_per_accelerator_max desc, b.accelerator_id
    )
{%- endmacro %}

{#- What a million output tokens cost: the best measured throughput of each accelerator and the cheapest offer of each
    seller and pricing model in force on a day, by default that of the newest price. Offers that rank stand first.
    `accelmart rank` reads it. -#}
{% macro create_cost_per_mtok() -%}
    create or replace macro main.cost_per_mtok(
        model, scenario, pricing := null, provider := null, region := null, release := null, day := null, as_of := null,
        max_j_per_token := null
    ) as table (
        with throughput as (
            from token_throughput(model, scenario, release := release) as t where t.is_best_of_accelerator
        ),

        offers as (
            select o.*
            from price_on(coalesce(cast(as_of as date), cast(day as date), newest_price_day())) as o
            where (pricing is null or o.pricing_model = pricing)
                and (provider is null or o.provider = provider_named(provider))
                and (region is null or in_region(o.region, o.country, region))
        ),

        costs as ({{ token_costs('throughput', 'offers', 'dim_accelerator') }}),

        measured_energy as ({{ least_measured_energy() }}),

        -- sites are not known: the default PUE
        powered as (
            select
                k.*,
                coalesce(w.j_measured * d.pue, e.j_per_output_token_modelled) as j_per_output_token,
                {{ energy_basis('w.j_measured', 'e.j_per_output_token_modelled') }} as energy_basis
            from costs as k
            cross join (select any_value(x.pue) as pue from mart_energy as x) as d
            left join mart_energy as e on k.result_id = e.result_id and e.power_basis = 'modelled'
            left join measured_energy as w on k.accelerator_id = w.accelerator_id and k.scenario = w.scenario
        ),

        judged as (
            select
                p.* exclude (rank_reason),
                coalesce(p.rank_reason, {{ energy_limit_reason('p.j_per_output_token', 'p.energy_basis') }}) as rank_reason
            from powered as p
        )

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
            c.benchmark_version,
            c.release,
            c.availability,
            c.is_round_incomplete,
            c.submission_id,
            c.submitter,
            c.system_name,
            c.offer_id,
            c.price_source,
            c.price_source_url,
            c.number_format,
            c.n_results,
            c.n_submitters,
            c.price_as_of,
            c.price_standing,
            c.fit,
            c.is_smaller_than_measured,
            c.is_unusual,
            c.rank_reason,
            c.instance_accelerator_count,
            c.result_accelerator_count,
            c.size_note,
            c.j_per_output_token,
            c.energy_basis
        from judged as c
        order by c.rank_reason is not null, c.usd_per_output_mtok, c.accelerator_id, c.provider, c.pricing_model
    )
{%- endmacro %}

{#- Ownership cost of an accelerator, with any of its assumptions replaced. -#}
{% macro create_tco() -%}
    create or replace macro main.tco(
        accelerator, scenario := null, price_level := null, capex_basis := null, capex_usd := null, it_power_w := null
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
                case when capex_usd is null then m.capex_basis else 'set_by_user' end as basis_of_capex,
                case when capex_usd is null then m.capex_as_of end as capex_as_of,
                case when capex_usd is null then m.capex_source end as capex_source
            from mart_tco as m
            where m.accelerator_id = accelerator_named(accelerator)
                and (scenario is null or m.scenario_id = ownership_scenario_named(scenario))
                and (price_level is null or m.price_level = price_level)
                and (capex_basis is null or m.capex_basis = capex_basis)
            qualify row_number() over (
                partition by m.scenario_id
                order by m.is_default desc, {{ by_default_capex('m.capex_basis', 'm.based_on', 'm.price_level') }}
            ) = 1
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
            s.basis_of_capex as capex_basis,
            s.capex_as_of,
            s.capex_source
        from costs as s
        order by s.usd_per_accelerator_hour, s.scenario_id
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
