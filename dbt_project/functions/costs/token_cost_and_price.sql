with answer as materialized (
    select t.*
    from {{ function('token_costs_and_prices') }}([{{ function('benchmark_named') }}(model)]) as t
    where t.scenario is null or lower(t.scenario) = lower(scenario)
),

options as (
    select
        c.accelerator_id as option_id,
        c.accelerator_id as option_name,
        c.usd_per_total_mtok_at_full_use as usd,
        c.usd_per_total_mtok_at_full_use_low as usd_low,
        c.usd_per_total_mtok_at_full_use_high as usd_high
    from answer as c
    where c.row_kind = 'cost' and c.usd_per_total_mtok_at_full_use is not null
),

verdicts as ({{ verdicts_on_costs('options') }})

select
    a.*,
    v.standing,
    v.verdict
from answer as a
left join verdicts as v on a.accelerator_id = v.option_id
order by
    a.row_kind, a.usd_per_total_mtok_at_full_use, a.usd_per_total_mtok_charged, a.accelerator_id, a.provider, a.price_kind, a.terms,
    a.source_url
