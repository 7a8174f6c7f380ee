"""Layers of the dbt project: a model reads none above its own."""

import re

from warehouse.home import DBT_PROJECT_DIR

MODELS = DBT_PROJECT_DIR / "models"
PATHS = {path.stem: path for path in MODELS.rglob("*") if path.suffix in {".sql", ".py"}}
SEEDS = {path.stem for path in (DBT_PROJECT_DIR / "seeds").rglob("*.csv")}
# public tables that show the rows of a seed or of a staging table, or compare with it
SHOW_SEEDS = {
    "dim_accelerator",
    "dim_benchmark",
    "dim_provider",
    "dim_release",
    "mart_frontier_cost_check",
    "mart_inference_source_agreement",
    "mart_serving_frontier",
    "mart_spec_agreement",
    "mart_tco_assumptions",
}


def layer(name):
    return "seeds" if name in SEEDS else PATHS[name].relative_to(MODELS).parts[0]


def test_models_read_no_higher_layer_and_marts_a_seed_only_where_they_show_it():
    read = {
        name: {layer(ref) for ref in re.findall(r"""ref\(['"](\w+)['"]\)""", path.read_text("utf-8"))}
        for name, path in PATHS.items()
    }
    allowed = {"staging": {"seeds"}, "intermediate": {"seeds", "staging", "intermediate"}}
    assert [name for name in read if not read[name] <= allowed.get(layer(name), read[name])] == []
    marts = [name for name in read if layer(name) == "marts"]
    assert {name for name in marts if read[name] & {"seeds", "staging"}} == SHOW_SEEDS
    assert [name for name in marts if "audit" in read[name]] == []
