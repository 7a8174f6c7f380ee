-- What others say an hour costs against the formula, at the default assumptions: a user's overrides play no part here.
with

rates as (
    select *
    from {{ ref('tco_published_rates') }}

    union all by name

    select
        concat_ws('/', accelerator_id, 'rental_' || term_years || 'yr', as_of) as rate_id,
        *,
        'rental_' || term_years || 'yr' as tier,
        false as is_derived
    from {{ ref('published_rents') }}
),

scenarios as (select * from {{ ref('int_tco__default_scenarios') }}),

-- of purchases nothing is solved or calibrated
capex as (
    select
        *,
        row_number() over (partition by accelerator_id order by price_level desc) = 1 as is_default
    from {{ ref('int_tco__capex') }}
    where capex_basis <> 'observed_purchase'
),

power as (
    select accelerator_id, value as it_power_w
    from {{ ref('tco_hardware') }}
    where parameter = 'it_power_w'
),

-- a rent is set beside what the large neocloud pays: the rest is its margin
asked as (
    select
        *,
        starts_with(tier, 'rental') as is_rent,
        case when starts_with(tier, 'rental') then 'neocloud_giant' when tier = 'maker' then 'hyperscaler' else tier end
            as scenario_id
    from rates
),

ours as (
    select
        asked.*,
        by_default.price_level as capex_price_level,
        by_default.capex_basis,
        by_default.all_in_capex_usd as capex_usd_per_accelerator,
        same_date.capex_basis as same_date_capex_basis,
        same_date.all_in_capex_usd as same_date_capex_usd_per_accelerator,
        {{ implied_capex_usd('asked.usd_per_accelerator_hour', 'power.it_power_w', 'scenarios') }}
            as implied_capex_usd_per_accelerator,
        {{ tco_usd_per_accelerator_hour('by_default.all_in_capex_usd', 'power.it_power_w', 'scenarios') }} as our_rate,
        {{ tco_usd_per_accelerator_hour('same_date.all_in_capex_usd', 'power.it_power_w', 'scenarios') }} as our_same_date_rate
    from asked
    left join scenarios on asked.scenario_id = scenarios.scenario_id
    left join power on asked.accelerator_id = power.accelerator_id
    left join capex as by_default on asked.accelerator_id = by_default.accelerator_id and by_default.is_default
    left join capex as same_date
        on asked.accelerator_id = same_date.accelerator_id and asked.price_level = same_date.price_level
),

judged as (
    select
        *,
        case
            when our_rate is null then 'no data'
            when is_rent then 'rent'
            when tier = 'hyperscaler' and same_date_capex_basis = 'implied_by_rate' then 'source of the capex'
            when rate_id = 'nvidia-h100-sxm-80gb/hyperscaler/2025-08-20' then 'calibrated'
            when abs(our_same_date_rate / usd_per_accelerator_hour - 1) <= 0.05 then 'reproduced'
            else 'differs'
        end as agreement
    from ours
)

select
    rate_id,
    accelerator_id,
    tier,
    scenario_id,
    as_of as stated_on,
    price_level,
    usd_per_accelerator_hour as published_usd_per_accelerator_hour,
    our_rate as usd_per_accelerator_hour,
    our_rate / usd_per_accelerator_hour as ratio,
    our_same_date_rate as same_date_usd_per_accelerator_hour,
    our_same_date_rate / usd_per_accelerator_hour as same_date_ratio,
    capex_usd_per_accelerator,
    capex_price_level,
    same_date_capex_usd_per_accelerator,
    case when not is_rent then implied_capex_usd_per_accelerator end as implied_capex_usd_per_accelerator,
    case when is_rent then (1 - our_same_date_rate / usd_per_accelerator_hour) * 100 end as implied_margin_pct,
    agreement,
    is_placeholder,
    is_derived,
    case agreement
        when 'no data' then 'no all-in power or capex of this part is published'
        when 'rent' then case when our_same_date_rate > usd_per_accelerator_hour then
            'a rent that lies below what neocloud_giant pays for the part by our figures: '
                || 'a rate of a long contract or of a seller who writes off less'
            else
            'a rent, not a cost: it holds the seller''s margin; ours is what neocloud_giant pays for the part at the same level of prices' end
        when 'source of the capex' then
            case
                when price_level = capex_price_level and capex_basis = 'implied_by_rate'
                    then 'equal by construction: the capex in use is solved from this very rate, so this is no confirmation'
                else 'our figure rests on capex of ' || capex_price_level || '; at the published rate the all-in capex had moved by '
                    || printf('%+.0f', (implied_capex_usd_per_accelerator / capex_usd_per_accelerator - 1) * 100)
                    || ' % to ' || printf('%.0f', implied_capex_usd_per_accelerator) || ' USD'
            end
        when 'calibrated' then 'cost of capital and maintenance are calibrated to this rate'
        when 'reproduced' then 'within 5 % at capex of the same date'
        when 'differs' then
            case
                when our_same_date_rate > usd_per_accelerator_hour
                    then 'ours is higher by more than 5 % at capex of the same date: '
                else 'ours is lower by more than 5 % at capex of the same date: '
            end
            || case
                when tier = 'maker' then 'the maker of the part pays no margin of its own'
                when is_placeholder then 'the published figure is marked as a placeholder by its source'
                else 'one calibrated cost of capital stands for this tier, while the published rates of the tier are 1.10 to 1.39 '
                    || 'times the hyperscaler''s by part; capex is taken to be what a hyperscaler pays'
            end
    end as explanation,
    source_url,
    note
from judged
