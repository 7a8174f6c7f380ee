with measured as (
    select f.*
    from {{ ref('fct_inference_result') }} as f
    left join {{ ref('dim_release') }} as r on r.suite_kind = 'inference' and f.release = r.release
    where f.benchmark_id = {{ function('benchmark_named') }}(model)
        and f.division = 'closed'
        and f.suite = 'datacenter'
        and f.variant = 'standard'
        and {{ stands_for_accelerator('f') }}
        and f.output_tokens_per_s_per_accelerator > 0
        and (
            lower(f.scenario) = lower(scenario)
            or (max_ttft_ms is not null and lower(scenario) = 'server' and f.scenario = 'Interactive')
        )
        and {{ is_round_published('r', 'as_of') }}
),

-- the result that stands for each accelerator. With a limit on the time to first token, results of Server and Interactive
-- with a measured one come first, and among those the ones within it
chosen as (
    select
        c.*,
        count(*) over (partition by c.accelerator_id, c.release, c.scenario, c.availability, c.software_class) as n_results,
        min(c.ttft_ms_p99) over (partition by c.accelerator_id) as ttft_ms_p99_lowest,
        (
            select any_value(t.model_parameters) from {{ ref('mart_token_throughput') }} as t where t.benchmark_id = c.benchmark_id
        ) as model_parameters
    from measured as c
    qualify {{ is_best_of_accelerator('c', 'output_tokens_per_s_per_accelerator', [], [
        'max_ttft_ms is not null and c.ttft_ms_p99 is null',
        'max_ttft_ms is not null and coalesce(c.ttft_ms_p99 > max_ttft_ms, true)',
    ]) }}
),

period as (
    select
        cast(months as double) * {{ hours_per_month() }} as hours,
        cast(tokens_per_day as double) * cast(months as double) * {{ hours_per_month() }} / 24 as tokens
),

loads as (
    select
        c.*,
        p.hours,
        p.tokens,
        d.memory_gb,
        {{ bytes_to_hold('c.model_parameters', 'c.number_format') }} / 1e9 as needed_memory_gb,
        {{ function('accelerators_for_load') }}(
            cast(tokens_per_day as double), c.output_tokens_per_s_per_accelerator, cast(utilisation as double)
        ) as accelerators_busy,
        -- one buys a whole scale-up domain or a whole measured node
        {{ machine_size('d.scale_up_domain_size', 'c.accelerators_per_node') }} as bought_together
    from chosen as c
    cross join period as p
    left join {{ ref('dim_accelerator') }} as d on c.accelerator_id = d.accelerator_id
),

-- --- renting on demand, one option an accelerator: at its price level with the range of that; within a region, and
-- where there is no level, at the median over sellers with the spread of those
priced_offers as (
    select o.*
    from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
    where o.pricing_model = 'on_demand'
        and (region is null or {{ function('in_region') }}(o.region, o.country, region))
),

offers as (
    select
        s.accelerator_id,
        o.provider,
        o.offer_id,
        o.region as offer_region,
        o.usd_per_accelerator_hour,
        o.machine_accelerators,
        o.size_basis,
        o.vote,
        o.price_standing,
        o.price_as_of,
        least(cast(o.last_seen_at as date), o.price_as_of) as seen_on,
        {{ in_whole_machines('s.accelerators_busy', 'o.machine_accelerators') }} as accelerators,
        {{ in_whole_machines('s.accelerators_busy', 'o.machine_accelerators') }} * s.hours * o.usd_per_accelerator_hour
            as cost_usd,
        {{ unranked_reason('o.price_standing') }} as old_reason,
        {{ offer_fit('s.model_parameters', 's.number_format', 'o.machine_accelerators', "o.size_basis = 'stated'", 's.memory_gb') }}
            as fit
    from loads as s
    inner join priced_offers as o on s.accelerator_id = o.accelerator_id
),

-- one seller, one vote: its cheapest recent offer that holds the model
sellers as (
    select
        o.*,
        o.old_reason is null and o.fit = 'fits' as does_count
    from offers as o
    qualify row_number() over (
        partition by o.accelerator_id, o.vote
        order by
            o.old_reason is not null or o.fit = 'too_small',
            o.fit <> 'fits',
            o.cost_usd,
            o.offer_id
    ) = 1
),

market as (
    select
        v.accelerator_id,
        count(*) filter (v.does_count) as n_sellers,
        count(*) filter (v.does_count and v.size_basis <> 'stated') as n_sellers_of_unstated_size,
        count(*) as n_sellers_priced,
        count(*) filter (v.old_reason is null and v.fit <> 'too_small') as n_sellers_recent,
        count(*) filter (v.price_standing in ('current', 'recent')) as n_sellers_seen,
        min(v.cost_usd) filter (v.does_count) as cost_usd_cheapest,
        median(v.cost_usd) filter (v.does_count) as cost_usd_median,
        max(v.cost_usd) filter (v.does_count) as cost_usd_dearest,
        median(v.usd_per_accelerator_hour) filter (v.does_count) as usd_per_accelerator_hour_median,
        quantile_disc(v.accelerators, 0.5) filter (v.does_count) as accelerators,
        min(v.accelerators) filter (v.does_count) as accelerators_low,
        max(v.accelerators) filter (v.does_count) as accelerators_high,
        quantile_disc(v.machine_accelerators, 0.5) filter (v.does_count) as machine_accelerators,
        list(v.machine_accelerators) filter (v.does_count) as sizes,
        string_agg(v.provider, ', ' order by v.cost_usd, v.provider) filter (v.does_count) as sellers,
        arg_min(v.offer_id, (v.cost_usd, v.offer_id)) filter (v.does_count) as cheapest_offer_id,
        arg_min(v.provider, (v.cost_usd, v.offer_id)) filter (v.does_count) as cheapest_provider,
        arg_min(v.offer_region, (v.cost_usd, v.offer_id)) filter (v.does_count) as cheapest_region,
        min(v.seen_on) filter (v.does_count) as oldest_price_on,
        max(v.seen_on) filter (v.does_count) as newest_price_on
    from sellers as v
    group by v.accelerator_id
),

rented as (
    select
        s.*,
        'rent' as how,
        m.* exclude (accelerator_id),
        l.n_sellers as n_sellers_of_level,
        coalesce(l.usd_per_accelerator_hour, m.usd_per_accelerator_hour_median) as usd_per_accelerator_hour,
        coalesce(l.usd_per_accelerator_hour * m.accelerators * s.hours, m.cost_usd_median) as cost_usd,
        case
            when l.accelerator_id is not null then l.usd_per_accelerator_hour_low * m.accelerators * s.hours
            when m.n_sellers > 1 then m.cost_usd_cheapest
        end as cost_usd_low,
        case
            when l.accelerator_id is not null then l.usd_per_accelerator_hour_high * m.accelerators * s.hours
            when m.n_sellers > 1 then m.cost_usd_dearest
        end as cost_usd_high,
        coalesce(l.usd_per_accelerator_hour * m.accelerators * s.hours, m.cost_usd_median) as paid_usd,
        case
            when l.accelerator_id is not null then 'price level: ' || l.uncertainty_basis
            when m.n_sellers = 1 then 'one seller'
            else 'spread of sellers'
        end as uncertainty_basis,
        case
            when m.n_sellers > 0 then 'fits'
            when m.n_sellers_seen > 0 and m.n_sellers_recent = 0 then 'too_small'
            else 'unknown'
        end as fit,
        case
            when m.accelerator_id is null and region is not null
                then 'no on-demand price of this accelerator stated for region ' || region
            else {{ no_price_reason('m.n_sellers', 'm.n_sellers_priced', 'm.n_sellers_seen', 'm.n_sellers_recent') }}
        end as no_cost_reason
    from loads as s
    left join market as m on s.accelerator_id = m.accelerator_id
    -- a level is that of all regions
    left join {{ function('price_level') }}(null, as_of := as_of) as l
        on s.accelerator_id = l.accelerator_id and l.reason is null
        and m.n_sellers > 0 and region is null
),

-- --- buying, and using what one has: whole machines at the cost of an owner
machines as (
    select s.*, 'own' as how, s.bought_together as machine_accelerators, cast(null as bigint) as accelerators_had
    from loads as s
    union all by name
    select
        s.* exclude (accelerator_id),
        h.accelerator_id,
        'have' as how,
        least(s.bought_together, cast(have_count as bigint)) as machine_accelerators,
        cast(have_count as bigint) as accelerators_had
    from (select {{ function('accelerator_named') }}(have_accelerator) as accelerator_id where have_accelerator is not null) as h
    left join loads as s on h.accelerator_id = s.accelerator_id
),

counts as (
    select
        m.*,
        {{ in_whole_machines('m.accelerators_busy', 'm.machine_accelerators') }} as accelerators,
        {{ offer_fit('m.model_parameters', 'm.number_format', 'm.machine_accelerators', 'true', 'm.memory_gb') }} as fit
    from machines as m
),

owners as (
    select t.* from {{ ref('mart_tco') }} as t where t.scenario_id = {{ function('ownership_scenario_named') }}(owner) and t.is_default
),

-- of what one has the capital is spent
ownership as (
    select
        t.*,
        'own' as how,
        t.capex_usd_per_accelerator as purchase_usd_each,
        t.capital_usd_per_accelerator_hour as capital_usd_per_h,
        t.usd_per_accelerator_hour as usd_per_h,
        t.usd_per_accelerator_hour_low as usd_per_h_low,
        t.usd_per_accelerator_hour_high as usd_per_h_high
    from owners as t
    union all
    select
        t.*,
        'have' as how,
        null as purchase_usd_each,
        null as capital_usd_per_h,
        t.running_usd_per_accelerator_hour as usd_per_h,
        t.running_usd_per_accelerator_hour_low as usd_per_h_low,
        t.running_usd_per_accelerator_hour_high as usd_per_h_high
    from owners as t
),

owned as (
    select
        c.*,
        c.accelerators as accelerators_low,
        c.accelerators as accelerators_high,
        t.scenario_id as owner_scenario_id,
        t.price_level,
        t.capex_basis,
        t.pue,
        t.depreciation_years * 12 as depreciation_months,
        t.purchase_usd_each * c.accelerators as purchase_usd,
        t.capital_usd_per_h * c.accelerators * c.hours as capital_usd,
        t.running_usd_per_accelerator_hour * c.accelerators * c.hours as running_usd,
        (coalesce(t.purchase_usd_each, 0) + t.running_usd_per_accelerator_hour * c.hours) * c.accelerators as paid_usd,
        t.usd_per_h as usd_per_accelerator_hour,
        t.usd_per_h * c.accelerators * c.hours as cost_usd,
        t.usd_per_h_low * c.accelerators * c.hours as cost_usd_low,
        t.usd_per_h_high * c.accelerators * c.hours as cost_usd_high,
        t.uncertainty_basis,
        case
            when c.result_id is null then 'no result of this accelerator and model'
            when t.accelerator_id is null then 'no capital price, or no all-in power, of this accelerator is published'
        end as no_cost_reason
    from counts as c
    left join ownership as t on c.accelerator_id = t.accelerator_id and c.how = t.how
),

options as (
    select * from rented
    union all by name
    select * from owned
),

modelled_energy as (select e.* from {{ ref('mart_energy') }} as e where e.power_basis = 'modelled' and e.suite_kind = 'inference'),

sited as (
    select
        o.* exclude (pue),
        coalesce(o.pue, (select any_value(e.pue) from {{ ref('mart_energy') }} as e)) as pue,
        case when o.pue is null then 'default, no ownership scenario' else 'scenario ' || o.owner_scenario_id end
            as pue_basis
    from options as o
),

powered as (
    select
        o.*,
        {% for side in ['', '_low', '_high'] -%}
        e.j_per_output_token_modelled{{ side }} / e.pue * o.pue as j_per_output_token_modelled{{ side }},
        {% endfor -%}
        w.j_measured * o.pue as j_per_output_token_measured,
        coalesce(w.j_measured, e.j_per_output_token_modelled / e.pue) * o.pue as judged_j,
        case when w.j_measured is not null then 'measured' when e.j_per_output_token_modelled is not null then 'modelled' end as judged_j_basis,
        w.result_id as measured_energy_result_id,
        e.watts_per_accelerator * o.pue * o.accelerators * o.hours / 1000 as energy_kwh
    from sited as o
    left join modelled_energy as e on o.result_id = e.result_id
    left join {{ function('least_measured_energy') }}(model, as_of) as w on o.accelerator_id = w.accelerator_id and o.scenario = w.scenario
),

-- reason: why an option cannot be recommended; unknown: what is assumed, missing or uncertain of it; null where nothing is
judged as (
    select
        p.*,
        nullif(array_to_string(list_filter([
            p.apart_reason,
            p.no_cost_reason,
            case
                when p.no_cost_reason is not null then null
                when p.fit = 'too_small'
                    then format(
                        'the model does not fit: it needs {:.1f} GB, a machine of {:d} holds {:.1f} GB',
                        p.needed_memory_gb, p.machine_accelerators::bigint, p.machine_accelerators * p.memory_gb
                    )
                when p.fit = 'unknown' then 'whether the model fits is not known: the number format is not stated'
            end,
            case
                when p.accelerators > p.accelerators_had
                    then format('{:d} are needed, {:d} are there', p.accelerators::bigint, p.accelerators_had)
            end,
            case
                when max_ttft_ms is null then null
                when p.ttft_ms_p99 is null then 'no time to first token was measured'
                when p.ttft_ms_p99 > max_ttft_ms
                    then format(
                        'the lowest measured time to first token (p99) is {:.0f} ms', p.ttft_ms_p99_lowest
                    )
            end,
            {{ energy_limit_reason('p.judged_j', 'p.judged_j_basis') }},
            case
                when p.paid_usd > cast(budget as double)
                    then case p.how when 'own' then 'purchase and running cost exceed the budget' else 'exceeds the budget' end
            end
        ], reason -> reason is not null), '; '), '') as reason,
        nullif(array_to_string(list_filter([
            case
                when p.machine_accelerators < p.accelerator_count
                    then format(
                        'measured on {:d} accelerators, a machine here has {:d}',
                        p.accelerator_count, p.machine_accelerators::bigint
                    )
            end,
            case when p.result_id is not null and p.number_format is null then 'number format not known: memory at 16 bits' end,
            case when p.n_results = 1 then 'one result' end,
            case when p.ttft_ms_p99 is null then 'time to first token not measured' end,
            case
                when p.judged_j is null then 'energy not known'
                when p.j_per_output_token_measured is null then 'energy modelled, not measured'
            end,
            case when p.n_sellers = 1 or p.n_sellers_of_level = 1 then 'one seller' end,
            case
                when p.n_sellers_of_unstated_size > 0
                    then format(
                        '{:d} of {:d} sellers do not state the size of the machine: that of the node is assumed',
                        p.n_sellers_of_unstated_size, p.n_sellers
                    )
            end,
            case
                when p.how = 'rent' and p.cost_usd_high > cast(budget as double) and p.paid_usd <= cast(budget as double)
                    then 'the high end of the range exceeds the budget'
            end,
            case
                when p.accelerators_low < p.accelerators_high
                    then format(
                        'the number depends on the seller: {:d} to {:d}',
                        p.accelerators_low::bigint, p.accelerators_high::bigint
                    )
            end,
            case when p.how = 'own' then 'capital: ' || replace(p.capex_basis, '_', ' ') end,
            case
                when p.how = 'own' and cast(months as double) > p.depreciation_months
                    then format('the capital is paid back after {:.0f} months', p.depreciation_months)
            end,
            case when p.how <> 'rent' and region is not null then 'cost of ownership is not by region' end
        ], word -> word is not null), '; '), '') as unknown
    from powered as p
)

select
    case when j.reason is null then row_number() over (
        partition by j.reason is null order by j.cost_usd, j.paid_usd, j.accelerator_id, j.how
    ) end as rank,
    j.accelerator_id,
    j.how,
    j.accelerators::bigint as accelerators,
    j.machine_accelerators::bigint as machine_accelerators,
    -- machines are bought whole: accelerators beyond what the load needs
    case when j.how = 'own' then (j.accelerators - ceil(j.accelerators_busy))::bigint end as accelerators_idle,
    j.cost_usd_low,
    j.cost_usd,
    j.cost_usd_high,
    j.paid_usd,
    j.purchase_usd,
    j.capital_usd,
    j.running_usd,
    {% for side in ['_low', '', '_high'] -%}
    j.cost_usd{{ side }} / j.tokens * 1e6 as usd_per_output_mtok{{ side }},
    {% endfor -%}
    j.usd_per_accelerator_hour,
    j.uncertainty_basis,
    j.j_per_output_token_modelled,
    j.j_per_output_token_modelled_low,
    j.j_per_output_token_modelled_high,
    j.j_per_output_token_measured,
    j.judged_j as j_per_output_token,
    j.judged_j_basis as energy_basis,
    j.measured_energy_result_id,
    j.pue,
    j.pue_basis,
    j.energy_kwh,
    j.fit,
    j.needed_memory_gb,
    j.machine_accelerators * j.memory_gb as machine_memory_gb,
    j.reason,
    j.unknown,
    j.machine_accelerators < j.accelerator_count as is_smaller_than_measured,
    case j.how
        when 'rent' then {{ size_note('j.sizes', 'j.accelerator_count') }}
        else {{ size_note('[j.machine_accelerators]', 'j.accelerator_count', 'machine') }}
    end as size_note,
    j.benchmark_id,
    j.scenario,
    j.benchmark_version,
    j.release,
    j.availability,
    j.is_round_incomplete,
    j.number_format,
    j.output_tokens_per_s_per_accelerator,
    j.accelerators_busy,
    j.ttft_ms_p99,
    j.tpot_ms_p99,
    j.result_id,
    j.submission_id,
    j.submitter,
    j.system_name,
    j.accelerator_count as result_accelerator_count,
    j.source_url as result_source_url,
    j.n_sellers,
    j.sellers,
    j.cost_usd_cheapest,
    j.n_sellers_of_level,
    j.cheapest_provider,
    j.cheapest_region,
    j.cheapest_offer_id,
    j.oldest_price_on,
    j.newest_price_on,
    coalesce(cast(as_of as date), {{ function('newest_price_day') }}()) as price_as_of,
    j.owner_scenario_id,
    j.price_level,
    j.capex_basis
from judged as j
order by rank nulls last, j.cost_usd nulls last, j.accelerator_id, j.how
