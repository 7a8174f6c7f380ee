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
# columns whose text stands below the table, under a number
FOOTNOTES = {"size_note", "sites", "caveats"}
