case
    when word is null or {{ function('provider_of') }}(word) is not null then {{ function('provider_of') }}(word)
    else error(
        'no seller matches "' || word || '"; sellers: ' || (
            select string_agg(p.provider, ', ' order by p.provider)
            from {{ ref('dim_provider') }} as p
            where p.n_offers > 0 and p.segment <> 'aggregate'
        )
    )
end
