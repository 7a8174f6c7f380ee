"""What the commands of questions print: some columns of an answer under shorter names, then lines on their meaning."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from accelmart.citing import Evidence
from accelmart.cli.output import print_table, say, say_all
from accelmart.columns import (
    ALTERNATIVES,
    BY_CARBON,
    ELECTRICITY,
    FOOTNOTES,
    KEPT,
    LEVELS,
    OFFERS,
    OPTIONS,
    POWERED,
    REFUSED,
    SELLER_OFFERS,
    TOKEN_COSTS,
    TOKEN_PRICES,
    WAYS,
)
from accelmart.estimate import Estimate
from accelmart.names import ON_DEMAND, read_day
from accelmart.producing import charged_words
from accelmart.published import Row, Table, reading
from accelmart.ranking import headlines

_DERIVED = "Derived here from MLPerf results and prices; not verified by MLCommons. All columns: --format csv or json."

# options of `choose` whose evidence is printed
_EXPLAINED = 3
# a median of the newest round is named where it differs from the result by so much
_NAMED_DIFFERENCE = 0.1


def round_of(row: Row) -> str | None:
    """Return the MLPerf round of a row, marked where it is held in part."""
    return f"{row['release']} (in part)" if row.get("is_round_incomplete") else row["release"]


def show_columns(rows: list[Row], columns: dict[str, str], limit: int = 0) -> None:
    """Print some columns of rows, at most `limit` (0 is all), and the notes on sizes and sites as footnotes."""
    shown = rows[: limit or None]
    notes = [row[name] for row in shown for name in columns if name in FOOTNOTES and row[name] is not None]
    marks = {text: f"[{n}]" for n, text in enumerate(dict.fromkeys(notes), 1)}
    cells = [
        tuple(
            round_of(row)
            if name == "release"
            else marks.get(row[name])
            if name in FOOTNOTES
            else figure(row[name])
            for name in columns
        )
        for row in shown
    ]
    numbers = {columns[name] for name in columns if any(isinstance(row[name], int | float) for row in shown)}
    print_table(Table(list(columns.values()), cells), right=numbers)
    if len(rows) > len(shown):
        say(f"{len(rows) - len(shown)} more: --limit 0 shows all")
    for text, mark in marks.items():
        say(f"{mark} {text}")


def figure(value: Any) -> str:
    """Return a value as a cell of a table for people: four digits, thousands apart."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def show_ranking(offers: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print each accelerator at its price level, then the cheapest offer of each seller; return whether any ranks."""
    rows, by_carbon = offers.records(), asked["carbon"]
    reason = "carbon_rank_reason" if by_carbon else "rank_reason"
    ranked = [row for row in rows if row[reason] is None]
    if not by_carbon and all(asked[name] is None for name in ("provider", "region", "max_j_per_token")):
        _show_levels(asked)
    if by_carbon:
        say("Lowest carbon first, among offers that cost little more than the cheapest:")
    else:
        say(f"Cheapest offer of each seller, {_pricing(asked) or 'every pricing model'}:")
    show_columns(ranked, BY_CARBON if by_carbon else OFFERS, limit)
    for why, number in Counter(row[reason] for row in rows if row[reason]).most_common():
        cost = min(row["usd_per_output_mtok"] for row in rows if row[reason] == why)
        say_all(f"not ranked: {number} offer{'s' if number > 1 else ''}, from ${cost:.4g}/Mtok: {why}")
    say_all(*offers.notes, _price_days(rows[0]["price_as_of"], [row["price_seen_on"] for row in ranked]))
    if by_carbon:
        say_all(
            "Carbon is that of the modelled electricity of the machines with PUE, on the average grid of a year: not "
            "what one more kilowatt-hour emits, nor the making of the hardware."
        )
    say_all(f"An offer compares sellers, a price level accelerators. At full use. {_DERIVED}")
    return bool(ranked)


def _pricing(asked: dict[str, Any]) -> str | None:
    return None if asked["pricing"] == "all" else asked["pricing"]


def _price_days(as_of: Any, seen_on: list[Any]) -> str:
    """Return a line on prices: the day they are of, the oldest that counts, and until when one is current."""
    with reading() as reader:
        current = int(reader.words("select price_current_days()")[0])
    days = (datetime.now(UTC).date() - as_of).days
    oldest = min((day for day in seen_on if day), default=None)
    used = f"; oldest price used: {oldest} ({(as_of - oldest).days} days before)" if oldest else ""
    refresh = (
        " THEY ARE OLD: `accelmart refresh` or `accelmart pull` brings newer ones." if days > current else ""
    )
    return (
        f"Prices as of {as_of} ({days} days before today){used}. A price is current if it was seen within {current} "
        f"days before; any other comes last.{refresh}"
    )


def _show_levels(asked: dict[str, Any]) -> None:
    """Print the cost of each accelerator at its price level, and why an accelerator has none."""
    levels = {name: asked[name] for name in ("model", "scenario", "pricing", "release", "as_of")}
    answer = headlines(**levels)
    rows = answer.records()
    say(f"At the price level of each accelerator, {_pricing(asked) or ON_DEMAND}:")
    show_columns([r for r in rows if r["usd_per_output_mtok_at_level"] is not None or r["n_sellers"]], LEVELS)
    say_all(
        "Price level: what an average neocloud would ask, with its range; where ranges overlap, no order is claimed. "
        "cheapest, median: of the sellers with a recent price of a machine that holds the model. same: cost of a token "
        "against the first line at the sellers of both.",
        *answer.notes,
        *(line for row in rows for line in _beside(row)),
    )
    say("")


def _beside(row: Row) -> list[str]:
    """Return what stands beside a level, such as a newest round that differs, moved prices, a missing level."""
    accelerator, measured = row["accelerator_id"], row["output_tokens_per_s_per_accelerator"]
    speed = f"{measured:,.1f} tokens/s, {round_of(row)}"
    if row["apart_reason"]:
        return [f"apart, without rank: {accelerator}, {row['apart_reason']}: {speed}, {row['submitter']}"]
    lines = []
    if abs(row["newest_release_median"] / measured - 1) > _NAMED_DIFFERENCE:
        lines.append(
            f"{accelerator}: {speed}; the median of {row['newest_release']} is {row['newest_release_median']:,.1f} (n "
            f"{row['newest_release_n_results']})"
        )
    if moved := row["level_moved_since_oldest_pct"]:
        lines.append(f"prices of {accelerator} moved by {moved:+.0f} % since the oldest in its level")
    if row["rests_on_few_sellers"]:
        lines.append(f"the level of {accelerator} rests on at most three sellers")
    if row["level_reason"]:
        reasons = dict.fromkeys(filter(None, (row["level_reason"], row["reason"])))
        lines.append(f"no level for {accelerator}: {'; '.join(reasons)}")
    return lines


def show_options(options: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print the options within a budget, why others are not recommended, and what the first rest on."""
    rows = options.records()
    ranked = [row for row in rows if row["rank"] is not None]
    others = [row for row in rows if row["rank"] is None]
    if ranked:
        show_columns(ranked, OPTIONS, limit)
    else:
        say("No option holds the model, keeps the limits and stays within the budget.")
    if others:
        say("\nNot recommended:")
        show_columns(others, REFUSED, limit)
    for row in ranked[: min(limit or _EXPLAINED, _EXPLAINED)]:
        say_all(
            f"\n{row['rank']}. {row['accelerators']:,} x {row['accelerator_id']}, {row['how']}: "
            f"{row['verdict'] or 'nothing to compare with'}. Price: {_paid_as(row)}. "
            f"Memory: {figure(row['needed_memory_gb'])} GB needed, {figure(row['machine_memory_gb'])} GB in a machine "
            f"of {row['machine_accelerators']:,}. Not known or uncertain: {row['unknown'] or 'nothing further'}.",
            f"Speed: {figure(row['output_tokens_per_s_per_accelerator'])} output tokens/s each, MLPerf "
            f"{round_of(row)}, {row['submitter']}, {row['result_accelerator_count']:,} x, {row['number_format']}, "
            f"result {row['result_id']}.",
        )
    say("")
    oldest = [row["oldest_price_on"] for row in rows]
    say_all(
        *options.notes,
        f"Asked: {asked['tokens_per_day']:,.0f} output tokens a day for {asked['months']:g} months of 730 hours at "
        f"{asked['utilisation']:g} % of the measured throughput, US$ {asked['budget']:,.0f}. "
        f"{_price_days(rows[0]['price_as_of'], oldest) if rows else ''}",
        "cost: the rent, or the cost of ownership over the months; options are ranked by it. to pay: the rent, or "
        "purchase and running cost; the budget bounds it. have: running cost alone. Machines run all the time. "
        f"J/token: measured where it was metered, else modelled, at full use. {_DERIVED}",
    )
    return bool(ranked)


def _paid_as(row: Row) -> str:
    """Return what the cost of an option rests on."""
    if row["how"] == "rent":
        basis = "price level" if row["n_sellers_of_level"] else "median"
        return (
            f"{basis} of {row['n_sellers_of_level'] or row['n_sellers']} on demand, US$ "
            f"{row['usd_per_accelerator_hour']:.2f} an hour; cheapest US$ {figure(row['cost_usd_cheapest'])} at "
            f"{row['cheapest_provider']} (offer {row['cheapest_offer_id']})"
        )
    bought = f"purchase US$ {figure(row['purchase_usd'])}, " if row["how"] == "own" else ""
    return (
        f"{bought}running US$ {figure(row['running_usd'])} ({row['owner_scenario_id']}, capital "
        f"{row['capex_basis'].replace('_', ' ')} as of {row['price_level'] or 'your own figures'})"
    )


def show_tokens(answer: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print what tokens cost and what is charged for them; return whether there is a cost and a price to compare."""
    rows = answer.records()
    costs, prices, apart = (
        [row for row in rows if row["row_kind"] == kind] for kind in ("cost", "price", "price apart")
    )
    known = [row for row in costs if row["usd_per_total_mtok_at_full_use"] is not None]
    if known:
        first = known[0]
        say(
            f"Cost of a million tokens of input and output ({first['mean_input_length']:,.0f} : "
            f"{first['mean_output_length']:,.0f}), rented on demand at price levels of {first['price_as_of']}:"
        )
        show_columns(known, TOKEN_COSTS, limit)
    for title, listed in (
        ("Prices charged for the same mix:", prices),
        ("Apart (discounts, prices of some hours, related models):", apart),
    ):
        if listed:
            say(f"\n{title}")
            show_columns(listed, TOKEN_PRICES, limit)
    say("")
    say_all(
        *answer.notes,
        *(_cost_against_price(row) for row in known[:1]),
        *dict.fromkeys(row["reason"] for row in costs if row["reason"]),
        "A price covers more than accelerators, and idle machines cost as much as busy ones: a cost is not subtracted "
        f"from a price. {_DERIVED}",
    )
    return bool(known and prices)


def _cost_against_price(row: Row) -> str:
    """Return the lowest cost against the prices charged, with their days."""
    standing = f" ({row['verdict']})" if row["verdict"] else ""
    return (
        f"Lowest, {row['accelerator_id']}{standing}: {figure(row['usd_per_total_mtok_at_full_use'])} at full use, "
        f"{figure(row['usd_per_total_mtok_at_low_use'])} at {row['low_use_pct']:g} % use; {charged_words(row)}."
    )


def show_electricity(answer: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print electricity, carbon and rent of tokens by place; return whether there is any carbon."""
    rows = answer.records()
    show_columns(rows, ELECTRICITY, limit)
    places = {row["place"]: row for row in rows if row["kg_co2e_per_kwh"] is not None}
    lowest = min(places.values(), key=lambda row: row["kg_co2e_per_kwh"], default=None)
    missing = Counter(reason for row in rows if row["reason"] for reason in row["reason"].split("; "))
    say_all(
        *(_grid_of(row, lowest) for row in places.values()),
        *answer.notes,
        *(f"{reason}: {number} row{'s' if number > 1 else ''}" for reason, number in missing.items()),
        "Electricity is modelled, with PUE, at full use; grids are averages of a year. The rent contains the "
        f"electricity. {_DERIVED}",
    )
    return lowest is not None


def _grid_of(row: Row, lowest: Row | None) -> str:
    """Return carbon intensity and price of electricity of a place, and its carbon against that of the lowest one."""
    low, high = figure(row["kg_co2e_per_kwh_low"]), figure(row["kg_co2e_per_kwh_high"])
    spread = f" ({low} to {high})" if low != high else ""
    years = dict.fromkeys(str(row[f"grid_year_{end}"]) for end in ("low", "high") if row[f"grid_year_{end}"])
    parts = [
        f"{row['place']}: {figure(row['kg_co2e_per_kwh'])}{spread} kg CO2e/kWh, {row['grid_basis']}, "
        f"{'–'.join(years) or 'year not stated'}"
    ]
    if row["usd_per_kwh"] is not None:
        price = f"electricity ${figure(row['usd_per_kwh'])}/kWh"
        parts.append(f"{price}, {row['usd_per_kwh_basis']}, {row['usd_per_kwh_year']}")
    if lowest is not None and row["place"] != lowest["place"]:
        parts.append(f"{row['carbon_to_lowest_place']:.3g} times the carbon of {lowest['place']}")
    return f"{'; '.join(parts)}."


def show_comparison(comparison: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print two accelerators side by side; return whether anything is known of both."""
    rows = comparison.records()
    say_all(*comparison.notes)
    if not rows:
        say(f"Nothing is known of both {asked['a']} and {asked['b']}.")
        return False
    for row in rows:
        row["release"] = " / ".join(dict.fromkeys(filter(None, (row["release_a"], row["release_b"]))))
        for value, end in (("value_a", "_a"), ("value_b", "_b"), ("a_to_b", "")):
            low, high = (row["a_to_b" + x] if not end else row[x[1:] + end] for x in ("_low", "_high"))
            if row[value] is not None:
                row[value] = figure(row[value]) + (f" ({figure(low)} to {figure(high)})" if low else "")
        if row["medians_note"]:
            row["a_to_b"] += f"; {row['medians_note']}"
        if row["standing"]:
            row["a_to_b"] += f"; {row['standing'].replace('_', ' ')}"
    a, b = rows[0]["accelerator_a"], rows[0]["accelerator_b"]
    columns = {
        "topic": "topic",
        "item": "item",
        "unit": "unit",
        "release": "round",
        "value_a": a,
        "value_b": b,
    }
    behind = {"a_to_b": "ratio", "detail_a": f"behind {a}", "detail_b": f"behind {b}"}
    show_columns(rows, columns | behind)
    notes = dict.fromkeys(row[name] for row in rows for name in ("size_note_a", "size_note_b") if row[name])
    say_all(
        *(f"Some rents: {note}" for note in notes), f"What a row rests on: accelmart evidence ID. {_DERIVED}"
    )
    return True


def show_alternatives(tasks: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print each task: the accelerators asked for, and the others that cost least."""
    rows = [row for row in tasks.records() if row["is_main"]]
    sellers = dict.fromkeys(row["only_seller"] for row in rows if row["only_seller"])
    omitted = set() if sellers else {"usd_per_task_at_only_seller"}
    columns = {name: title for name, title in ALTERNATIVES.items() if name not in omitted}
    for task, of_task in groupby(rows, lambda row: row["task"]):
        group = list(of_task)
        suite, unit, cost_unit = (group[0][name] for name in ("suite_kind", "result_unit", "cost_unit"))
        others = [row for row in group if not row["is_asked"]][: limit or None]
        say(f"{suite.capitalize()}, {task}: {unit}, {cost_unit}")
        show_columns([row for row in group if row["is_asked"] or row in others], columns)
        say_all(*(line for row in group if row["is_asked"] for line in _task_verdicts(row)), "")
    if not rows:
        say(
            f"{asked['accelerator']} has no price, so none of its tasks has a cost: --format csv has the speeds."
        )
    bases = dict.fromkeys(f"{row['accelerator_id']}: {row['rent_basis']}." for row in rows if row["is_asked"])
    say_all(
        *tasks.notes,
        *bases,
        "speed: of one accelerator, as MLPerf counts them: one TPU chip or one GPU package, which differ in size. "
        "cost: on demand at the typical neocloud price, or as said above; spot: at spot prices.",
        *(
            f"same seller: at list prices of {name}, the only seller of what was asked for."
            for name in sellers
        ),
        f"Other sizes and accelerators: --limit 0, --format csv or json. {_DERIVED}",
    )
    return bool(rows)


def _task_verdicts(row: Row) -> list[str]:
    """Return how the cost of a task compares: at each accelerator's own price, and at the list prices of one seller."""
    lines = [row["verdict"]] if row["verdict"] else []
    if ratio := row["ratio_at_only_seller"]:
        lines.append(f"at list prices of {row['only_seller']} {ratio:.2f} times the lowest of the others")
    return [f"{row['accelerator_id']}: {'; '.join(lines)}"] if lines else []


def show_prices(answer: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print offers, or where a quote lies among them."""
    rows = answer.records()
    if "sentence" in answer.columns:
        say_all(rows[0]["sentence"], *answer.notes)
        return rows[0]["percentile"] is not None
    usable = [row for row in rows if row["reason"] is None]
    models = list(dict.fromkeys(row["pricing_model"] for row in rows))
    shown = _of_each(usable, limit)
    omitted = {"pricing_model"} if len(models) == 1 else set()
    show_columns(shown, {name: title for name, title in SELLER_OFFERS.items() if name not in omitted})
    if len(usable) > len(shown):
        say(f"{len(usable) - len(shown)} more: --limit 0 shows all")
    for why, number in Counter(row["reason"] for row in rows if row["reason"]).most_common():
        usd = min(row["usd_per_accelerator_hour"] for row in rows if row["reason"] == why)
        say_all(f"does not count: {number} offer{'s' if number > 1 else ''}, from ${usd:.4g}: {why}")
    days = _price_days(rows[0]["price_as_of"], [row["seen_on"] for row in usable])
    say_all(*_typical_prices(rows[0]["accelerator_id"], models, asked), *answer.notes, days)
    return bool(usable)


def _of_each(offers: list[Row], limit: int) -> list[Row]:
    """Return so many offers in their order, of each pricing model the first, then the second ones; 0 is all."""
    places: Counter[str] = Counter()
    placed = []
    for row in offers:
        places[row["pricing_model"]] += 1
        placed.append((places[row["pricing_model"]], row))
    chosen = [row for _, row in sorted(placed, key=lambda each: each[0])[: limit or None]]
    return [row for row in offers if row in chosen]


def _typical_prices(accelerator: str, models: list[str], asked: dict[str, Any]) -> list[str]:
    """Return the typical price under each pricing model, worldwide, and what another neocloud would charge."""
    with reading() as reader:
        rates = reader.ask("rent_rates", accelerator=accelerator, as_of=read_day(asked["as_of"])).records()
    return [
        f"Typical price, {model}, worldwide: ${row['usd']:.2f} (${row['usd_low']:.2f} to ${row['usd_high']:.2f})"
        + _others_price(row)
        for model in models
        for row in rates
        if row["pricing_model"] == model and row["usd_low"]
    ]


def _others_price(row: Row) -> str:
    low, high = row["seller_price_low"], row["seller_price_high"]
    return f"; another neocloud would charge ${low:.2f} to ${high:.2f}." if low else "."


def show_evidence(basis: Evidence, asked: dict[str, Any], limit: int) -> bool:
    """Print what a figure rests on: its row, source, standing, citation."""
    say(f"{basis.kind} {basis.id}: {basis.standing}")
    say(f"Cite as: {basis.citation}")
    say(f"Licence of the source: {basis.licence or 'not stated'}\n")
    print_table(Table(["column", "value"], [(n, v) for n, v in basis.record.items() if v is not None]))
    return True


def show_estimate(done: Estimate, asked: dict[str, Any], limit: int) -> bool:
    """Print an estimate, figures first; return whether it has a figure."""
    reason = done.figures.get("reason")
    apart = [("measured apart", row) for row in done.apart]
    for title, values in (("estimated", done.figures), ("assumed", done.inputs), *apart):
        known = [(name, figure(value)) for name, value in values.items() if value not in (None, reason)]
        print_table(Table([title, ""], known))
        if unknown := [name for name, value in values.items() if value is None]:
            say_all(f"unknown: {', '.join(unknown)}")
        say("")
    if reason:
        say_all(f"No figure: {reason}.")
    for title, sentences in (
        ("Rests on", done.rests_on + [f"point {name}" for name in done.points] or ["no MLPerf result"]),
        ("Extrapolated", done.extrapolations or ["nothing"]),
        ("Basis", [*done.notes, *done.basis]),
    ):
        for sentence in sentences:
            say(f"{title}: {sentence}")
    return reason is None


def show_ownership(ways: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print what owning and each way of renting cost, and where owning breaks even."""
    rows = ways.records()
    show_columns(rows, WAYS)
    say_all(
        *(
            f"{row['option']}: {'; '.join(filter(None, (row['verdict'], row['basis'] or row['reason'])))}."
            for row in rows
        ),
        *ways.notes,
        "month and %: month, and % of the hours used, from when owning costs no more than that rent. Points within "
        "5 % are about the same; where ranges overlap, one probably costs less. "
        f"Formula: macro rent_or_own. {_DERIVED}",
    )
    return bool(rows)


def show_keeping(ways: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print what keeping accelerators costs, and what selling them and renting others costs."""
    rows = ways.records()
    keep = rows[0]
    if keep["reason"]:
        say_all(*ways.notes, f"No figure: {keep['reason']}.")
        return False
    show_columns(rows, KEPT, limit)
    parts = ("electricity", "colocation", "maintenance", "staff")
    spent = ", ".join(f"{part} {figure(keep[f'{part}_usd'])}" for part in parts)
    say_all(
        *ways.notes,
        *filter(None, [keep["task_note"]]),
        f"{figure(keep['tokens_per_day'])} output tokens a day for {keep['months']} months. Keeping: running US$ "
        f"{figure(keep['running_usd'])} ({spent}), value lost with interest {figure(keep['value_lost_usd'])}; "
        f"{keep['verdict'] or 'nothing to compare with'}.",
        f"They would sell for US$ {figure(keep['resale_usd'])} ({figure(keep['resale_usd_low'])} to "
        f"{figure(keep['resale_usd_high'])}) on {keep['price_as_of']}: {keep['resale_basis']}.",
        "running: running cost of a million tokens. sell from: for that many months and any longer time, selling and "
        "renting costs no more than keeping; empty: it costs more for any time. Rents are on demand at the price "
        f"level, or at the median of sellers. Formula: macro keep_or_sell. {_DERIVED}",
    )
    return True


def show_power(options: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print what a power limit carries, most tokens first."""
    rows = options.records()
    ranked = [row for row in rows if row["rank"] is not None]
    show_columns(ranked, POWERED, limit)
    for row in ranked[: min(limit or _EXPLAINED, _EXPLAINED)]:
        say_all(
            f"{row['rank']}. {row['accelerator_id']}: {figure(row['provisioned_watts_per_accelerator'])} W each at "
            f"full load x PUE {figure(row['pue'])}; at the {figure(row['drawn_watts_per_accelerator'])} W drawn on "
            f"average {figure(row['machines_at_drawn_power'])} machines ({figure(row['machines_at_drawn_power_low'])} "
            f"to {figure(row['machines_at_drawn_power_high'])}). Over {row['months']:g} months US$ "
            f"{figure(row['rented_usd'])} rented, {figure(row['owned_usd'])} owned; purchase "
            f"{figure(row['purchase_usd'])}. Speed: MLPerf {round_of(row)}, {row['submitter']}, result "
            f"{row['result_id']}.",
        )
    say_all(
        *(f"not ranked: {row['accelerator_id']}: {row['reason']}" for row in rows if row["reason"]),
        *options.notes,
        f"At {asked['utilisation']:g} % of the measured throughput. A machine is a rack of a rack-scale system, else a "
        "server. CO2e: of the power drawn on average, on an average grid. Formula: macro power_budget. "
        f"{_DERIVED}",
    )
    return bool(ranked)
