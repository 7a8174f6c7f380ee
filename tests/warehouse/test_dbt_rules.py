"""Rules of the dbt project: layers, folders and names, first comments."""

import re

import pytest

from warehouse.home import DBT_PROJECT_DIR

MODELS = DBT_PROJECT_DIR / "models"
PATHS = {path.stem: path for path in MODELS.rglob("*") if path.suffix in {".sql", ".py"}}
SEEDS = {path.stem for path in (DBT_PROJECT_DIR / "seeds").rglob("*.csv")}
PREFIXES = {
    "staging": ("stg_",),
    "intermediate": ("int_",),
    "marts": ("dim_", "fct_", "mart_", "ops_"),
    "audit": ("int_",),
}
# public tables that show the rows of a seed or of a staging table, or compare with it
SHOW_SEEDS = {
    "dim_accelerator",
    "dim_benchmark",
    "dim_provider",
    "dim_release",
    "dim_submitter",
    "mart_frontier_cost_check",
    "mart_inference_source_agreement",
    "mart_serving_frontier",
    "mart_spec_agreement",
    "mart_tco_assumptions",
    "mart_tco_published_rates",
}


def layer(name: str) -> str:
    return "seeds" if name in SEEDS else PATHS[name].relative_to(MODELS).parts[0]


def layers_read(name: str) -> set[str]:
    text = PATHS[name].read_text("utf-8")
    return {layer(read) for read in re.findall(r"""ref\(['"](\w+)['"]\)""", text)}


@pytest.mark.parametrize("name", sorted(n for n in PATHS if layer(n) in {"staging", "intermediate"}))
def test_models_read_no_higher_layer(name):
    allowed = {"seeds"} if layer(name) == "staging" else {"seeds", "staging", "intermediate"}
    assert layers_read(name) <= allowed


def test_marts_read_intermediate_models_except_where_they_show_a_seed():
    marts = [name for name in PATHS if layer(name) == "marts"]
    assert {name for name in marts if layers_read(name) & {"seeds", "staging"}} == SHOW_SEEDS
    assert all("audit" not in layers_read(name) for name in marts)


@pytest.mark.parametrize("name", sorted(PATHS))
def test_names_tell_the_layer(name):
    folder = "marts" if "marts" in PATHS[name].parts else layer(name)
    assert name.startswith(PREFIXES[folder])


@pytest.mark.parametrize("name", sorted(n for n, path in PATHS.items() if path.suffix == ".sql"))
def test_a_model_begins_with_what_a_row_is(name):
    # configuration and variables of Jinja may stand before the comment
    text = re.sub(r"\A(\s*({{.*?}}|{%.*?%}))+", "", PATHS[name].read_text("utf-8"), flags=re.DOTALL)
    assert text.lstrip().startswith(("-- ", "{#"))
