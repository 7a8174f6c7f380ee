"""Measured serving in the warehouse built from the bundled snapshot: points, frontiers, costs, and the check beside MLPerf."""

import pytest
from serving_frontiers import GROUP, frontiers, points_of, published, read


def test_838_configurations_are_838_points_of_two_parts(warehouse):
    assert warehouse.execute(
        "select source, count(*), count(exclusion_reason), list(distinct accelerator_id order by accelerator_id) "
        "from fct_serving_point group by source"
    ).fetchall() == [("mlenergy", 838, 0, ["nvidia-b200-sxm-180gb", "nvidia-h100-sxm-80gb"])]
    accounts = warehouse.execute(
        "select rows_in, rows_out + rows_excluded, is_balanced from ops_layer_account where dialect = 'serving'"
    ).fetchall()
    assert len(accounts) == 4 and set(accounts) == {(838, 838, True)}


@pytest.mark.parametrize(
    ("number_format", "accelerator", "n_accelerators", "joules"),
    [
        ("fp8", "nvidia-b200-sxm-180gb", 4, 1.15),
        ("fp8", "nvidia-h100-sxm-80gb", 8, 2.06),
        ("bf16", "nvidia-b200-sxm-180gb", 8, 1.02),
    ],
)
def test_least_joules_of_llama_405b_are_those_of_the_gpus(
    warehouse, number_format, accelerator, n_accelerators, joules
):
    assert warehouse.execute(
        "select round(min(j_per_output_token_measured), 2), arg_min(n_accelerators_all, j_per_output_token_measured), "
        "any_value(energy_scope) from fct_serving_point "
        "where model_id = 'llama-3.1-405b' and number_format = ? and accelerator_id = ?",
        [number_format, accelerator],
    ).fetchone() == (joules, n_accelerators, "GPU")


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


def test_a_token_costs_the_hour_by_the_tokens_of_an_hour(warehouse):
    rows = warehouse.execute(
        "select rent_usd_per_accelerator_hour, rent_usd_per_output_mtok, owned_usd_per_accelerator_hour, "
        "owned_usd_per_output_mtok, output_tokens_per_s_per_accelerator from mart_serving_frontier "
        "where reason is null and rent_reason is null"
    ).fetchall()
    assert len(rows) > 500
    for rent, rent_mtok, owned, owned_mtok, speed in rows:
        assert rent_mtok == pytest.approx(rent / speed / 3600 * 1e6)
        assert owned_mtok == pytest.approx(owned / speed / 3600 * 1e6)


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


def test_rent_and_ownership_are_those_of_the_price_tables(warehouse):
    rents = dict(
        warehouse.execute(
            "select accelerator_id, usd_per_accelerator_hour from mart_rental_price_level "
            "where pricing_model = 'on_demand' and as_of = newest_price_day()"
        ).fetchall()
    )
    owned = dict(
        warehouse.execute(
            "select accelerator_id, usd_per_accelerator_hour from mart_tco where scenario_id = 'emerging_neocloud' "
            "and is_default"
        ).fetchall()
    )
    rows = warehouse.execute(
        "select distinct accelerator_id, rent_usd_per_accelerator_hour, owned_usd_per_accelerator_hour "
        "from mart_serving_frontier"
    ).fetchall()
    assert len(rows) == 2
    for accelerator, rent, own in rows:
        assert (rent, own) == (pytest.approx(rents[accelerator]), pytest.approx(owned[accelerator]))


def test_a_check_names_both_figures_and_every_known_cause(warehouse):
    rows = warehouse.execute(
        "select quantity, mlperf_figure, other_figure, other_to_mlperf_ratio, mlperf_number_format, other_number_format, "
        "known_causes from mart_measurement_check"
    ).fetchall()
    assert {row[0] for row in rows} == {"output tokens/s per accelerator", "measured J per output token"}
    for quantity, ours, theirs, ratio, our_format, their_format, causes in rows:
        assert ratio == pytest.approx(theirs / ours)
        assert ("number format:" in causes) == (our_format != their_format)
        assert ("power scope: GPU against wall" in causes) == (quantity == "measured J per output token")
        assert all(word in causes for word in ("lengths:", "scenario:", "batch:"))


def test_the_mlperf_side_of_a_check_is_a_result_of_mlperf(warehouse):
    assert warehouse.execute(
        "select count(*), count(results.result_id) from mart_measurement_check as checks "
        "left join fct_inference_result as results using (result_id) where quantity like 'output%' "
        "and abs(results.output_tokens_per_s_per_accelerator / checks.mlperf_figure - 1) < 1e-9"
    ).fetchone() == (16, 16)
