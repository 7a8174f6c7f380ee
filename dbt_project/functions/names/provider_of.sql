coalesce(
    (select min(p.provider) from {{ ref('dim_provider') }} as p where {{ plain_name('p.provider') }} = {{ plain_name('word') }}),
    (
        select min(a.provider)
        from {{ ref('stg_reference__cloud_provider_aliases') }} as a
        where a.source = '*' and {{ plain_name('a.name_published') }} = {{ plain_name('word') }}
    ),
    (select min(p.provider) from {{ ref('dim_provider') }} as p where {{ plain_name('p.provider_name') }} = {{ plain_name('word') }})
)
