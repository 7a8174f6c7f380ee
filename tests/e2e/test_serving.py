"""Measured serving in the warehouse built from the bundled snapshot: points, frontiers, costs, and the check beside MLPerf."""

from serving_frontiers import frontiers, published


def test_every_frontier_is_that_of_a_comparison_of_every_pair(warehouse):
    expected = frontiers(warehouse)
    assert len(expected) > 80 and published(warehouse) == expected


def test_a_point_with_a_wrong_divisor_is_on_no_frontier(warehouse):
    """Of the points of other parts the one above the best of its publisher, which eight accelerators made; the others stay."""
    points = warehouse.execute(
        "select accelerator_id, output_tokens_per_s_per_accelerator, exclusion_reason from fct_serving_point "
        "where source = 'inferencex-points'"
    ).fetchall()
    assert len(points) == 14
    ((part, speed, reason),) = [point for point in points if point[2]]
    assert (part, speed) == (
        "google-tpu-v7",
        3261.533,
    ) and "9,364 that its publisher states as the most" in reason
    frontier = warehouse.execute(
        "select accelerator_id, max(output_tokens_per_s_per_accelerator) from mart_serving_frontier "
        "where source = 'inferencex-points' and row_kind = 'point' group by 1 order by 1"
    ).fetchall()
    assert frontier == [("google-tpu-v7", 411.1276), ("intel-gaudi3-oam", 95.1)]
