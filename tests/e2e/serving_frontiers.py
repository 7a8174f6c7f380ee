"""Pareto frontiers of measured serving by comparison of every pair of points: a second method."""

GROUP = ("source", "model_id", "accelerator_id", "number_format", "framework", "workload")


def points_of(db):
    """Return the points that may be on a frontier, by group."""
    columns = (*GROUP, "point_id", "tokens_per_s_per_user", "ttft_ms", "output_tokens_per_s_per_accelerator")
    rows = db.execute(
        f"select {', '.join(columns)} from fct_serving_point where is_newest_run and exclusion_reason is null"
    ).fetchall()
    groups = {}
    for row in rows:
        groups.setdefault(row[: len(GROUP)], []).append(row[len(GROUP) :])
    return groups


def frontier(points):
    """Return the ids of (id, x, y) that no other point dominates; higher is better in both."""
    return {
        name for name, x, y in points if not any(a >= x and b >= y and (a > x or b > y) for _, a, b in points)
    }


def frontiers(db):
    """Return (axis, group) → ids of the points of its frontier."""
    out = {}
    for group, points in points_of(db).items():
        out["tokens_per_s_per_user", group] = frontier([(name, speed, y) for name, speed, _, y in points])
        if timed := frontier([(name, -wait, y) for name, _, wait, y in points if wait is not None]):
            out["ttft_ms", group] = timed
    return out


def published(db):
    """Return (axis, group) → ids of the points that mart_serving_frontier has."""
    rows = db.execute(
        f"select axis, {', '.join(GROUP)}, point_id from mart_serving_frontier where row_kind = 'point'"
    ).fetchall()
    out = {}
    for axis, *group, name in rows:
        out.setdefault((axis, tuple(group)), set()).add(name)
    return out


def read(points, speed):
    """Return the frontier at a speed on the straight line between neighbours, None outside of the measured range.

    Args:
        points: (x, y) of a frontier.
        speed: x to read at.
    """
    below = [p for p in points if p[0] <= speed]
    above = [p for p in points if p[0] >= speed]
    if not below or not above:
        return None
    (x0, y0), (x1, y1) = max(below), min(above)
    return y0 if x0 == x1 else y0 + (y1 - y0) * (speed - x0) / (x1 - x0)
