"""MLPerf results and measurements of others never share a ranking, a mean or a chart series.

What is made of both is found by lineage of the models, and by the tables that a macro, a function, a query of the report, a page, a
recipe or a module of the readers' package names. The one table that shows both has them in columns of their own.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "dbt_project" / "models"
SIDE_BY_SIDE = {"mart_measurement_check"}
# they count rows of every source and compare no figures
OPERATIONAL = {"int_accounts__facts", "ops_layer_account", "ops_unmapped"}
# it looks keys up and reads no figures
LOOKS_UP_NAMES = {"function resolve_name"}


def models():
    return {path.stem: path.read_text(encoding="utf-8") for path in MODELS.rglob("*.sql")}


def descendants(sources, texts):
    """Return the models that are made of any of the sources, over any number of steps."""
    parents = {name: set(re.findall(r"ref\('(\w+)'\)", text)) for name, text in texts.items()}
    out = set(sources)
    while more := {name for name, read in parents.items() if read & out} - out:
        out |= more
    return out


def sides(texts):
    """Return (models made of measured serving, models made of MLPerf results)."""
    results = {name for name in texts if re.fullmatch(r"stg_mlperf_\w+__(results|runs)", name)}
    assert len(results) == 3
    return descendants({"stg_serving__points"}, texts), descendants(results, texts)


def named(text, names):
    return {name for name in names if re.search(rf"\b{name}\b", text)}


def pieces():
    """Return macros, functions, queries of the report, its pages, recipes and modules of the readers' package, by name."""

    def files(folder, pattern):
        return [(path, path.read_text(encoding="utf-8")) for path in (ROOT / folder).rglob(pattern)]

    out = {}
    for _, text in files("dbt_project/macros", "*.sql"):
        for name, body in re.findall(r"{%-? macro (\w+)(.*?){%-? endmacro", text, re.DOTALL):
            out[f"macro {name}"] = body
    out |= {f"function {path.stem}": text for path, text in files("dbt_project/functions", "*.sql")}
    for path, text in files("warehouse/outputs/report", "*.py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                out[f"{path.name}:{node.lineno}"] = node.value
    ((_, cookbook),) = files("docs", "cookbook.md")
    for number, block in enumerate(re.findall(r"```sql\n(.*?)```", cookbook, re.DOTALL)):
        out[f"recipe {number}"] = block
    for path, text in [*files("warehouse/outputs/report/pages", "*.js"), *files("accelmart", "*.py")]:
        out[str(path)] = text
    return out


def test_no_model_is_made_of_both_but_the_one_that_shows_both():
    serving, mlperf = sides(models())
    assert serving & mlperf == SIDE_BY_SIDE | OPERATIONAL


def test_no_macro_query_page_or_recipe_names_tables_of_both():
    serving, mlperf = sides(models())
    of_serving, of_mlperf = (
        {name for name, text in pieces().items() if named(text, tables)}
        for tables in (serving - mlperf, mlperf - serving)
    )
    assert of_serving & of_mlperf == LOOKS_UP_NAMES and len(of_mlperf) > len(of_serving) > 1
