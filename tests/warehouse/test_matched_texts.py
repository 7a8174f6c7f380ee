"""The macro `matched_texts` finds the pairs that trying every pattern on every text finds."""

import random

import duckdb
import jinja2
import pytest

from warehouse.storage.home import DBT_PROJECT_DIR

TEXTS = [
    "NVIDIA H100-SXM-80GB", "nvidia h100 pcie", "H100", "H1000", "A100 80 GB", "AMD Instinct MI300X", "two\nlines",
    "H100\nA100", "tab\there", " H100 ", "TPU v5e", "Ü100", "a.b+c", "100%", "back\\slash", "L40S (48GB)",
]  # fmt: skip
SHORT = ["", "h", "1", "h1", "11", "1\nh", "h 1", "xh1", "H100", "h100\n1", "x", "0", " h", "1 ", "100"]
PATTERNS = [
    "h100", "^h100$", "^NVIDIA", "80 ?GB$", r"\bH100\b", r"a100|h100", r"[^x]100", r"h100\s", r"\sH100", r"h100[^0]",
    r"(?s)two.lines", r"two.lines", r"two\nlines", "two\nlines", r"\D100", r"h[0-9]{3,4}", r".*", r"^.*pcie?$", r"\AH100\z",
    r"[[:space:]]h100", r"(?-i)h100", r"a\.b\+c", r"100%", r"back\\slash", r"\x48100", "ü100", r"l40s \(\d+gb\)", "", "^$",
    r"\pL100", r"(?:nvidia )?h100(?: (?:pcie|\d+ ?gb?))*", r"mi\d+x", r"\wpu", r"\d+ gb", r"tab\there", r"H100(?P<n>0?)",
]  # fmt: skip


@pytest.fixture(scope="module")
def render():
    words = (DBT_PROJECT_DIR / "macros" / "identity" / "identity.sql").read_text(encoding="utf-8")
    return jinja2.Environment(autoescape=False).from_string(words).module.matched_texts


@pytest.fixture(scope="module")
def db():
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        yield connection


def pairs(db, query, texts, patterns):
    db.execute("create or replace temp table names as select unnest(?::varchar[]) as words", [texts])
    db.execute(
        "create or replace temp table seed as select unnest(?::varchar[]) as pattern, generate_subscripts(?, 1) as id",
        [patterns, patterns],
    )
    return sorted(db.execute(f"select words, id from ({query})").fetchall())


@pytest.mark.parametrize(("is_whole", "function"), [(False, "regexp_matches"), (True, "regexp_full_match")])
def test_pairs_of_many_kinds_of_patterns_and_of_random_ones(db, render, is_whole, function):
    query = render("names", "words", "seed", "pattern", is_whole=is_whole)
    one_by_one = f"from names cross join seed where {function}(words, pattern, 'i')"
    at_random, seeds = random.Random(7), [([*TEXTS, None], [*PATTERNS, None])]
    for _ in range(80):
        pieces = ["h", "1", "0+", ".", r"\d", r"\s?", "|", "[a-z]", "[^1]", "x*", "(?:h|1)"]
        patterns = ["".join(at_random.choices(pieces, k=4)) for _ in range(at_random.randint(0, 4))]
        seeds.append((at_random.sample(SHORT, at_random.randint(0, 6)), patterns))
    found = []
    for texts, patterns in seeds:
        found.append(pairs(db, one_by_one, texts, patterns))
        assert pairs(db, query, texts, patterns) == found[-1], (texts, patterns)
    assert len(found[0]) > 40 and sum(map(len, found[1:])) > 20
