"""What each command of a question prints, see `accelmart.cli.describe`."""

from __future__ import annotations

from collections.abc import Callable

from accelmart.cli.describe import Description, Part, Reasons, is_known
from accelmart.columns import (
    ALTERNATIVES,
    COMPARED,
    ELECTRICITY,
    HISTORY,
    KEPT,
    OPTIONS,
    POWERED,
    RECORD,
    REFUSED,
    SELLER_OFFERS,
    TOKEN_COSTS,
    TOKEN_PRICES,
    WAYS,
)
from accelmart.published import Row


def _is(name: str, *values: object) -> Callable[[Row], bool]:
    return lambda row: row[name] in values


_SPEED = (
    "Speed: {output_tokens_per_s_per_accelerator} output tokens/s each, MLPerf {release}, {submitter}, result "
    "{result_id}."
)


def _estimate(*sentence: str) -> Description:
    """Return the description of an estimate; `accelmart.cli.rows` makes its rows."""
    return Description(
        sentence=sentence,
        columns={"estimate": "{what}", "value": "{value}", "low": "{low}", "high": "{high}"},
        refusal="No figure: {reason}.",
        where=_is("kind", "short"),
        notes=("{extrapolation}", "Price of an hour: {price_basis}.", "Range: {uncertainty_basis}."),
        parts=tuple(
            Part(RECORD, f"{kind.capitalize()}:", where=_is("kind", kind), most=0)
            for kind in ("estimated", "assumed", "measured apart")
        ),
    )


DESCRIPTIONS: dict[str, Description] = {
    "choose": Description(
        sentence=(
            "{how} {accelerators} x {accelerator_id}: ${cost_usd:short} for {months} months "
            "({$cost_usd±:short}). It {standing:verdict}; next: {next_how} {next_accelerators} x "
            "{next_accelerator_id} at "
            "${next_cost_usd:short}.",
            "{how} {accelerators} x {accelerator_id}: ${cost_usd:short} for {months} months ({$cost_usd±:short}).",
        ),
        refusal=(
            "No option holds the model, keeps the limits and stays within the budget. The nearest, {how} "
            "{accelerators} "
            "x {accelerator_id} at ${paid_usd:short}: {reason}.",
            "No option holds the model, keeps the limits and stays within the budget: {reason}.",
        ),
        columns={
            "option": "{how} {accelerators} x {accelerator_id}",
            "cost $": "{cost_usd:short}",
            "range": "{cost_usd±:short}",
            "to pay $": "{paid_usd:short}",
            "$/Mtok": "{usd_per_output_mtok}",
            "verdict": "{standing:verdict}",
        },
        where=is_known("rank"),
        notes=(
            "Not certain in the first: {unknown}.",
            "{tokens_per_day:short} output tokens a day at {utilisation} % of the measured speed; budget "
            "${budget:short}.",
        ),
        parts=(
            Part(
                OPTIONS,
                where=is_known("rank"),
                each=(
                    "\n{rank}. {accelerators} x {accelerator_id}, {how}: {verdict}.",
                    (
                        "Price: level of {n_sellers_of_level} sellers, ${usd_per_accelerator_hour:.2f} an hour; "
                        "cheapest "
                        "${cost_usd_cheapest:short} at {cheapest_provider} (offer {cheapest_offer_id}).",
                        "Price: median of {n_sellers} sellers, ${usd_per_accelerator_hour:.2f} an hour; cheapest "
                        "${cost_usd_cheapest:short} at {cheapest_provider} (offer {cheapest_offer_id}).",
                        "Purchase ${purchase_usd:short}, running ${running_usd:short} ({owner_scenario_id}, capital "
                        "{capex_basis:words} as of {price_level}).",
                        "Running ${running_usd:short} ({owner_scenario_id}).",
                    ),
                    "Memory: {needed_memory_gb} GB needed, {machine_memory_gb} GB in a machine of "
                    "{machine_accelerators}. Not certain: {unknown}.",
                    _SPEED,
                ),
            ),
            Part(REFUSED, "Not recommended:", where=_is("rank", None)),
        ),
        closing=(
            "cost: the rent, or the cost of ownership over the months; options are ranked by it. to pay: the rent, or "
            "purchase and running cost; the budget bounds it. have: running cost alone. J/token: measured where it was "
            "metered, else modelled, at full use.",
        ),
    ),
    "keep_or_sell": Description(
        sentence=(
            "Keeping {accelerators} x {accelerator_id} {standing:verdict} over {months} months: ${usd:short} against "
            "${next_usd:short} for selling them and renting {next_accelerators} x {next_accelerator_id}. Running them "
            "costs ${running_usd_per_output_mtok} per million output tokens ({$running_usd_per_output_mtok±}).",
            "Keeping {accelerators} x {accelerator_id} costs ${usd:short} over {months} months; running them costs "
            "${running_usd_per_output_mtok} per million output tokens.",
        ),
        refusal="No figure: {reason}.",
        columns={
            "option": "{option:words}",
            "accelerators": "{accelerators} x {accelerator_id}",
            "cost $": "{usd:short}",
            "range": "{usd±:short}",
            "$/Mtok": "{usd_per_output_mtok}",
            "verdict": "{standing:verdict}",
        },
        where=is_known("usd"),
        notes=(
            "They would sell for ${resale_usd:short} ({$resale_usd±:short}).",
            "{task_note}.",
        ),
        parts=(
            Part(KEPT, where=is_known("usd")),
            Part(
                {},
                where=_is("option", "keep"),
                each=(
                    "{tokens_per_day:short} output tokens a day for {months} months. Keeping: running ${running_usd} "
                    "(electricity {electricity_usd}, colocation {colocation_usd}, maintenance {maintenance_usd}, staff "
                    "{staff_usd}), value lost with interest {value_lost_usd}; {verdict}.",
                    "Resale on {price_as_of}: {resale_basis}.",
                ),
            ),
        ),
        closing=(
            "running: running cost of a million tokens. sell from: for that many months and any longer time, "
            "selling and "
            "renting costs no more than keeping; empty: it costs more for any time. Formula: macro keep_or_sell.",
        ),
    ),
    "power_budget": Description(
        sentence="Most tokens: {machines} machines ({accelerators:,}) of {accelerator_id}, "
        "{tokens_per_day:short} output tokens "
        "a day of {benchmark_id}, for ${rented_usd_per_month:short} a month rented or "
        "${owned_usd_per_month:short} owned.",
        refusal="The limit carries no machine: {reason}.",
        columns={
            "accelerator": "{accelerator_id}",
            "machines": "{machines}",
            "tokens/day": "{tokens_per_day:short}",
            "rent $/month": "{rented_usd_per_month:short} ({rented_usd_per_month±:short})",
            "own $/month": "{owned_usd_per_month:short} ({owned_usd_per_month±:short})",
            "kg CO2e/month": "{kg_co2e_per_month:short}",
        },
        where=is_known("rank"),
        notes=(
            "At {utilisation} % of the measured speed; machines are counted at their power at full load x PUE {pue}.",
            "A machine is a rack of a rack-scale system, else a server. CO2e on an average grid ({grid_id}).",
        ),
        parts=(
            Part(
                POWERED,
                where=is_known("rank"),
                each=(
                    "{rank}. {accelerator_id}: {provisioned_watts_per_accelerator} W each at full load x PUE "
                    "{pue}; at the "
                    "{drawn_watts_per_accelerator} W drawn on average {machines_at_drawn_power} machines "
                    "({machines_at_drawn_power±}). Over {months} months "
                    "${rented_usd:short} rented, ${owned_usd:short} owned; purchase ${purchase_usd:short}.",
                    _SPEED,
                ),
            ),
        ),
        reasons=Reasons("reason", "accelerators", "not ranked: {n} x: {reason}"),
        closing=("Formula: macro power_budget.",),
    ),
    "tokens": Description(
        sentence=(
            "Producing a million tokens of {benchmark_id} costs ${usd_per_total_mtok_at_full_use} on "
            "{accelerator_id} at full "
            "use, ${usd_per_total_mtok_at_low_use} at {low_use_pct} % use; providers charge "
            "${usd_per_total_mtok_charged} "
            "(median of {n_providers}, {$usd_per_total_mtok_charged±}).",
            "Producing a million tokens of {benchmark_id} costs ${usd_per_total_mtok_at_full_use} on "
            "{accelerator_id} at full "
            "use, ${usd_per_total_mtok_at_low_use} at {low_use_pct} % use; no price to compare with.",
        ),
        refusal="No cost: {reason}.",
        columns={
            "accelerator": "{accelerator_id}",
            "$/Mtok full use": "{usd_per_total_mtok_at_full_use}",
            "range": "{usd_per_total_mtok_at_full_use±}",
            "30 % use": "{usd_per_total_mtok_at_low_use}",
            "verdict": "{standing:verdict}",
            "sellers": "{n_sellers}",
        },
        where=lambda row: row["usd_per_total_mtok_at_full_use"] is not None,
        notes=(
            "Input and output together, {mean_input_length:,.0f} : {mean_output_length:,.0f} tokens; rented on demand.",
            "Prices of {providers}, listed on {charged_as_of}.",
            "A price covers more than accelerators, so do not subtract a cost from it.",
        ),
        parts=(
            Part(TOKEN_COSTS, where=lambda row: row["usd_per_total_mtok_at_full_use"] is not None),
            Part(TOKEN_PRICES, "Prices charged for the same mix:", where=_is("row_kind", "price")),
            Part(
                TOKEN_PRICES,
                "Apart (discounts, prices of some hours, related models):",
                where=_is("row_kind", "price apart"),
            ),
        ),
        reasons=Reasons("reason", "usd_per_total_mtok_charged", "{reason} ({n} rows)"),
    ),
    "electricity": Description(
        sentence=(
            "{place} has the lowest carbon: {kg_co2e_per_output_mtok} kg CO2e per million output tokens on "
            "{accelerator_id}; {other_place} {other_carbon_to_lowest_place:.3g} times as much. Electricity costs "
            "${electricity_usd_per_output_mtok} against ${other_electricity_usd_per_output_mtok}.",
            "{place}: {kwh_per_output_mtok} kWh and {kg_co2e_per_output_mtok} kg CO2e per million output tokens on "
            "{accelerator_id}.",
        ),
        refusal="No figure: {reason}.",
        columns={
            "accelerator": "{accelerator_id}",
            "place": "{place}",
            "kWh/Mtok": "{kwh_per_output_mtok}",
            "kg CO2e/Mtok": "{kg_co2e_per_output_mtok} ({kg_co2e_per_output_mtok±})",
            "electricity $": "{electricity_usd_per_output_mtok}",
            "rent $/Mtok": "{usd_per_output_mtok} {provider}",
        },
        where=is_known("kg_co2e_per_output_mtok"),
        notes=(
            "Electricity is modelled with PUE, at full use; the rent contains it.",
            "{place}: {kg_co2e_per_kwh} kg CO2e/kWh, {grid_basis}, {grid_year_low:d}; ${usd_per_kwh}/kWh, "
            "{usd_per_kwh_basis}.",
        ),
        parts=(
            Part(
                ELECTRICITY,
                each=(
                    "{place}: {kg_co2e_per_kwh} kg CO2e/kWh ({kg_co2e_per_kwh±}), "
                    "{grid_basis}, "
                    "{grid_year_low:d}; electricity ${usd_per_kwh}/kWh, {usd_per_kwh_basis}, {usd_per_kwh_year:d}.",
                ),
            ),
        ),
        reasons=Reasons("reason", "usd_per_output_mtok", "{reason}: {n} rows"),
    ),
    "compare": Description(
        sentence=(
            "{accelerator_a} against {accelerator_b}: an hour costs {a_to_b:.3g} times as much at the same sellers "
            "({a_to_b±:.3g}); {next_item}: {next_a_to_b:.3g} times.",
            "{accelerator_a} against {accelerator_b}: {item}, {topic}: {a_to_b:.3g} times.",
        ),
        refusal="Nothing is known of both {a} and {b}.",
        columns={
            "what": "{item}, {topic}",
            "{accelerator_a}": "{value_a}",
            "{accelerator_b}": "{value_b}",
            "ratio": "{a_to_b:.3g}",
            "range": "{a_to_b±:.3g}",
        },
        where=is_known("main_place"),
        order=lambda row: row["main_place"],
        parts=(
            Part(
                COMPARED,
                "first is {accelerator_a}, second {accelerator_b}",
                where=lambda row: True,
                each=("{item}: {medians_note}", "Some prices: {size_note_a}", "Some prices: {size_note_b}"),
                all_in_words=True,
            ),
        ),
        closing=("What a row rests on: accelmart evidence ID; --json has the ids.",),
    ),
    "alternatives": Description(
        sentence=(
            "{accelerator_id} {verdict}: {task}, {usd_per_task} {cost_unit} ({usd_per_task±}). "
            "All tasks: {standings}.",
            "{accelerator_id}: {task}, {usd_per_task} {cost_unit}; nothing to compare with.",
        ),
        refusal="No task has both a price and another accelerator: --json has the speeds.",
        columns={
            "task": "{task}",
            "accelerator": "{accelerator_id}",
            "cost $": "{usd_per_task}",
            "range": "{usd_per_task±}",
            "verdict": "{verdict}",
            "list prices": "{ratio_at_only_seller:.2f} x",
        },
        where=lambda row: bool(row["is_main"] and row["is_asked"] and row["usd_per_task"] is not None),
        order=lambda row: row["verdict"] is None,
        notes=(
            "list prices: cost divided by the lowest of the others, all at list prices of {only_seller}.",
            "Price of an hour of {accelerator_id}: {rent_basis}.",
        ),
        parts=(
            Part(
                {"task": "task"} | ALTERNATIVES,
                where=lambda row: bool(row["is_main"] and (row["is_asked"] or row["place"] in (1, 2, 3))),
            ),
            Part(
                {},
                where=lambda row: bool(row["is_main"] and row["is_asked"] and row["verdict"]),
                each=(
                    "{task}: {accelerator_id} {verdict}",
                    "{task}: {accelerator_id} at list prices of {only_seller} {ratio_at_only_seller:.2f} times the "
                    "lowest of the others",
                    "{accelerator_id}: {rent_basis}.",
                ),
                all_in_words=True,
            ),
        ),
        closing=(
            "same seller: at list prices of {only_seller}, the only seller of what was asked for.",
            "speed: of one accelerator, one TPU chip or one GPU package, which differ in size.",
        ),
    ),
    "prices": Description(
        sentence=(
            "{sentence}",
            "First for {asked_region}: {provider}, {accelerator_id} {pricing_model:words} at "
            "${usd_per_accelerator_hour} an "
            "hour. Sellers with all their sites inside come first.",
            "Cheapest: {provider}, {accelerator_id} {pricing_model:words} at ${usd_per_accelerator_hour} an hour.",
        ),
        refusal="No offer counts: {reason}.",
        columns={
            "seller": "{provider}",
            "$/hour": "{usd_per_accelerator_hour}",
            "pricing": "{pricing_model:words}",
            "region": "{where}",
            "size": "{machine_accelerators}",
            "seen": "{seen_on:day}",
        },
        where=lambda row: row.get("reason") is None and row.get("percentile", 0) is not None,
        order=lambda row: row.get("place", 0),
        beside="""
            select string_agg(
                format('{} {:.2f} ({:.2f} to {:.2f})', replace(pricing_model, '_', ' '), usd, usd_low, usd_high),
                ', ' order by pricing_model
            ) as typical,
            any_value(format('A new neocloud would charge {:.2f} to {:.2f}.', seller_price_low, seller_price_high))
                filter (pricing_model = 'on_demand') as others
            from rent_rates(accelerator := $accelerator_id, as_of := $price_as_of)
            where usd_low is not null and pricing_model <> 'capacity_block'
        """,
        notes=("Typical $/hour worldwide: {typical}.",),
        closing=("{others}",),
        parts=(Part(SELLER_OFFERS, where=lambda row: row.get("reason", "") is None and "seen_on" in row),),
        reasons=Reasons(
            "reason",
            "usd_per_accelerator_hour",
            "does not count: {n} of the offers, from ${lowest}: {reason}",
        ),
    ),
    "history": Description(
        sentence="{accelerator_id}, {pricing_model:words}: the price of an hour changed by "
        "{change_12m_pct:+.0f} % in 12 months to "
        "{month:%b %Y} ({change_12m_pct±:+.0f} %).",
        refusal="No index of {accelerator_id}: {reason}.",
        columns={
            "accelerator": "{accelerator_id}",
            "$/hour now": "{usd_per_accelerator_hour:.2f} ({usd_per_accelerator_hour±:.2f})",
            "1 month, %": (
                "{change_1m_pct:+.0f} ({change_1m_pct±:+.0f})",
                "{change_1m_pct:+.0f}",
            ),
            "3 months, %": (
                "{change_3m_pct:+.0f} ({change_3m_pct±:+.0f})",
                "{change_3m_pct:+.0f}",
            ),
            "12 months, %": (
                "{change_12m_pct:+.0f} ({change_12m_pct±:+.0f})",
                "{change_12m_pct:+.0f}",
            ),
            "by month": "{spark}",
        },
        where=is_known("index"),
        notes=(
            "Index of {month:%b %Y}: {index:.0f} ({index±:.0f}; {base_month:%b %Y} is "
            "100). by month: "
            "the last 13 months, a gap is a month without an index.",
        ),
        parts=(Part(HISTORY),),
    ),
    "estimate_ownership": Description(
        sentence="{option:words} {standing:verdict} over {months} months: ${usd:short} ({$usd±:short}) for "
        "{accelerators} x {accelerator_id}, next: {next_option:words}, ${next_usd:short}.",
        columns={
            "option": "{option:words}",
            "cost $": "{usd:short}",
            "range": "{usd±:short}",
            "verdict": "{standing:verdict}",
            "own from month": "{months_to_break_even}",
            "own from use": "{break_even_utilisation_pct:.0f} %",
        },
        notes=(
            "{utilisation_pct:.0f} % of the hours used. own from: month, or share of hours used, from when "
            "owning costs no more.",
            "Price level: what a typical neocloud charges.",
        ),
        parts=(
            Part(
                WAYS,
                each=(("{option}: {verdict}; {basis}.", "{option}: {basis}.", "{option}: {reason}."),),
                all_in_words=True,
            ),
        ),
        closing=(
            "month and %: month, and % of the hours used, from when owning costs no more than that rent. Points within "
            "5 % are about the same; where ranges overlap, one probably costs less. Formula: macro rent_or_own.",
        ),
    ),
    "estimate_training": _estimate(
        "{gpus:,} x {accelerator} train {params:short} parameters on {tokens:short} tokens in {days:.0f} days "
        "({days±:.0f}) for ${rental_usd:short} of rent ({$rental_usd±:short}).",
        "{gpus:,} x {accelerator} train {params:short} parameters on {tokens:short} tokens in {days:.0f} days "
        "for ${rental_usd:short}.",
        "{gpus:,} x {accelerator} train {params:short} parameters on {tokens:short} tokens in {days:.0f} days.",
    ),
    "estimate_serving": _estimate(
        "At {tokens_per_s_per_user} tokens/s per user, {accelerator} generates a million output tokens for "
        "${rent_usd_per_output_mtok} rented ({$rent_usd_per_output_mtok±}) or "
        "${owned_usd_per_output_mtok} owned ({$owned_usd_per_output_mtok±}).",
        "At {tokens_per_s_per_user} tokens/s per user, {accelerator} generates "
        "{output_tokens_per_s_per_accelerator:,.0f} "
        "tokens/s each.",
        "{accelerators:,} x {accelerator} serve {tokens_per_day:short} output tokens of {model} a day for "
        "${rental_usd_per_day:short} of rent a day, ${usd_per_output_mtok} per million "
        "({$usd_per_output_mtok±}).",
        "{accelerators:,} x {accelerator} serve {tokens_per_day:short} output tokens of {model} a day, "
        "${usd_per_output_mtok} per million.",
        "{accelerators:,} x {accelerator} serve {tokens_per_day:short} output tokens of {model} a day.",
    ),
    "claims": Description(
        sentence=("Claims by {by}: {standings}.", "Claims: {standings}."),
        columns={
            "claim": "{statement_short}",
            "by": "{claimed_by}",
            "verdict": "{verdict}",
            "measured ÷ claimed": "{ratio:.2f}",
            "day": "{claim_date}",
            "id": "{claim_id}",
        },
        order=lambda row: row["verdict"] == "holds",
        notes=(
            "Checked against MLPerf results; claims that do not hold come first. Each: accelmart evidence ID.",
        ),
        parts=(
            Part(
                {},
                each=("{claim_id}, {claimed_by}, {claim_date}: {statement_short}. {reason}",),
                all_in_words=True,
            ),
        ),
    ),
    "accuracy": Description(
        sentence="Most cases: {estimator}, {case_kind}. Half of {n_cases:,} past cases were within "
        "{median_error_pct:.0f} %, nine "
        "in ten within {p90_error_pct:.0f} %; the range held {inside_pct:.0f} % of them.",
        columns={
            "estimate": "{estimator}: {case_kind}",
            "half within": "{median_error_pct:.0f} %",
            "90 % within": "{p90_error_pct:.0f} %",
            "range held": "{inside_pct:.0f} %",
            "cases": "{n_cases}",
        },
        notes=(
            "Each case was estimated without its own group (seller, submitter, system). Ranges are meant to hold 95 %.",
        ),
        parts=(
            Part(
                {},
                each=(
                    "{estimator}, {case_kind}: {sentence} {reason}",
                    "{estimator}, {case_kind}: {sentence}",
                ),
                all_in_words=True,
            ),
        ),
    ),
    "evidence": Description(
        sentence=("{id}: {statement_short}. {reason_of_claim}", "{kind} {id}: {standing}."),
        columns={"column": "{column}", "value": "{value}"},
        notes=("{standing}.", "Cite as: {citation}", "Licence of the source: {licence}."),
        parts=(Part(RECORD, most=0),),
    ),
}
