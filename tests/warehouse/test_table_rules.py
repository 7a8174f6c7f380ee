"""Rules of tables: every kind of rule names itself, counts the rows that break it and shows an example."""

import duckdb
import jinja2
import pytest

from warehouse.storage.home import DBT_PROJECT_DIR

COMMENTS = DBT_PROJECT_DIR / "macros" / "project" / "comments.sql"
RULES = DBT_PROJECT_DIR / "macros" / "project" / "rules.sql"
TESTS = DBT_PROJECT_DIR / "tests" / "generic" / "table_rules.sql"


@pytest.fixture(scope="module")
def macros():
    """dbt's tag `test` makes a macro of it, which reads relations through `ref`."""
    environment = jinja2.Environment(extensions=["jinja2.ext.do"], autoescape=False)
    environment.globals["ref"] = lambda name: name
    for path in (COMMENTS, RULES, TESTS):
        words = path.read_text().replace("{% test ", "{% macro ").replace("endtest", "endmacro")
        environment.globals |= {
            name: macro
            for name, macro in vars(environment.from_string(words).module).items()
            if isinstance(macro, jinja2.runtime.Macro)
        }
    return environment.globals


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


def broken(db, macros):
    return db.execute(macros["table_rules"]("offers", **ALL)).fetchall()


def test_a_sound_table_breaks_no_rule(db, macros):
    assert broken(db, macros) == []


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
def test_a_broken_rule_is_named_with_its_rows_and_an_example(db, macros, damage, expected):
    db.execute(damage)
    assert broken(db, macros) == expected


def test_rules_of_several_tables_name_the_table(db, macros):
    rules = {
        "parts": {"one_row_per": [["part"]], "never_empty": ["part"]},
        "offers": {"accepted_values": {"kind": ["rent"]}},
    }
    found = db.execute(macros["rules_of_tables"]("parts", tables=rules))
    assert [column[0] for column in found.description] == ["table_name", "rule", "n_rows", "example"]
    assert sorted(found.fetchall()) == [
        ("offers", "kind has an accepted value", 1, "purchase"),
        ("parts", "part is never empty", 1, ""),
    ]
