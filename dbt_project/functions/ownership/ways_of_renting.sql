-- Ways of renting over so many months, with the price of an hour: what is given has no range. By the hour, and at spot prices, the range
-- is that of the price and of the mean of its path; of a commitment that of the price and of its path until each renewal. A remainder of a
-- commitment is rented by the hour.
with ways as (
    select w.*
    from (
        values
        ('rent_always_on', 'on_demand', null::integer, 100e0, cast({{ argument('rent') }} as double), false),
        ('rent_by_the_hour', 'on_demand', null, null, cast({{ argument('rent') }} as double), false),
        ('rent_1y', 'reserved_1y', 12, 100, cast({{ argument('rent_1y') }} as double), false),
        ('rent_3y', 'reserved_3y', 36, 100, cast({{ argument('rent_3y') }} as double), false),
        ('rent_spot', 'spot', null, null, null, true),
        ('rent_capacity_block', 'capacity_block', null, null, null, true)
    ) as w (option, pricing_model, term_months, share_paid_pct, given, is_apart)
),

rates as (
    select r.*
    from {{ function('rent_rates') }}(accelerator := accelerator, as_of := as_of) as r
),

priced as (
    select
        w.*,
        r.n_sellers,
        r.usd_cheapest,
        r.cheapest_provider,
        r.cheapest_offer_id,
        r.usd_published,
        r.published_source,
        {% for end in ['_low', '_high'] -%}
        cast(coalesce(w.given, case
            when w.term_months is null then {{ rent_along_its_path('r.usd', 'r.usd' ~ end, 'c.n_months', 'c.monthly_change') }}
            else list_avg([
                {{ rent_after('r.usd', 'r.usd' ~ end, 'w.term_months * renewal', 'c.monthly_change') }}
                for renewal in range(ceil(c.n_months / w.term_months)::bigint)
            ])
        end) as double) as rent_usd_per_h{{ end }},
        {% endfor -%}
        cast(coalesce(w.given, r.usd) as double) as rent_usd_per_h,
        case when w.given is null then r.basis else 'as given' end as rent_basis
    from ways as w
    cross join (
        select cast({{ argument('months') }} as double) as n_months, p.monthly_change from {{ ref('int_price__monthly_change') }} as p
    ) as c
    left join rates as r on w.pricing_model = r.pricing_model
)

select
    p.*,
    {% for end in ['_low', '', '_high'] -%}
    case when p.term_months is not null then h.rent_usd_per_h{{ end }} end as rest_usd_per_h{{ end }}{{ ', ' if not loop.last }}
    {% endfor %}
from priced as p
cross join (select o.* from priced as o where o.option = 'rent_by_the_hour') as h
-- the two kinds for work that can wait are ways where somebody sells them
where p.rent_usd_per_h is not null or not p.is_apart
