"""Measured serving in the warehouse built from the bundled snapshot: points, frontiers, costs, and the check beside MLPerf."""

import pytest
from serving_frontiers import GROUP, frontiers, points_of, published, read


def test_every_frontier_is_that_of_a_comparison_of_every_pair(warehouse):
    expected = frontiers(warehouse)
    assert len(expected) > 80 and published(warehouse) == expected


def test_every_read_lies_on_the_line_between_neighbours(warehouse):
    by_axis, places = frontiers(warehouse), {}
    for points in points_of(warehouse).values():
        places |= {name: (speed, y) for name, speed, _, y in points}
    rows = warehouse.execute(
        f"select {', '.join(GROUP)}, tokens_per_s_per_user, output_tokens_per_s_per_accelerator, basis, reason "
        "from mart_serving_frontier where row_kind = 'read'"
    ).fetchall()
    assert len(rows) == 5 * len(points_of(warehouse))
    for *group, speed, y, basis, reason in rows:
        expected = read([places[name] for name in by_axis["tokens_per_s_per_user", tuple(group)]], speed)
        assert y == (None if expected is None else pytest.approx(expected))
        assert (reason is None) == (basis is not None) == (y is not None)


def test_reads_at_the_edge_or_of_few_requests_have_a_reason_instead_of_a_cost(warehouse):
    """By a second method: the neighbour above is the fastest point, or fewer than 4 requests are in flight."""
    requests = dict(
        warehouse.execute(
            "select point_id, concurrency / n_accelerators_all from fct_serving_point"
        ).fetchall()
    )
    by_axis, speeds = frontiers(warehouse), {}
    for points in points_of(warehouse).values():
        speeds |= {name: speed for name, speed, _, _ in points}
    n = 0
    for *group, at, below, above, cost, reason in warehouse.execute(
        f"select {', '.join(GROUP)}, tokens_per_s_per_user, point_id_below, point_id_above, rent_usd_per_output_mtok, "
        "rent_reason from mart_serving_frontier where row_kind = 'read' and reason is null"
    ).fetchall():
        fastest = max(speeds[name] for name in by_axis["tokens_per_s_per_user", tuple(group)])
        line = [(speeds[below], requests[below]), (speeds[above], requests[above])]
        is_unfit = speeds[above] == fastest or read(line, at) < 4
        assert (cost is None) == (reason is not None) == is_unfit
        n += is_unfit
    assert n > 30
