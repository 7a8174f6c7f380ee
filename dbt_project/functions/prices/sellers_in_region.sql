with sites as (
    select
        d.provider,
        d.site_countries,
        unnest(string_split(d.site_countries, ', ')) as country
    from {{ ref('dim_provider') }} as d
    where d.site_countries is not null
),

placed as (
    select s.*, {{ function('in_region') }}(null, s.country, region) as is_inside
    from sites as s
)

select
    p.provider,
    p.site_countries,
    bool_and(p.is_inside) as are_all_inside
from placed as p
group by p.provider, p.site_countries
having bool_or(p.is_inside)
order by p.provider
