with asked as materialized (
    select
        {{ function('benchmark_named') }}(model) as benchmark_id,
        {{ function('ownership_scenario_named') }}(owner) as owner_id,
        cast({{ argument('months') }} as double) as n_months,
        cast({{ argument('utilisation') }} as double) as used_pct,
        case
            when {{ argument('megawatts') }} is null and {{ argument('machines') }} is null
                then error('megawatts is missing: give it, or machines')
            else cast({{ argument('megawatts') }} as double)
        end as most_megawatts
),

options as (
    from {{ function('power_options') }}(
        [(select a.benchmark_id from asked as a)], [(select a.most_megawatts from asked as a)], machines,
        [(select a.owner_id from asked as a)], scenario, (select a.used_pct from asked as a), as_of
    )
)

select
    case when o.reason is null then row_number() over (
        partition by o.reason is null order by o.tokens_per_day desc, o.owned_usd_per_month asc, o.accelerator_id asc
    ) end as rank,
    o.* exclude (reason),
    {% for way in ['rented', 'owned'] -%}
    {% for end in ['_low', '', '_high'] -%}
    o.{{ way }}_usd_per_month{{ end }} * a.n_months as {{ way }}_usd{{ end }},
    o.{{ way }}_usd_per_month{{ end }} / nullif(o.tokens_per_day, 0) / {{ hours_per_month() }} * 24 * 1e6 as {{ way }}_usd_per_output_mtok{{ end }},
    {% endfor -%}
    {% endfor -%}
    a.n_months as months,
    o.reason,
    coalesce(cast(as_of as date), {{ function('newest_price_day') }}()) as price_as_of
from options as o
cross join asked as a
order by rank nulls last, o.accelerator_id
