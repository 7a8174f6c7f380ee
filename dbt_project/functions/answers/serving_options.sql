-- options of each question, with the reasons against them
with options as (
    from {{ function('rental_options') }}(
        benchmark_ids, daily_loads, ttft_limits, months, region, scenario, utilisation, as_of
    )
    union all by name
    from {{ function('ownership_options') }}(
        benchmark_ids, daily_loads, ttft_limits, months, owners, have_accelerator, have_count, scenario, utilisation, as_of
    )
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
    left join {{ function('least_measured_energy') }}(benchmark_ids, as_of) as w
        on o.benchmark_id = w.benchmark_id and o.accelerator_id = w.accelerator_id and o.scenario = w.scenario
)

-- reason: why an option cannot be recommended; unknown: what is assumed, missing or uncertain of it; null where nothing is
select
    p.*,
    p.machine_accelerators * p.memory_gb as machine_memory_gb,
    case p.how
        when 'rent' then {{ size_note('p.sizes', 'p.accelerator_count') }}
        else {{ size_note('[p.machine_accelerators]', 'p.accelerator_count', 'machine') }}
    end as size_note,
    nullif(array_to_string(list_filter([
        p.apart_reason,
        p.capital_apart_reason,
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
            when p.max_ttft_ms is null then null
            when p.ttft_ms_p99 is null then 'no time to first token was measured'
            when p.ttft_ms_p99 > p.max_ttft_ms
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
        format('measured in samples, of {:.4g} tokens each in later rounds', p.assumed_tokens_per_sample),
        case when p.ttft_ms_p99 is null then 'time to first token not measured' end,
        case
            when p.judged_j is null then 'energy not known'
            when p.j_per_output_token_measured is null then 'energy modelled, not measured'
        end,
        'one price for all sites: ' || p.sellers_of_all_sites,
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
