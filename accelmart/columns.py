"""Columns of the short form of an answer, and their headings on a terminal; csv, json and details have all."""

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
# columns whose text stands below the table, under a number
FOOTNOTES = {"size_note", "sites"}
