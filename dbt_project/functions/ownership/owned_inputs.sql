with ownership as (select * from {{ ref('mart_tco') }} where is_default),

asked as (
    select
        d.accelerator_id,
        greatest(cast({{ argument('gpus') }} as bigint), 1) as n_rented,
        {{ function('accelerators_bought') }}(d.accelerator_id, cast(gpus as bigint)) as n_owned,
        cast({{ argument('months') }} as bigint) as months,
        -- up to 1 it is a share
        case when utilisation <= 1 then 100e0 else 1e0 end * {{ argument('utilisation') }} as utilisation_pct,
        coalesce(cast(as_of as date), {{ function('newest_price_day') }}()) as price_as_of,
        case
            when price_is = 'all-in' then cast({{ argument('price_each') }} as double)
            when price_is = 'server' then {{ all_in_capex_usd('price_each', 'f') }}
            else error(format('price_is is {}: it must be all-in or server', price_is))
        end as given_capex_usd
    from {{ ref('dim_accelerator') }} as d
    left join {{ ref('purchase_forms') }} as f on f.purchase_form = case when {{ is_rack('d.scale_up_domain_size') }} then 'rack' else 'server' end
    where d.accelerator_id = {{ function('accelerator_named') }}(accelerator)
)

-- what is given has no range; a running cost follows the price of the hardware by its share for maintenance
select
    a.*,
    t.scenario_id,
    cast(coalesce({{ argument('interest_pct') }}, t.cost_of_capital_pct) as double) as interest_pct,
    cast({{ argument('residual_pct') }} as double) as given_residual_pct,
    {% for end in ['_low', '', '_high'] -%}
    coalesce(a.given_capex_usd, t.capex_usd_per_accelerator{{ end }}) as capex_usd{{ end }},
    cast(coalesce(
        {{ argument('running') }},
        t.running_usd_per_accelerator_hour{{ end }} + coalesce({{ tco_maintenance_usd_per_h(
            '(a.given_capex_usd - coalesce(t.capex_usd_per_accelerator' ~ end ~ ', t.capex_usd_per_accelerator))',
            't.maintenance_pct_of_capex_per_year'
        ) }}, 0)
    ) as double) as running_usd_per_h{{ end }},
    {% endfor -%}
    t.reason as ownership_reason,
    case when a.given_capex_usd is null then t.capex_basis else 'as given, ' || price_is end as capex_basis,
    case when a.given_capex_usd is null then coalesce(t.capex_note, t.capex_basis) else 'as given, ' || price_is end as capex_words,
    case when a.given_capex_usd is null then t.capex_source end as capex_source,
    case when running is null then 'scenario ' || t.scenario_id else 'as given' end as running_basis,
    case when interest_pct is null then 'scenario ' || t.scenario_id else 'as given' end as interest_basis,
    case when residual_pct is null then 'seed residual_values' else 'as given' end as residual_basis
from asked as a
left join ownership as t
    on a.accelerator_id = t.accelerator_id and t.scenario_id = {{ function('ownership_scenario_named') }}(scenario)
