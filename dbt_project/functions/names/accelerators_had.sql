{#- Accelerators and their number as people write both, A100-80GB:64 or 64xA100-80GB; null of null. -#}
with written as (
    select
        regexp_extract(have, '^\s*(\S.*?)\s*:\s*([0-9]{1,7})\s*$', ['name', 'number']) as name_first,
        regexp_extract(have, '^\s*([0-9]{1,7})\s*[xX×*]\s*(\S.*?)\s*$', ['number', 'name']) as number_first
),

parts as (
    select
        coalesce(nullif(name_first.name, ''), nullif(number_first.name, '')) as name,
        try_cast(coalesce(nullif(name_first.number, ''), nullif(number_first.number, '')) as bigint) as number
    from written
)

select
    p.name,
    {{ function('accelerator_named') }}(p.name) as accelerator_id,
    case
        when have is null or p.number > 0 then p.number
        else error(format('have is {}: write an accelerator, a colon and a number, such as A100-80GB:64', have))
    end as accelerators
from parts as p
