"""Prices, hardware, power and site that an estimate uses, each choice put into a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from accelmart.errors import QuestionError
from accelmart.estimate.options import Estimate, Rate, Request
from accelmart.published import DEFAULT_OWNER, Reader, Row


def accelerator_of(reader: Reader, accelerator: str) -> Row:
    """Return the row of dim_accelerator of a key."""
    return reader.one("from dim_accelerator where accelerator_id = $id", {"id": accelerator})


def prices(reader: Reader, asked: Request, accelerators: Sequence[str]) -> dict[str, Rate]:
    """Return what an hour costs, by accelerator, of those that have a price; at least one has.

    Raises:
        QuestionError: none has a price of the kind asked for.
    """
    if asked.price is not None:
        rate = Rate(asked.price, f"Price: ${asked.price:g} per accelerator-hour, as given.")
        return dict.fromkeys(accelerators, rate)
    if asked.provider is not None:
        return _of_seller(reader, asked.provider, asked.pricing, accelerators)
    if asked.scenario is not None:
        return _of_owner(reader, asked.scenario, accelerators)
    return _at_level(reader, asked.pricing, accelerators)


def _at_level(reader: Reader, pricing: str, accelerators: Sequence[str]) -> dict[str, Rate]:
    """Rates at the price level of the newest day; of accelerators without one, at the plain median over sellers."""
    rows = reader.rows(
        """
        with newest as (
            select * from mart_rental_price_level where pricing_model = $pricing and as_of <= newest_price_day()
            qualify as_of = max(as_of) over ()
        )

        select * from newest where list_contains($accelerators, accelerator_id)
        """,
        {"pricing": pricing, "accelerators": list(accelerators)},
    )
    if not rows:
        raise QuestionError(
            f"pricing is {pricing}: nobody has a recent price of {', '.join(accelerators)} under it. Give price, "
            "provider or scenario"
        )
    return {r["accelerator_id"]: _level_rate(r) for r in rows}


def _level_rate(row: Row) -> Rate:
    when = f"{row['pricing_model']}, as of {row['as_of']}"
    usd, low, high = (row[f"usd_per_accelerator_hour{end}"] for end in ("", "_low", "_high"))
    if usd is None:
        basis = f"plain median of {_sellers(row['n_sellers_plain'])}"
        return Rate(
            row["usd_median_plain"],
            f"Price: {basis}, ${row['usd_median_plain']:.4g} per accelerator-hour, {when}; there is no price level: "
            f"{row['reason']} (mart_rental_price_level).",
            basis=basis,
        )
    spread = f"${low:.4g} to ${high:.4g}" if low is not None else "no range"
    basis = f"price level of {_sellers(row['n_sellers'])}"
    moved = (
        f"; prices moved by {row['moved_since_oldest_pct']:+.0f} % since the oldest inside"
        if row["is_moved_since_oldest"]
        else ""
    )
    return Rate(
        usd,
        f"Price: {basis}, ${usd:.4g} ({spread}) per accelerator-hour, {when}: what an average neocloud would ask; "
        f"cheapest seller {row['cheapest_provider']} ${row['usd_cheapest']:.4g}, plain median of "
        f"{_sellers(row['n_sellers_plain'])} ${row['usd_median_plain']:.4g}{moved} (mart_rental_price_level).",
        low,
        high,
        basis,
    )


def _sellers(n: int) -> str:
    return "one seller" if n == 1 else f"{n} sellers"


def _of_seller(reader: Reader, provider: str, pricing: str, accelerators: Sequence[str]) -> dict[str, Rate]:
    """Rates at the lowest price of a seller in force."""
    rows = reader.rows(
        "select * from mart_price_current where pricing_model = $pricing and provider = $provider "
        "and list_contains($accelerators, accelerator_id)",
        {"pricing": pricing, "provider": provider, "accelerators": list(accelerators)},
    )
    if not rows:
        sellers = reader.rows(
            "select distinct provider, pricing_model from mart_price_current "
            "where list_contains($accelerators, accelerator_id) order by all",
            {"accelerators": list(accelerators)},
        )
        offered = ", ".join(f"{s['provider']} {s['pricing_model']}" for s in sellers) or "nobody"
        raise QuestionError(
            f"provider is {provider}, pricing {pricing}: no price in force for "
            f"{', '.join(accelerators)}. There are prices of {offered}; or give price"
        )
    return {
        r["accelerator_id"]: Rate(
            float(r["usd_per_accelerator_hour_min"]),
            f"Price: the lowest {pricing} price of {provider} in force, offer {r['best_offer_id']} "
            f"({r['best_instance_type']}, {r['best_region'] or 'any region'}), last seen "
            f"{r['observed_at']:%Y-%m-%d} ({r['observed_precision']} precision; {r['best_source_url']}).",
        )
        for r in rows
    }


def _of_owner(reader: Reader, scenario: str, accelerators: Sequence[str]) -> dict[str, Rate]:
    """Rates of ownership in a scenario, on its default basis of capital."""
    rows = _tco(reader, scenario, accelerators)
    if not rows:
        scenarios = reader.words("select distinct scenario_id from mart_tco order by 1")
        raise QuestionError(
            f"scenario is {scenario}: no ownership cost of {', '.join(accelerators)} in it. "
            f"Scenarios: {', '.join(scenarios)}; or give price"
        )
    return {
        r["accelerator_id"]: Rate(
            float(r["usd_per_accelerator_hour"]),
            f"Price: ownership per accelerator-hour in scenario {scenario}, {_level(r)} (mart_tco).",
        )
        for r in rows
    }


def _level(row: Row) -> str:
    """Basis and price level of the capital of a row of mart_tco, in words."""
    at = f" as of {row['price_level']}" if row["price_level"] else ""
    return f"capital: {row['capex_basis'].replace('_', ' ')}{at}"


def _tco(reader: Reader, scenario: str, accelerators: Sequence[str]) -> list[Row]:
    return reader.rows(
        "select accelerator_id, capex_basis, price_level, usd_per_accelerator_hour, capex_usd_per_accelerator "
        "from mart_tco "
        "where scenario_id = $scenario and list_contains($accelerators, accelerator_id) and is_default",
        {"scenario": scenario, "accelerators": list(accelerators)},
    )


def costs(reader: Reader, part: Row, asked: Request, done: Estimate) -> Row:
    """Return hardware, power and site as inputs of an estimate, in dollars, watts and as `_site` names them."""
    accelerator = part["accelerator_id"]
    hardware, watts = _hardware(reader, accelerator, asked, done), _watts(reader, accelerator, done)
    return {
        "hardware_usd_per_accelerator": hardware,
        "power_basis": "modelled" if watts is not None else None,
        "watts_per_accelerator": watts,
        **_site(reader, asked, accelerator, done),
    }


def purchase(figures: Row) -> list[str]:
    """Return the sentence on a purchase of more accelerators than are needed; none where it is of as many."""
    words = (
        "Hardware is bought in whole machines: {accelerators_bought:,} accelerators, of which {accelerators_idle:,} "
        "are idle; rent, energy and the cost of an owned hour are those of the others."
    )
    return [words.format_map(figures)] if figures["accelerators_idle"] else []


def _hardware(reader: Reader, accelerator: str, asked: Request, done: Estimate) -> float | None:
    """Return all-in dollars of one accelerator with its share of server, network and storage."""
    if asked.capex is not None:
        done.basis.append(f"Hardware: ${asked.capex:,.0f} all-in per accelerator, as given.")
        return asked.capex
    scenario = asked.scenario or DEFAULT_OWNER
    for row in _tco(reader, scenario, [accelerator]):
        if row["capex_usd_per_accelerator"] is not None:
            done.basis.append(
                f"Hardware: ${row['capex_usd_per_accelerator']:,.0f} all-in per accelerator, scenario "
                f"{scenario}, {_level(row)} (mart_tco)."
            )
            return float(row["capex_usd_per_accelerator"])
    rows = reader.rows(
        "select s.msrp_or_street_usd as usd, s.price_note, "
        "s.msrp_or_street_usd / (c.value / 100) as hardware_usd, c.value as share "
        "from seeds.accelerator_specs as s, seeds.estimate_constants as c "
        "where s.accelerator_id = $id and c.constant_id = 'gpu_share_of_hardware_pct'",
        {"id": accelerator},
    )
    if rows and rows[0]["usd"] is not None:
        r = rows[0]
        done.basis.append(
            f"Hardware: ${r['usd']:,.0f} for an accelerator ({r['price_note']}), which is {r['share']:g} % of the "
            "hardware."
        )
        return float(r["hardware_usd"])
    done.basis.append(
        f"Hardware: no price of {accelerator} is known, so there is no outlay; capex gives one."
    )
    return None


def _watts(reader: Reader, accelerator: str, done: Estimate) -> float | None:
    """Modelled draw of one accelerator before PUE in watts, with its share of the node; None where unknown."""
    rows = reader.rows(
        "select * from intermediate.int_energy__modelled_watts "
        "where accelerator_id = $id and is_preferred and without_system_id is null",
        {"id": accelerator},
    )
    if not rows:
        done.basis.append(f"Energy: no power of {accelerator} is known.")
        return None
    (row,) = rows
    origin = (
        f"published, {row['power_source_url']}"
        if row["power_model"] == "published_all_in"
        else "TDP x the median published all-in factor"
    )
    checked = (
        f", divided by {1 + row['model_error_pct_median'] / 100:.2f}: {row['uncertainty_basis']}, n = "
        f"{row['n_model_systems']}"
        if row["n_model_systems"]
        else f"; {row['uncertainty_basis']}"
    )
    if row["watts_per_accelerator_low"] is not None:
        checked += f"; {row['watts_per_accelerator_low']:,.0f} to {row['watts_per_accelerator_high']:,.0f} W"
    done.basis.append(
        f"Energy is modelled, not measured: {row['watts_per_accelerator']:,.0f} W per accelerator before PUE; "
        f"provisioned power with its share of network {row['all_in_watts_per_accelerator']:,.0f} W ({origin}){checked}."
    )
    return float(row["watts_per_accelerator"])


def _site(reader: Reader, asked: Request, accelerator: str, done: Estimate) -> Row:
    """Return PUE, electricity and grid: as given, else of the scenario, else the defaults of the warehouse."""
    scenario = asked.scenario
    default = reader.one("select any_value(pue) as pue, any_value(grid_id) as grid_id from mart_energy")
    assumed: Row = {}
    if scenario is not None:
        assumed = reader.one(
            "select pue, electricity_usd_per_kwh from mart_tco "
            "where scenario_id = $scenario and accelerator_id = $accelerator and is_default",
            {"scenario": scenario, "accelerator": accelerator},
        )
    pue = asked.pue or assumed.get("pue") or default["pue"]
    whose = (
        "as given"
        if asked.pue
        else f"of scenario {scenario}"
        if assumed.get("pue")
        else "the default of mart_energy"
    )
    done.basis.append(f"PUE {pue:g}, {whose}.")
    grids = {
        r["grid_id"]: r for r in reader.rows("select grid_id, kg_co2e_per_kwh from seeds.grid_intensity")
    }
    grid = asked.grid or default["grid_id"]
    if grid not in grids:
        raise QuestionError(f"grid is {grid}: it must be one of {', '.join(sorted(grids))}")
    electricity = asked.electricity
    if electricity is None and assumed:
        electricity = assumed["electricity_usd_per_kwh"]
        done.basis.append(
            f"Electricity ${electricity:g}/kWh, of scenario {scenario}; its rate contains it already."
        )
    if electricity is None:
        row = reader.one(
            "select value, year from seeds.energy_constants where constant_id = 'us_electricity_price_industrial' "
            "order by year desc limit 1",
        )
        electricity = row["value"]
        done.basis.append(
            f"Electricity ${electricity:g}/kWh, the US industrial average of {row['year']}; a rental price "
            "contains it already."
        )
    return {
        "pue": pue,
        "electricity_usd_per_kwh": electricity,
        "grid_id": grid,
        "kg_co2e_per_kwh": grids[grid]["kg_co2e_per_kwh"],
    }


def measured_energy(reader: Reader, accelerator: str, served: tuple[str, str] | None, done: Estimate) -> Row:
    """Measured energy of the part, beside the modelled: of the benchmark served, or of any training."""
    rows = reader.rows(
        """
        select * from mart_energy
        where power_basis = 'measured' and accelerator_id = $accelerator and not is_derived
            and case when $benchmark::varchar is null then suite_kind = 'training'
                else benchmark_id = $benchmark and scenario = $scenario and j_per_output_token_measured is not null end
        order by variant <> 'standard', j_per_output_token_before_pue, watts_per_accelerator desc, result_id
        limit 1
        """,
        {
            "accelerator": accelerator,
            "benchmark": served[0] if served else None,
            "scenario": served[1] if served else None,
        },
    )
    for r in rows:
        done.results.append(r["result_id"])
        joules = r["j_per_output_token_before_pue"]
        done.basis.append(
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
