"""Column lineage: which columns a column of a query is computed from."""

import pytest
from sqlglot.errors import SqlglotError

from warehouse.build.column_lineage import origins

SCHEMA = {
    "main": {"price": {"id": "int", "usd": "double"}, "speed": {"id": "int", "tokens_per_s": "double"}},
    "raw": {"offer": {"id": "int", "usd": "double"}},
}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("select id, 2 * usd as twice from price", {"id": {"price.id"}, "twice": {"price.usd"}}),
        (
            "with rent as (select * from price) select usd / tokens_per_s / 3600 as cost, rent.* exclude (usd) "
            "from rent inner join speed on rent.id = speed.id",
            {"cost": {"price.usd", "speed.tokens_per_s"}, "id": {"price.id"}},
        ),
        (
            "select id, usd from price union all select id, tokens_per_s from speed",
            {"id": {"price.id", "speed.id"}, "usd": {"price.usd", "speed.tokens_per_s"}},
        ),
        (
            "select id, usd from price union all by name select usd, id from raw.offer",
            {"id": {"price.id", "offer.id"}, "usd": {"price.usd", "offer.usd"}},
        ),
        (
            "select max(usd) over (partition by id) as highest, count(*) as n from price",
            {"highest": {"price.usd", "price.id"}, "n": set()},
        ),
        (
            "select id, (select max(s.tokens_per_s) from speed as s where s.id = price.id) as fastest from price",
            {"id": {"price.id"}, "fastest": {"speed.tokens_per_s", "speed.id", "price.id"}},
        ),
        ("select part from price, unnest([usd, 2]) as parts(part)", {"part": set()}),
    ],
)
def test_a_column_comes_from_what_its_expression_reads(code, expected):
    assert origins(code, SCHEMA) == expected


def test_a_name_that_nothing_has_is_an_error():
    with pytest.raises(SqlglotError):
        origins("select nothing from price inner join speed using (usd)", SCHEMA)
