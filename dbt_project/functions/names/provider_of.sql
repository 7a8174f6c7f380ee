(
    select arg_min(known.provider, (known.rank, known.provider))
    from (
        select p.provider, unnest([p.provider, p.provider_name]) as name, unnest([1, 3]) as rank
        from {{ ref('dim_provider') }} as p
        union all
        select a.provider, a.name_published as name, 2 as rank
        from {{ ref('stg_reference__cloud_provider_aliases') }} as a
        where a.source = '*'
    ) as known
    -- names without what people write in several ways: case, spaces, hyphens, dots
    where regexp_replace(lower(known.name), '[^\p{L}\p{N}]', '', 'g') = regexp_replace(lower(word), '[^\p{L}\p{N}]', '', 'g')
)
