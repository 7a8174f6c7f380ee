-- Prices that a newer observation of the same machine replaced: same seller, accelerator, tier, pricing model, term and
-- region, whatever words a collector used. A size, an instance type or an option that the older price leaves open is that of
-- the newer one; two types of the seller's own price list are two machines. On one day the seller's own list comes before
-- catalogs and collections.
with

prices as (
    select
        source,
        stream,
        offer_id,
        valid_from,
        last_seen_at,
        source_rank,
        provider,
        accelerator_id,
        pricing_model,
        {{ price_tier('variant') }} as tier,
        coalesce(term_hours, 0) as term_hours,
        coalesce(region, '') as region,
        purchase_option,
        case when is_size_stated then accelerators end as size,
        case when mapping_basis = 'instance_type' then instance_type end as type_of_seller
    from {{ ref('int_price__judged') }}
    where comparability = 'comparable'
)

select
    older.source,
    older.stream,
    older.offer_id,
    older.valid_from,
    min(greatest(newer.valid_from, older.last_seen_at + interval 1 microsecond)) as superseded_at
from prices as older
inner join prices as newer using (provider, accelerator_id, pricing_model, tier, term_hours, region)
where (older.source <> newer.source or older.offer_id <> newer.offer_id)
    and (older.size is null or older.size = newer.size)
    and (older.type_of_seller is null or older.type_of_seller = newer.type_of_seller)
    and (older.purchase_option is null or older.purchase_option = newer.purchase_option)
    and (
        cast(newer.last_seen_at as date) > cast(older.last_seen_at as date)
        or (
            cast(newer.last_seen_at as date) = cast(older.last_seen_at as date)
            and newer.source <> older.source
            and (newer.source_rank, newer.source) < (older.source_rank, older.source)
        )
    )
group by all
