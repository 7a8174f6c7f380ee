"""Columns of the short form of an answer, and their headings on a terminal; csv, json and details have all."""

from __future__ import annotations

from typing import Any

LEVELS = {
    "accelerator_id": "accelerator",
    "release": "round",
    "number_format": "format",
    "usd_per_output_mtok_at_level": "$/Mtok",
    "usd_per_output_mtok_at_level_low": "low",
    "usd_per_output_mtok_at_level_high": "high",
    "n_sellers_of_level": "sellers",
    "usd_per_output_mtok_cheapest": "cheapest",
    "usd_per_output_mtok_median": "median",
    "n_sellers": "of",
    "same_seller_ratio": "same",
    "n_same_sellers": "at",
    "size_note": "note",
}
OFFERS = {
    "usd_per_output_mtok": "$/Mtok",
    "size_note": "note",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "pricing_model": "pricing",
    "usd_per_accelerator_hour": "$/hour",
    "region": "region",
    "sites": "sites",
    "price_seen_on": "seen",
    "price_standing": "price",
}
BY_CARBON = {
    "carbon_rank": "rank",
    "kg_co2e_per_output_mtok": "kg CO2e/Mtok",
    "kg_co2e_per_output_mtok_low": "low",
    "kg_co2e_per_output_mtok_high": "high",
    "usd_per_output_mtok": "$/Mtok",
    "extra_cost_pct": "extra %",
    "size_note": "note",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "region": "region",
    "grid_level": "grid of",
    "grid_year": "grid year",
}
TOKEN_COSTS = {
    "accelerator_id": "accelerator",
    "release": "round",
    "number_format": "format",
    "usd_per_total_mtok_at_full_use": "$/Mtok full use",
    "usd_per_total_mtok_at_full_use_low": "low",
    "usd_per_total_mtok_at_full_use_high": "high",
    "usd_per_total_mtok_at_low_use": "30 % use",
    "usd_per_total_mtok_at_low_use_low": "low",
    "usd_per_total_mtok_at_low_use_high": "high",
    "n_sellers": "sellers",
}
TOKEN_PRICES = {
    "provider": "provider",
    "usd_per_total_mtok_charged": "$/Mtok",
    "usd_per_input_mtok": "input",
    "usd_per_output_mtok": "output",
    "charged_as_of": "listed",
    "days_unchanged": "days unchanged",
    "price_kind": "kind",
    "market_model": "model",
}
ELECTRICITY = {
    "accelerator_id": "accelerator",
    "place": "place",
    "kwh_per_output_mtok": "kWh/Mtok",
    "kg_co2e_per_output_mtok": "kg CO2e/Mtok",
    "kg_co2e_per_output_mtok_low": "low",
    "kg_co2e_per_output_mtok_high": "high",
    "electricity_usd_per_output_mtok": "electricity $/Mtok",
    "usd_per_output_mtok": "rent $/Mtok",
    "provider": "at",
    "sites": "sites",
}
OPTIONS = {
    "rank": "",
    "accelerator_id": "accelerator",
    "how": "how",
    "accelerators": "number",
    "cost_usd": "cost US$",
    "cost_usd_low": "low",
    "cost_usd_high": "high",
    "paid_usd": "to pay US$",
    "usd_per_output_mtok": "$/Mtok",
    "size_note": "note",
    "j_per_output_token": "J/token",
}
REFUSED = {
    "accelerator_id": "accelerator",
    "how": "how",
    "accelerators": "number",
    "paid_usd": "to pay US$",
    "reason": "reason",
}
WAYS = {
    "option": "option",
    "standing": "standing",
    "usd": "US$",
    "usd_low": "low",
    "usd_high": "high",
    "months_to_break_even": "month",
    "months_to_break_even_low": "low",
    "months_to_break_even_high": "high",
    "break_even_utilisation_pct": "%",
    "break_even_utilisation_pct_low": "low",
    "break_even_utilisation_pct_high": "high",
}
ALTERNATIVES = {
    "accelerator_id": "accelerator",
    "release": "round",
    "throughput_per_accelerator": "speed",
    "usd_per_accelerator_hour": "$/hour",
    "usd_per_task": "cost",
    "usd_per_task_low": "low",
    "usd_per_task_high": "high",
    "usd_per_task_at_spot": "spot",
    "usd_per_task_at_only_seller": "same seller",
    "caveats": "note",
}
SELLER_OFFERS = {
    "pricing_model": "pricing",
    "provider": "seller",
    "usd_per_accelerator_hour": "$/hour",
    "region": "region",
    "sites": "sites",
    "machine_accelerators": "size",
    "seen_on": "seen",
}
KEPT = {
    "option": "option",
    "accelerator_id": "accelerator",
    "accelerators": "number",
    "usd": "US$",
    "usd_low": "low",
    "usd_high": "high",
    "standing": "standing",
    "usd_per_output_mtok": "$/Mtok",
    "running_usd_per_output_mtok": "running",
    "sell_from_month": "sell from",
    "sell_from_month_low": "low",
    "sell_from_month_high": "high",
}
POWERED = {
    "rank": "",
    "accelerator_id": "accelerator",
    "machines": "machines",
    "racks": "racks",
    "accelerators": "number",
    "tokens_per_day": "tokens/day",
    "rented_usd_per_month": "rent $/month",
    "rented_usd_per_month_low": "low",
    "rented_usd_per_month_high": "high",
    "owned_usd_per_month": "own $/month",
    "owned_usd_per_month_low": "low",
    "owned_usd_per_month_high": "high",
    "kg_co2e_per_month": "kg CO2e/month",
}
COMPARED = {
    "topic": "topic",
    "item": "item",
    "unit": "unit",
    "release_a": "round",
    "value_a": "first",
    "release_b": "round",
    "value_b": "second",
    "a_to_b": "ratio",
    "a_to_b_low": "low",
    "a_to_b_high": "high",
    "standing": "standing",
    "detail_a": "behind the first",
    "detail_b": "behind the second",
}
HISTORY = {
    "accelerator_id": "accelerator",
    "pricing_model": "pricing",
    "month": "month",
    "index": "index",
    "index_low": "low",
    "index_high": "high",
    "base_month": "100 in",
    "change_1m_pct": "1 month %",
    "change_1m_pct_low": "low",
    "change_1m_pct_high": "high",
    "change_3m_pct": "3 months %",
    "change_3m_pct_low": "low",
    "change_3m_pct_high": "high",
    "change_12m_pct": "12 months %",
    "change_12m_pct_low": "low",
    "change_12m_pct_high": "high",
    "n_sellers": "sellers",
}
RECORD = {"column": "column", "value": "value"}
# topic and words of the items of a comparison that decide, and how many rows of each
DECISIVE = (
    ("at the same sellers", "on_demand, an hour", 1),
    ("at the same sellers", " Interactive", 1),
    ("at the same sellers", " Offline", 1),
    ("at the same sellers", " Server", 1),
    ("inference", " Server", 1),
    ("training", "", 1),
    ("rent", "on_demand, price level", 1),
    ("rented, on demand", " Server", 1),
    ("ownership", ", observed purchase", 1),
    ("specification", "memory", 2),
    ("energy, measured", "", 1),
    ("energy, modelled", " Server", 1),
)
# columns whose text stands below the table, under a number
FOOTNOTES = {"size_note", "sites", "caveats"}


def decisive(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a comparison with ``main_place``, null where a row is not among those that decide."""
    first: list[dict[str, Any]] = []
    for topic, words, most in DECISIVE:
        matching = [
            row for row in rows if row["topic"] == topic and words in row["item"] and row not in first
        ]
        first += matching[:most]
    return [row | {"main_place": first.index(row) if row in first else None} for row in rows]
