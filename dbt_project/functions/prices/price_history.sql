with months as (
    select m.*
    from {{ ref('mart_price_index') }} as m
    where (accelerator is null or m.accelerator_id = {{ function('accelerator_named') }}(accelerator))
        and (pricing is null or m.pricing_model = pricing)
),

-- the newest 24 months, in order
listed as (
    select
        n.accelerator_id,
        n.pricing_model,
        list(n.month order by n.month)[-24:] as months,
        list(n.index order by n.month)[-24:] as indices
    from months as n
    group by n.accelerator_id, n.pricing_model
)

select
    i.accelerator_id,
    i.pricing_model,
    l.as_of as price_as_of,
    l.usd_per_accelerator_hour_low,
    l.usd_per_accelerator_hour,
    l.usd_per_accelerator_hour_high,
    l.n_sellers as n_sellers_of_level,
    i.month,
    i.base_month,
    i.low as index_low,
    i.index,
    i.high as index_high,
    i.change_1m_pct_low,
    i.change_1m_pct,
    i.change_1m_pct_high,
    i.change_3m_pct_low,
    i.change_3m_pct,
    i.change_3m_pct_high,
    i.change_12m_pct_low,
    i.change_12m_pct,
    i.change_12m_pct_high,
    i.change_12m_n_sellers,
    i.n_sellers,
    i.moved_by,
    h.months,
    h.indices,
    i.reason
from months as i
inner join listed as h on i.accelerator_id = h.accelerator_id and i.pricing_model = h.pricing_model
left join {{ function('price_level') }}(null, pricing := null) as l
    on i.accelerator_id = l.accelerator_id and i.pricing_model = l.pricing_model
qualify i.month = max(i.month) over (partition by i.accelerator_id, i.pricing_model)
order by i.accelerator_id, i.pricing_model
