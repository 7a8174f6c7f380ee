"""Who reads the published file: exposures name the tables that code names, and every public table has a reader."""

import re

import pytest

from warehouse.storage.files import read_yaml
from warehouse.storage.home import DBT_PROJECT_DIR

ROOT = DBT_PROJECT_DIR.parent
MODELS = {path.stem for path in (DBT_PROJECT_DIR / "models").rglob("*") if path.suffix in (".sql", ".py")}
SEEDS = {path.stem for path in (DBT_PROJECT_DIR / "seeds").glob("*.csv")}
PUBLIC = {name for name in MODELS if re.match("(dim|fct|mart|ops)_", name)}
EXPOSURES = {e["name"]: e for e in read_yaml(DBT_PROJECT_DIR / "models" / "exposures.yml")["exposures"]}
CODE = {
    ROOT / path: name
    for name, e in EXPOSURES.items()
    for path in e.get("config", {"meta": {"code": []}})["meta"]["code"]
}


def refs(text):
    return set(re.findall(r"ref\('(\w+)'\)", text))


def exposure_of(file):
    """The one whose `code` is nearest to a file; None outside of all."""
    return next((CODE[path] for path in (file, *file.parents) if path in CODE), None)


def named(text):
    """Tables that a text names: models, and seeds with their schema."""
    return {w for w in re.findall(r"\w+", text) if w in MODELS} | SEEDS & {
        *re.findall(r"\bseeds\.(\w+)", text)
    }


@pytest.mark.parametrize("exposure", sorted({*CODE.values()}))
def test_an_exposure_depends_on_the_tables_that_its_code_names(exposure):
    files = [
        f
        for path in CODE
        for f in (path.rglob("*") if path.is_dir() else [path])
        if f.suffix in (".py", ".js", ".j2", ".md")
    ]
    texts = [f.read_text(encoding="utf-8") for f in files if exposure_of(f) == exposure]
    assert refs(str(EXPOSURES[exposure]["depends_on"])) == set().union(*map(named, texts))


def test_exports_are_of_every_public_table():
    assert refs(str(EXPOSURES["exports"]["depends_on"])) == PUBLIC


def test_every_public_table_has_a_reader():
    """A page, a command, a tool, an alarm, a macro, or a query of the documentation."""
    read = {
        table for name, e in EXPOSURES.items() if name != "exports" for table in refs(str(e["depends_on"]))
    }
    for folder in ("functions", "macros"):
        read |= {
            t
            for file in (DBT_PROJECT_DIR / folder).rglob("*.sql")
            for t in refs(file.read_text(encoding="utf-8"))
        }
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        read |= {
            t
            for query in re.findall(r"```sql\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
            for t in named(query)
        }
    assert len(PUBLIC) <= 62 and PUBLIC - read == set()
