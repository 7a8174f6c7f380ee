-- Figures of each source for an accelerator, made comparable: dense, both directions, one accelerator, nominal GB of memory.
with

figures as (select * from {{ ref('stg_specs__values') }}),

products as (select * from {{ ref('int_specs__products') }} where accelerator_id is not null),

-- a column for FP16 and BF16 holds the FP16 rate of a part that knows no BF16
inapplicable as (select accelerator_id, attribute from {{ ref('spec_absences') }} where kind = 'not applicable'),

families as (select * from {{ ref('spec_families') }} where kind = 'source'),

equal as (
    select
        products.accelerator_id,
        figures.attribute,
        figures.source,
        families.family,
        -- of one accelerator, where the figure is of a board, superchip or rack; a link's bandwidth in both directions added
        -- up, where the figure says that it is that of one
        {{ spec_dense('figures.value', 'figures.is_sparse') }} * if(figures.is_bidirectional is false, 2, 1) / figures.per_count
            as share,
        figures.* exclude (attribute, source)
    from figures
    inner join products using (source, product_published)
    left join families on figures.source = families.pattern
    anti join inapplicable on products.accelerator_id = inapplicable.accelerator_id and figures.attribute = inapplicable.attribute
),

counted as (
    select
        equal.*,
        count(*) over (partition by accelerator_id, attribute, source, round(share, 3)) as n_saying_the_same
    from equal
)

select
    accelerator_id,
    attribute,
    source,
    coalesce(family, source) as family,
    case when attribute = 'memory_gb' then {{ spec_nominal_gb('share', 'unit_published') }} else share end as value,
    unit, value_published, unit_published, product_published, is_sparse, is_bidirectional, per, per_count,
    count(*) over (partition by accelerator_id, attribute, source) as n_figures,
    n_saying_the_same,
    source_url, note, payload_key, payload_url, payload_sha256, payload_member, payload_record, licence, fetched_at
from counted
-- one figure is used for a source: dense before halved, of one accelerator before a share, the product's own page
-- before a comparison on another's, the value in most of its documents before that in one, 1,440 GB before 1.4 TB
qualify row_number() over (
    partition by accelerator_id, attribute, source
    order by
        is_sparse, per_count, lower(product_published) <> {{ stream_of('payload_key') }}, n_saying_the_same desc,
        length(regexp_replace(value_published, '[^0-9]', '', 'g')) desc,
        product_published, payload_key, payload_member, payload_record
) = 1
