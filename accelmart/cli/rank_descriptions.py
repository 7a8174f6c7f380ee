"""What `accelmart rank` prints: price levels, or offers, or offers by carbon."""

from __future__ import annotations

from accelmart.cli.describe import Description, Part, Reasons, is_known
from accelmart.columns import BY_CARBON, LEVELS, OFFERS

_LEVEL = "Price level: the typical price of a GPU-only cloud. Where ranges overlap, the order is not certain."

LEVELS_OF_RANK = Description(
    sentence=(
        "Lowest: {accelerator_id} at ${usd_per_output_mtok_at_level} per million output tokens of {benchmark_id} "
        "({scenario}, {pricing_model:words}), {$usd_per_output_mtok_at_level±}. "
        "{next_accelerator_id} {next_standing:verdict}.",
        "{accelerator_id}: ${usd_per_output_mtok_at_level} per million output tokens of {benchmark_id} ({scenario}, "
        "{pricing_model}).",
    ),
    refusal="No accelerator has a price level for {model} ({scenario}): {level_reason}. Offers: --explain.",
    columns={
        "accelerator": "{accelerator_id}",
        "$/Mtok": "{usd_per_output_mtok_at_level}",
        "range": "{usd_per_output_mtok_at_level±}",
        "against the lowest": "{standing:verdict}",
        "cheapest offer": "{usd_per_output_mtok_cheapest} {cheapest_provider}",
        "tokens/s": "{output_tokens_per_s_per_accelerator:,.0f}",
    },
    where=lambda row: row.get("usd_per_output_mtok_at_level") is not None,
    notes=(_LEVEL, "At full use of the measured speed."),
    parts=(
        Part(
            LEVELS,
            "At the price level of each accelerator, {pricing_model}:",
            where=lambda row: (
                "n_sellers_of_level" in row
                and (row["usd_per_output_mtok_at_level"] is not None or row["n_sellers"] > 0)
            ),
            all_in_words=True,
            each=(
                "{accelerator_id}: {output_tokens_per_s_per_accelerator:,.1f} tokens/s, {release}; the median of "
                "{newest_release} is {newest_release_median:,.1f} (n {newest_release_n_results})",
                "prices of {accelerator_id} moved by {level_moved_since_oldest_pct:+.0f} % since the oldest in "
                "its level",
                "no level for {accelerator_id}: {level_reason}",
            ),
        ),
        Part(OFFERS, "Cheapest offer of each seller:", where=lambda row: row.get("rank_reason", "") is None),
    ),
    reasons=Reasons(
        "rank_reason", "usd_per_output_mtok", "not ranked: {n} of the offers, from ${lowest}/Mtok: {reason}"
    ),
    closing=(
        "cheapest, median: of the sellers with a recent price of a machine that holds the model. same: cost of a token "
        "against the first line at the sellers of both. An offer compares sellers, a price level accelerators.",
    ),
)

OFFERS_OF_RANK = Description(
    sentence=(
        "Cheapest: {accelerator_id} at {provider}, ${usd_per_output_mtok} per million output tokens of {model} "
        "({scenario}, {pricing_model:words}): ${usd_per_accelerator_hour} an hour.",
    ),
    refusal="No offer is ranked: {rank_reason}.",
    columns={
        "accelerator": "{accelerator_id}",
        "seller": "{provider}",
        "$/Mtok": "{usd_per_output_mtok}",
        "$/hour": "{usd_per_accelerator_hour}",
        "region": "{region}",
        "seen": "{price_seen_on:day}",
    },
    where=lambda row: row["rank_reason"] is None,
    notes=("Offers compare sellers: each accelerator has its own. At full use of the measured speed.",),
    parts=(Part(OFFERS, "Cheapest offer of each seller:", where=lambda row: row["rank_reason"] is None),),
    reasons=LEVELS_OF_RANK.reasons,
)

CARBON_OF_RANK = Description(
    sentence=(
        "Lowest carbon: {accelerator_id} at {provider}, {region}: {kg_co2e_per_output_mtok} kg CO2e per million output "
        "tokens of {model} ({scenario}), {kg_co2e_per_output_mtok±}; "
        "${usd_per_output_mtok}.",
    ),
    refusal="No offer is ranked: {carbon_rank_reason}.",
    columns={
        "accelerator": "{accelerator_id}",
        "seller": "{provider}",
        "region": "{region}",
        "kg CO2e/Mtok": "{kg_co2e_per_output_mtok}",
        "$/Mtok": "{usd_per_output_mtok}",
        "extra cost": "{extra_cost_pct:.0f} %",
    },
    where=is_known("carbon_rank"),
    notes=(
        "Electricity is modelled with PUE, on the average grid of a year; making the hardware is not included.",
    ),
    parts=(
        Part(
            BY_CARBON,
            "Lowest carbon first, among offers that cost little more than the cheapest:",
            where=is_known("carbon_rank"),
        ),
    ),
    reasons=Reasons(
        "carbon_rank_reason",
        "usd_per_output_mtok",
        "not ranked: {n} of the offers, from ${lowest}/Mtok: {reason}",
    ),
)
