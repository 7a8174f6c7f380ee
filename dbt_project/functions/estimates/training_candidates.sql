{#- What may stand for a run, nearest first: tier 1 is measured of the model on the part, in the format asked for or one of those of
    an ambiguous run; tier 2 an MFU of a format that the part has. -#}
with asked as materialized (
    select
        d.*,
        {{ chip_generation('d.architecture') }} as chip_generation,
        cast(params as double) as active,
        cast(total_params as double) as held,
        cast(gpus as double) as n,
        cast(number_format as varchar) as wanted
    from {{ ref('dim_accelerator') }} as d
    where d.accelerator_id = accelerator
),

compared as (
    select
        k.*,
        coalesce(k.run_format = mine.wanted, mine.wanted is null) as has_format,
        mine.wanted,
        {{ nearness_of_speed('k', 'mine') }}
    from {{ ref('int_training__known_speeds') }} as k
    cross join asked as mine
)

select
    1 as tier,
    c.*,
    row_number() over (order by not c.has_format asc, {{ nearest_measured_speed('c') }}) as place
from compared as c
where {{ is_measured_speed('c') }} and (c.has_format or coalesce(contains(c.mfu_candidates, 'of ' || upper(c.wanted)), false))
union all
select
    2 as tier,
    c.*,
    row_number() over (order by {{ nearest_mfu('c') }}) as place
from compared as c
where {{ is_mfu_to_carry('c') }} and c.has_format
