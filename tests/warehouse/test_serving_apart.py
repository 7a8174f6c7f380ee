"""MLPerf results and measurements of others never share a ranking, a mean or a chart series.

What is made of both is found by lineage of the models, and by the tables that a macro, a function, a query of the report, a page, a
recipe or a module of the readers' package names. The one table that shows both has them in columns of their own.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "dbt_project" / "models"
SIDE_BY_SIDE = {"mart_measurement_check"}
# they count rows of every source and compare no figures
OPERATIONAL = {"int_accounts__compared", "ops_layer_account", "ops_unmapped"}
# it looks keys up and reads no figures
LOOKS_UP_NAMES = {"function resolve_name"}
JOINS_FIGURES = r"\bunion\b|\bavg\(|\bmean\(|\bmedian\(|\brank\(|\bdense_rank\(|\brow_number\(|\border by\b"


def models():
    return {path.stem: path.read_text(encoding="utf-8") for path in MODELS.rglob("*.sql")}


def descendants(sources, texts):
    """Return the models that are made of any of the sources, over any number of steps."""
    parents = {name: set(re.findall(r"ref\('(\w+)'\)", text)) for name, text in texts.items()}
    out = set(sources)
    while more := {name for name, read in parents.items() if name not in out and read & out}:
        out |= more
    return out


def sides(texts):
    """Return (models made of measured serving, models made of MLPerf results)."""
    results = {name for name in texts if re.fullmatch(r"stg_mlperf_\w+__(results|runs)", name)}
    assert len(results) == 3
    return descendants({"stg_serving__points"}, texts), descendants(results, texts)


def made_of_both(texts):
    serving, mlperf = sides(texts)
    return serving & mlperf


def named(text, names):
    return {name for name in names if re.search(rf"\b{name}\b", text)}


def mixed(pieces, serving, mlperf):
    """Return the pieces that name a table of either side; those of both sides belong to the one that shows both."""
    serving, mlperf = serving - mlperf, mlperf - serving
    return {name for name, text in pieces.items() if named(text, serving) and named(text, mlperf)}


def pieces():
    """Return macros, functions, queries of the report, its pages, recipes and modules of the readers' package, by name."""
    out = {}
    for path in (ROOT / "dbt_project" / "macros").rglob("*.sql"):
        text = path.read_text(encoding="utf-8")
        for name, body in re.findall(r"{%-? macro (\w+)(.*?){%-? endmacro", text, re.DOTALL):
            out[f"macro {name}"] = body
    for path in (ROOT / "dbt_project" / "functions").rglob("*.sql"):
        out[f"function {path.stem}"] = path.read_text(encoding="utf-8")
    for path in (ROOT / "warehouse" / "report").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                out[f"{path.name}:{node.lineno}"] = node.value
    for path in (ROOT / "warehouse" / "report" / "pages").glob("*.js"):
        out[path.name] = path.read_text(encoding="utf-8")
    for number, block in enumerate(
        re.findall(
            r"```sql\n(.*?)```", (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8"), re.DOTALL
        )
    ):
        out[f"recipe {number}"] = block
    for path in (ROOT / "accelmart").rglob("*.py"):
        out[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
    return out


def test_no_model_is_made_of_both_but_the_one_that_shows_both():
    assert made_of_both(models()) == SIDE_BY_SIDE | OPERATIONAL


def test_the_two_sides_of_the_check_are_joined_and_never_put_together():
    """Each side chooses its own row; what follows the join has no aggregate, no window and no union."""
    text = models()["mart_measurement_check"]
    sides_alone, together = text[: text.rindex("\nselect\n")], text[text.rindex("\nselect\n") :]
    assert "inner join theirs" in together and not re.search(JOINS_FIGURES, together)
    for name in ("ours", "theirs"):
        body = re.search(rf"\n{name} as \((.*?)\n\)", sides_alone, re.DOTALL)[1]
        assert set(re.findall(r"from (\w+)", body)) in ({"throughput", "energy"}, {"fastest", "thriftiest"})


def test_no_macro_query_page_or_recipe_names_tables_of_both():
    serving, mlperf = sides(models())
    found = pieces()
    assert any(named(text, mlperf) for text in found.values())
    assert mixed(found, serving, mlperf) == LOOKS_UP_NAMES


@pytest.mark.parametrize(
    "planted",
    [
        "select * from {{ ref('mart_token_throughput') }} union all select * from {{ ref('mart_serving_frontier') }}",
        "select avg(x) from {{ ref('fct_inference_result') }} join {{ ref('fct_serving_point') }} using (accelerator_id)",
        "select rank() over (order by x) from {{ ref('mart_best_of_round') }} left join {{ ref('mart_serving_frontier') }} using (y)",
    ],
)
def test_a_planted_model_of_both_is_found(planted):
    assert made_of_both(models() | {"mart_planted": planted}) - SIDE_BY_SIDE - OPERATIONAL == {"mart_planted"}


def test_a_planted_query_or_page_of_both_is_found():
    serving, mlperf = sides(models())
    planted = {
        "query": "select usd from mart_cost_per_mtok union all select usd from mart_serving_frontier",
        "page": 'rows("fct_serving_point"), rows("mart_best_of_round")',
        "serving alone": "select * from mart_serving_frontier join fct_serving_point using (point_id)",
    }
    assert mixed(pieces() | planted, serving, mlperf) == {"query", "page"} | LOOKS_UP_NAMES
