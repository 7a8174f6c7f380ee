with throughput as (
    from {{ function('token_throughput') }}(model, scenario, release := release) as t where t.is_best_of_accelerator
),

offers as (
    select o.*
    from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
    -- a seller that names no region has one price for all its sites
    left join {{ function('sellers_in_region') }}(region) as h
        on o.provider = h.provider and o.region is null and o.country is null
    where (pricing is null or o.pricing_model = pricing)
        and (provider is null or o.provider = {{ function('provider_named') }}(provider))
        and (region is null or h.provider is not null or {{ function('in_region') }}(o.region, o.country, region))
),

costs as ({{ token_costs('throughput', 'offers', ref('dim_accelerator')) }}),

-- sites are not known: the default PUE
powered as (
    select
        k.*,
        coalesce(w.j_measured * d.pue, e.j_per_output_token_modelled) as j_per_output_token,
        case when w.j_measured is not null then 'measured' when e.j_per_output_token_modelled is not null then 'modelled' end as energy_basis
    from costs as k
    cross join (select any_value(x.pue) as pue from {{ ref('mart_energy') }} as x) as d
    left join {{ ref('mart_energy') }} as e on k.result_id = e.result_id and e.power_basis = 'modelled'
    left join {{ function('least_measured_energy') }}([{{ function('benchmark_named') }}(model)], as_of) as w
        on k.accelerator_id = w.accelerator_id and k.scenario = w.scenario
),

judged as (
    select
        p.* exclude (rank_reason),
        coalesce(p.rank_reason, {{ energy_limit_reason('p.j_per_output_token', 'p.energy_basis') }}) as rank_reason
    from powered as p
)

select
    c.usd_per_output_mtok,
    c.accelerator_id,
    c.provider,
    c.pricing_model,
    c.usd_per_accelerator_hour,
    c.output_tokens_per_s_per_accelerator,
    c.instance_type,
    c.region,
    c.country,
    'one price for all sites: ' || h.site_countries as sites,
    least({{ utc_day('c.price_observed_at') }}, c.price_as_of) as price_seen_on,
    c.price_observed_precision as price_date_precision,
    c.benchmark_version,
    c.release,
    c.availability,
    c.is_round_incomplete,
    c.submission_id,
    c.submitter,
    c.system_name,
    c.offer_id,
    c.price_source,
    c.price_source_url,
    c.number_format,
    c.n_results,
    c.n_submitters,
    c.price_as_of,
    c.price_standing,
    c.fit,
    c.is_smaller_than_measured,
    c.is_unusual,
    c.rank_reason,
    c.instance_accelerator_count,
    c.result_accelerator_count,
    c.size_note,
    c.j_per_output_token,
    c.energy_basis
from judged as c
left join {{ function('sellers_in_region') }}(region) as h
    on c.provider = h.provider and c.region is null and c.country is null
left join {{ ref('dim_provider') }} as d on c.provider = d.provider
order by
    c.rank_reason is not null, {{ region_tier('region', 'd.segment', 'h.are_all_inside') }}, c.price_standing <> 'current', c.usd_per_output_mtok,
    c.accelerator_id, c.provider, c.pricing_model
