"""The data card of the exported tables, in the form that data-set hubs read: YAML for machines, Markdown for people."""

from __future__ import annotations

from typing import Any

import yaml

from accelmart.opening import open_file
from warehouse.outputs.answers import NOTE
from warehouse.outputs.croissant import DATA_LICENCE
from warehouse.publication.generation import Generation
from warehouse.storage.database import public_tables

CARD = "README.md"
# tables that a hub shows as data sets; the others are beside them
_SHOWN = ("fct_", "mart_", "dim_")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def data_card(generation: Generation) -> str:
    """Return the card of the Parquet files of a generation, to lie beside them.

    Args:
        generation: the published generation; its path is read.

    Returns:
        Markdown with YAML before it (https://huggingface.co/docs/hub/datasets-cards): one configuration per table.
    """
    with open_file(generation.path) as db:
        tables = public_tables(db)
    shown = [(name, comment, rows) for name, comment, rows in tables if name.startswith(_SHOWN)]
    rows = sum(n for _, _, n in shown)
    head: dict[str, Any] = {
        "pretty_name": "Accelmart: economics of AI accelerators",
        "license": "other",
        "license_name": "by-source",
        "license_link": DATA_LICENCE,
        "language": ["en"],
        "tags": ["mlperf", "gpu", "cloud-prices", "energy", "carbon", "total-cost-of-ownership"],
        "size_categories": [next((word for limit, word in _SIZES if rows < limit), "1M<n<10M")],
        "configs": [{"config_name": name, "data_files": f"{name}.parquet"} for name, _, _ in shown],
    }
    lines = [
        "---",
        yaml.safe_dump(head, sort_keys=False, allow_unicode=True).rstrip(),
        "---",
        "",
        "# Accelmart",
        "",
        "Speed, cost, energy and carbon of AI accelerators from public data: MLPerf results, cloud prices with the "
        "days of their observation, specifications by source, and what follows. Every row names its evidence.",
        "",
        f"Generation {generation.generation_id}, built {generation.built_at:%Y-%m-%d %H:%M} UTC. {NOTE}",
        "",
        "- **Use**: comparing accelerators in one round, benchmark and scenario; cost of tokens with dated prices; "
        "cost of ownership with stated assumptions.",
        "- **Not for**: quotes of today (a price has the day it was seen); ranking MLPerf results together with other "
        "measurements, which MLCommons' rules forbid (`fct_serving_point` and its marts are no MLPerf results).",
        "- **Columns**: units end their names; `datapackage.json` and `croissant.json` describe every column.",
        f"- **Licences**: by source, in the rows (`licence`) and in [LICENSE-DATA.md]({DATA_LICENCE}). Results are "
        "MLCommons', Apache-2.0; code and derived figures are Apache-2.0.",
        "",
        "| table | rows | content |",
        "| --- | --- | --- |",
        *(f"| {name} | {n} | {comment} |" for name, comment, n in shown),
    ]
    return "\n".join(lines) + "\n"
