-- One row per seller and instance type.
with

offers as (
    select judged.*, intervals.* exclude (intervals.interval_number)
    from {{ ref('int_price__judged') }} as judged
    inner join {{ ref('int_price__intervals') }} as intervals using (interval_number)
)

select
    provider,
    instance_type,
    {{ agreed('accelerator_id') }} as accelerator_id,
    {{ agreed('accelerators') }}::double as accelerator_count,
    string_agg(distinct mapping_rule, ',' order by mapping_rule) as mapping_rule,
    string_agg(distinct mapping_basis, ',' order by mapping_basis) as mapping_basis,
    string_agg(distinct accelerator_published, '; ' order by accelerator_published) as accelerator_published,
    max(vcpus)::double as vcpus,
    max(memory_gb)::double as memory_gb,
    count(distinct offer_id) as n_offers,
    count(distinct region) as n_regions,
    string_agg(distinct source, ',' order by source) as sources,
    min(valid_from) as first_seen_at,
    max(last_seen_at) as last_seen_at,
    bool_and({{ is_mapped('provider') }} and mapping_rule <> 'unmapped') as is_mapped,
    bool_or(is_instance_type_override) as is_override
from offers
group by provider, instance_type
