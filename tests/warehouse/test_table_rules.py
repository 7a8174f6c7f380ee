"""The dbt test `table_rules`: every kind of rule names itself, counts the rows that break it and shows an example."""

import duckdb
import jinja2
import pytest

from warehouse.home import DBT_PROJECT_DIR

COMMENTS = DBT_PROJECT_DIR / "macros" / "project" / "comments.sql"
RULES = DBT_PROJECT_DIR / "tests" / "generic" / "table_rules.sql"


@pytest.fixture(scope="module")
def render():
    """dbt's tag `test` makes a macro of it, which reads relations through `ref`."""
    macros = jinja2.Environment(extensions=["jinja2.ext.do"], autoescape=False)
    quoted_text = macros.from_string(COMMENTS.read_text()).module.quoted_text
    words = RULES.read_text().replace("{% test table_rules", "{% macro table_rules")
    environment = jinja2.Environment(extensions=["jinja2.ext.do"], autoescape=False)
    environment.globals |= {"quoted_text": quoted_text, "ref": lambda name: name}
    return environment.from_string(words.replace("endtest", "endmacro")).module.table_rules


@pytest.fixture
def db():
    with duckdb.connect() as connection:
        connection.execute(
            """
            create table parts as select * from (values ('a'), ('b'), (null)) as t (part);
            create table offers as select * from (
                values
                    ('1', 'a', 'rent', 2.0, true),
                    ('2', 'b', 'purchase', 3.0, false),
                    ('3', null, null, 4.0, null)
            ) as t (offer, part, kind, usd, is_new)
            """
        )
        yield connection


ALL = {
    "one_row_per": [["offer"], ["part", "kind"]],
    "never_empty": ["offer", "usd"],
    "never_empty_where": {"part": "kind = 'rent'"},
    "accepted_values": {"kind": ["rent", "purchase"], "is_new": [True, False]},
    "refers_to": {"part": "parts.part", "kind": {"to": "parts.part", "where": "kind = 'lease'"}},
    "conditions": {"a price is positive": "usd > 0"},
}


def broken(db, render, **rules):
    return db.execute(render("offers", **rules)).fetchall()


def test_a_sound_table_breaks_no_rule(db, render):
    assert broken(db, render, **ALL) == []


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("insert into offers values ('1', 'b', 'rent', 1, true)", [("one row per offer", 1, "1")]),
        # null is a value of a key
        ("insert into offers values ('4', null, null, 1, true)", [("one row per part, kind", 1, "")]),
        ("update offers set usd = null where offer <> '1'", [("usd is never empty", 2, "2"), ("a price is positive", 2, "2")]),
        ("update offers set part = null where offer = '1'", [("part is never empty where kind = 'rent'", 1, "1")]),
        (
            "update offers set kind = 'lease', part = 'a' where offer = '3'",
            [("kind has an accepted value", 1, "lease"), ("kind refers to parts.part", 1, "lease")],
        ),
        ("update offers set part = 'c' where offer = '2'", [("part refers to parts.part", 1, "c")]),
        ("update offers set usd = -usd", [("a price is positive", 3, "1")]),
    ],
)  # fmt: skip
def test_a_broken_rule_is_named_with_its_rows_and_an_example(db, render, damage, expected):
    db.execute(damage)
    assert broken(db, render, **ALL) == expected
