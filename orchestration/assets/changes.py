"""What a build compares itself with: inputs of the lineage that come from the published file, not from upstream."""

import dagster as dg

from warehouse.changes import CHANGES, FIGURES

previous_generation = [
    dg.AssetSpec(
        dg.AssetKey(["raw", table]), group_name="raw", kinds={"duckdb", "parquet"}, description=description
    )
    for table, description in (
        (FIGURES, "The figures of the published generation, which a build compares its own with."),
        (CHANGES, "The change log of the published generation, which a build goes on with."),
    )
]
