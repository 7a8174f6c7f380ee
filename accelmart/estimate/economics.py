"""Prices, hardware, power and site that an estimate uses, each choice put into a sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from accelmart.errors import QuestionError
from accelmart.estimate.request import Request
from accelmart.published import DEFAULT_OWNER, Row

# figures of an hour: dollars, their range, and what the price is where it was not asked for
RATE = (
    "usd_per_accelerator_hour",
    "usd_per_accelerator_hour_low",
    "usd_per_accelerator_hour_high",
    "price_basis",
)

# the price level of the newest day; of accelerators without one the plain median over sellers
_AT_LEVEL = """
with newest as (
    select * from mart_rental_price_level where pricing_model = $pricing and as_of <= newest_price_day()
    qualify as_of = max(as_of) over ()
)

select * replace (coalesce(usd_per_accelerator_hour, usd_median_plain) as usd_per_accelerator_hour),
    usd_per_accelerator_hour is not null as has_level,
    case when has_level then 'price level' else 'plain median' end as price_kind,
    case when has_level then n_sellers else n_sellers_plain end as n_counted,
    price_kind || ' of ' || case n_counted when 1 then 'one seller' else n_counted || ' sellers' end as price_basis
from newest where list_contains($accelerators, accelerator_id)
"""
_OF_SELLER = """
select *, usd_per_accelerator_hour_min::double as usd_per_accelerator_hour from mart_price_current
where pricing_model = $pricing and provider = $provider and list_contains($accelerators, accelerator_id)
"""
_OF_OWNER = """
select *, 'capital: ' || replace(capex_basis, '_', ' ') || coalesce(' as of ' || price_level, '') as capital
from mart_tco
where scenario_id = $scenario and list_contains($accelerators, accelerator_id) and is_default
"""


def prices(asked: Request, accelerators: Collection[str]) -> dict[str, Row]:
    """Return what an hour costs, by accelerator, of those that have a price; at least one has.

    Returns:
        Rows with the figures of `RATE` that there are (only a price level has a range) and ``words``, a sentence.

    Raises:
        QuestionError: none has a price of the kind asked for.
    """
    if asked.price is not None:
        words = f"Price: ${asked.price:g} per accelerator-hour, as given."
        return {part: {RATE[0]: asked.price, "words": words} for part in accelerators}
    ids = list(accelerators)
    if asked.provider is not None:
        rows, words_of = asked.rows(_OF_SELLER, accelerators=ids), _seller_words
    elif asked.scenario is not None:
        rows, words_of = asked.rows(_OF_OWNER, accelerators=ids), _owner_words
    else:
        rows, words_of = asked.rows(_AT_LEVEL, accelerators=ids), _level_words
    if not rows:
        raise QuestionError(_no_price(asked, ids))
    # only a price level has a range
    names = RATE if words_of is _level_words else RATE[:1]
    return {
        row["accelerator_id"]: {name: row[name] for name in names if row[name] is not None}
        | {"words": words_of(row)}
        for row in rows
    }


def take_rate(asked: Request, rate: Row) -> Row:
    """Add the sentence of one of `prices` to the estimate, and return its figures of an hour."""
    asked.done.basis.append(rate["words"])
    return {name: rate[name] for name in RATE if name in rate}


def _no_price(asked: Request, accelerators: Sequence[str]) -> str:
    names = ", ".join(accelerators)
    if asked.scenario is not None:
        known = asked.reader.words("select distinct scenario_id from mart_tco order by 1")
        return (
            f"scenario is {asked.scenario}: no ownership cost of {names} in it. Scenarios: {', '.join(known)}; or give "
            "price"
        )
    if asked.provider is None:
        return (
            f"pricing is {asked.pricing}: nobody has a recent price of {names} under it. Give price, provider or "
            "scenario"
        )
    offered = asked.rows(
        "select distinct provider || ' ' || pricing_model as name from mart_price_current "
        "where list_contains($accelerators, accelerator_id) order by all",
        accelerators=accelerators,
    )
    return (
        f"provider is {asked.provider}, pricing {asked.pricing}: no price in force for {names}. There are prices of "
        f"{', '.join(row['name'] for row in offered) or 'nobody'}; or give price"
    )


def _level_words(row: Row) -> str:
    words = f"Price: {row['price_basis']}, ${row['usd_per_accelerator_hour']:.4g}"
    when = f"per accelerator-hour, {row['pricing_model']}, as of {row['as_of']}"
    if not row["has_level"]:
        return f"{words} {when}; there is no price level: {row['reason']} (mart_rental_price_level)."
    low, high = row[RATE[1]], row[RATE[2]]
    moved = row["moved_since_oldest_pct"]
    return (
        f"{words} ({'no range' if low is None else f'${low:.4g} to ${high:.4g}'}) {when}: what an average neocloud "
        f"would ask; cheapest seller {row['cheapest_provider']} ${row['usd_cheapest']:.4g}, plain median (n "
        f"{row['n_sellers_plain']}) ${row['usd_median_plain']:.4g}"
        f"{f'; prices moved by {moved:+.0f} % since the oldest inside' if row['is_moved_since_oldest'] else ''} "
        "(mart_rental_price_level)."
    )


def _seller_words(row: Row) -> str:
    return (
        f"Price: the lowest {row['pricing_model']} price of {row['provider']} in force, offer {row['best_offer_id']} "
        f"({row['best_instance_type']}, {row['best_region'] or 'any region'}), last seen "
        f"{row['observed_at']:%Y-%m-%d} ({row['observed_precision']} precision; {row['best_source_url']})."
    )


def _owner_words(row: Row) -> str:
    return f"Price: ownership per accelerator-hour in scenario {row['scenario_id']}, {row['capital']} (mart_tco)."


def with_price_range(figures: Row, rate: Row, costs: Collection[str]) -> Row:
    """Return figures with low and high of each cost widened by the range of the rate, beside it.

    Args:
        figures: estimated values; a cost may have ``_low`` and ``_high`` of its own.
        rate: one of `prices`.
        costs: names of figures in proportion to the rate.
    """
    usd, low, high = (rate.get(name) for name in RATE[:3])
    if not (usd and low and high):
        return figures
    spread: Row = {}
    for name, value in figures.items():
        spread.setdefault(name, value)
        if name in costs and value is not None:
            for end, at_end in (("_low", low), ("_high", high)):
                own = figures.get(name + end)
                spread[name + end] = (value if own is None else own) * at_end / usd
    return spread


def price_uncertainty(rate: Row) -> str:
    """Return what low and high of a cost rest on beside the speed."""
    return f"range of the {rate['price_basis']}" if rate.get(RATE[1]) is not None else "one price"


def costs(asked: Request, part: Row) -> Row:
    """Return hardware, power and site as inputs of an estimate, units in the names."""
    accelerator = part["accelerator_id"]
    hardware, watts = _hardware(asked, accelerator), _watts(asked, accelerator)
    return {
        "hardware_usd_per_accelerator": hardware,
        "power_basis": "modelled" if watts is not None else None,
        "watts_per_accelerator": watts,
        **_site(asked, accelerator),
    }


def _hardware(asked: Request, accelerator: str) -> float | None:
    """Return all-in dollars of one accelerator with its share of server, network and storage."""
    if asked.capex is not None:
        asked.done.basis.append(f"Hardware: ${asked.capex:,.0f} all-in per accelerator, as given.")
        return float(asked.capex)
    owner = asked.scenario or DEFAULT_OWNER
    for row in asked.rows(_OF_OWNER, scenario=owner, accelerators=[accelerator]):
        if row["capex_usd_per_accelerator"] is not None:
            asked.done.basis.append(
                f"Hardware: ${row['capex_usd_per_accelerator']:,.0f} all-in per accelerator, scenario {owner}, "
                f"{row['capital']} (mart_tco)."
            )
            return float(row["capex_usd_per_accelerator"])
    for row in asked.rows(
        "select s.msrp_or_street_usd as usd, s.price_note, s.msrp_or_street_usd / (c.value / 100) as hardware_usd, "
        "c.value as share from seeds.accelerator_specs as s, seeds.estimate_constants as c "
        "where s.accelerator_id = $id and c.constant_id = 'gpu_share_of_hardware_pct' and usd is not null",
        id=accelerator,
    ):
        asked.done.basis.append(
            f"Hardware: ${row['usd']:,.0f} for an accelerator ({row['price_note']}), which is {row['share']:g} % of "
            "the hardware."
        )
        return float(row["hardware_usd"])
    asked.done.basis.append(
        f"Hardware: no price of {accelerator} is known, so there is no outlay; capex gives one."
    )
    return None


def _watts(asked: Request, accelerator: str) -> float | None:
    """Return the modelled draw of one accelerator before PUE in watts, with its share of the node, if it is known."""
    rows = asked.rows(
        "select * from intermediate.int_energy__modelled_watts "
        "where accelerator_id = $id and is_preferred and without_system_id is null",
        id=accelerator,
    )
    if not rows:
        asked.done.basis.append(f"Energy: no power of {accelerator} is known.")
        return None
    (row,) = rows
    is_published = row["power_model"] == "published_all_in"
    words = (
        f"Energy is modelled, not measured: {row['watts_per_accelerator']:,.0f} W per accelerator before PUE; "
        f"provisioned power with its share of network {row['all_in_watts_per_accelerator']:,.0f} W "
        f"({row['power_source_url'] if is_published else 'TDP x the median published all-in factor'})"
    )
    if row["n_model_systems"]:
        words += f", divided by {1 + row['model_error_pct_median'] / 100:.2f}, n = {row['n_model_systems']}"
    words += f": {row['uncertainty_basis']}"
    if row["watts_per_accelerator_low"] is not None:
        words += f"; {row['watts_per_accelerator_low']:,.0f} to {row['watts_per_accelerator_high']:,.0f} W"
    asked.done.basis.append(f"{words}.")
    return float(row["watts_per_accelerator"])


# site as given, else of the scenario, else the defaults of the warehouse, with whose each is
_SITE = """
with site as (
    select any_value(e.pue) as pue, any_value(e.grid_id) as grid_id, any_value(t.pue) as owner_pue,
        any_value(t.electricity_usd_per_kwh) as owner_electricity,
        (
            select arg_max(value, year) from seeds.energy_constants
            where constant_id = 'us_electricity_price_industrial'
        ) as electricity
    from mart_energy as e
    left join mart_tco as t on t.scenario_id = $scenario and t.accelerator_id = $id and t.is_default
)

select
    coalesce($pue, s.owner_pue, s.pue) as pue,
    case when $pue is not null then 'as given' when s.owner_pue is not null then 'of scenario ' || $scenario
        else 'the default of mart_energy' end as pue_of,
    coalesce($electricity, s.owner_electricity, s.electricity) as electricity_usd_per_kwh,
    case when $electricity is not null then 'as given'
        when s.owner_electricity is not null then 'of scenario ' || $scenario
        else 'the newest US industrial average' end as electricity_of,
    coalesce($grid, s.grid_id) as grid_id,
    g.kg_co2e_per_kwh
from site as s
left join seeds.grid_intensity as g on g.grid_id = coalesce($grid, s.grid_id)
"""


def _site(asked: Request, accelerator: str) -> Row:
    """Return PUE, electricity and grid, each as given, else of the scenario, else the default of the warehouse."""
    site = asked.one(_SITE, id=accelerator)
    if site["kg_co2e_per_kwh"] is None:
        known = asked.reader.words("select grid_id from seeds.grid_intensity order by 1")
        raise QuestionError(f"grid is {asked.grid}: it must be one of {', '.join(known)}")
    asked.done.basis.append(
        f"PUE {site['pue']:g}, {site.pop('pue_of')}. Electricity ${site['electricity_usd_per_kwh']:g}/kWh, "
        f"{site.pop('electricity_of')}: a rental price and a rate of ownership contain it already."
    )
    return site


def note_purchase(asked: Request) -> None:
    """Add a sentence on a purchase of more accelerators than are needed."""
    figures = asked.done.figures
    if figures["accelerators_idle"]:
        asked.done.basis.append(
            f"Hardware is bought in whole machines: {figures['accelerators_bought']:,} accelerators, of which "
            f"{figures['accelerators_idle']:,} are idle; rent, energy and the cost of an owned hour are those of the "
            "others."
        )


_MEASURED_ENERGY = """
select * from mart_energy
where power_basis = 'measured' and accelerator_id = $accelerator and not is_derived
    and case when $benchmark::varchar is null then suite_kind = 'training'
        else benchmark_id = $benchmark and scenario = $mlperf_scenario and j_per_output_token_measured is not null end
order by variant <> 'standard', j_per_output_token_before_pue, watts_per_accelerator desc, result_id
limit 1
"""


def measured_energy(asked: Request, accelerator: str, served: Row) -> Row:
    """Return measured energy of the part, beside the modelled.

    Args:
        asked: the estimate.
        accelerator: the part.
        served: benchmark and mlperf_scenario that are served; None in both for any training.
    """
    rows = asked.rows(_MEASURED_ENERGY, accelerator=accelerator, **served)
    for r in rows:
        asked.done.results.append(r["result_id"])
        joules = r["j_per_output_token_before_pue"]
        asked.done.basis.append(
            f"Measured for comparison: {r['watts_per_accelerator']:,.0f} W per accelerator before PUE"
            f"{f', {joules:.3g} J per output token' if joules else ''} ({r['power_scope']}; MLPerf "
            f"{r['suite_kind']} {r['release']}, {r['division']}, {r['submitter']}, {r['system_name']}, "
            f"{r['benchmark_id']} {r['scenario'] or ''}, {r['variant']}; result {r['result_id']})."
        )
    measured = rows[0] if rows else {}
    return {
        "measured_watts_per_accelerator_before_pue": measured.get("watts_per_accelerator"),
        "measured_j_per_output_token_before_pue": measured.get("j_per_output_token_before_pue"),
    }
