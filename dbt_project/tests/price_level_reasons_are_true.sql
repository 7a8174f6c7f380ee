{{ config(meta = {'dagster': {'ref': {'name': 'mart_rental_price_level'}}}) }}
-- depends_on: {{ ref('mart_rental_price_level') }}
with listed as (
    select
        as_of,
        accelerator_id,
        provider,
        memory_group,
        count(*) over (partition by as_of, accelerator_id) as n_sellers
    from {{ ref('int_price__seller_prices') }}
    where pricing_model = 'on_demand' and is_in_level
),

-- sellers of an accelerator with another one that links it to the fit
linked as (
    select listed.as_of, listed.accelerator_id, count(distinct listed.provider) as n_linked
    from listed
    inner join {{ ref('int_price__level_fits') }} as fits
        on listed.as_of = fits.as_of and fits.kind = 'seller' and listed.provider = fits.key
        and (listed.memory_group <> 'hbm' or list_contains(string_split(fits.other_names, ', '), listed.accelerator_id))
    group by listed.as_of, listed.accelerator_id
),

counted as (
    select
        levels.*,
        coalesce(any_value(listed.n_sellers), 0) as n_listed,
        coalesce(any_value(linked.n_linked), 0) as n_linked,
        coalesce(any_value(fits.ln_margin), 0) as ln_margin,
        any_value(fits.df) as df
    from {{ ref('mart_rental_price_level') }} as levels
    left join listed on levels.as_of = listed.as_of and levels.accelerator_id = listed.accelerator_id
    left join linked on levels.as_of = linked.as_of and levels.accelerator_id = linked.accelerator_id
    left join {{ ref('int_price__level_fits') }} as fits
        on levels.as_of = fits.as_of and fits.kind = 'accelerator' and levels.accelerator_id = fits.key
    where levels.pricing_model = 'on_demand'
    group by all
)

select accelerator_id, as_of, reason_code, n_listed, n_linked, df, ln_margin
from counted
where not coalesce(case reason_code
    when 'no_recent_price' then n_listed = 0
    when 'one_seller' then n_listed = 1
    when 'no_fit' then n_listed > 1 and n_linked = 0
    when 'sellers_not_linked' then n_listed > 1 and n_linked < 2
    when 'few_degrees' then n_linked > 1 and df < {{ var('price_level_degrees') }}
    when 'too_uncertain' then n_linked > 1 and exp(2 * ln_margin) > {{ var('price_range_factor') }}
    else reason_code is null and n_linked > 1 and exp(2 * ln_margin) <= {{ var('price_range_factor') }}
end, false)
