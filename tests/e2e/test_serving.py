"""Measured serving in the warehouse built from the bundled snapshot: points, frontiers, costs, and the check beside MLPerf."""

from serving_frontiers import frontiers, published


def test_every_frontier_is_that_of_a_comparison_of_every_pair(warehouse):
    expected = frontiers(warehouse)
    assert len(expected) > 80 and published(warehouse) == expected
