"""Groups of assets in Dagster: every domain has one, and no asset depends on one of a group further right.

So the lineage of groups reads from left to right: sources, seeds and inputs of a build, staging, then the domains.
"""

from __future__ import annotations

import re

# name, and the names of the dbt models below staging that belong to it; left to right
_MODELS = {
    "mlperf_results": r"int_mlperf|int_inference|int_training__(?!hour)|fct_(inference|training)|mart_training|"
    r"mart_inference_(throughput|source)|mart_token_throughput|mart_best|(int|mart)_software|"
    r"dim_(benchmark|system|release|submitter)",
    "rental_prices": r"int_price|fct_price|mart_(price|rental_price|seller_price|same_seller)|dim_(instance|provider)",
    "accelerators": r"dim_accelerator|int_specs|mart_spec",
    "ownership": r"int_tco|mart_tco|mart_hardware_price|int_training__hour",
    "energy": r"int_(energy|grid)|mart_energy|dim_(region_)?grid",
    "measured_serving": r"int_serving|fct_serving|mart_serving",
    "costs": r"mart_cost|int_token_market|mart_token_(market|cost)|mart_owned|mart_build_vs|mart_goodput|mart_perf_per|"
    r"mart_trained|mart_frontier",
    "checks": r"int_claims|int_published|int_measurement|mart_claim|mart_published|mart_finding|mart_measurement",
    "operations": r"int_changes|mart_changes|ops_|mart_source_health",
}
SEEDS, BUILD_INPUTS, PUBLICATION = "reference", "build_inputs", "publication"
GROUPS = ("mlperf", "prices", "specs", "serving", SEEDS, BUILD_INPUTS, "staging", *_MODELS, PUBLICATION)
# says which build this is: models of every domain read it
_OF_THE_BUILD = "ops_generation"


def group_of_model(name: str, folder: str) -> str:
    """Return the group of a dbt model: its domain's; that of its folder if no domain has it, which a test reports.

    Args:
        name: of the model.
        folder: below ``models``.
    """
    if folder == "staging" or name == _OF_THE_BUILD:
        return "staging"
    domains = (group for group, pattern in _MODELS.items() if re.match(pattern, name))
    return next(domains, folder)
