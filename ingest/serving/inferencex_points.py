"""Points of InferenceX that stand in its public code and not behind its dashboard: facts, as a table of typed lines.

Throughputs are per chip; ``tp`` chips run a point, and input and output tokens add up to the total.
"""

from __future__ import annotations

from ingest.core.cadence import SERVING
from ingest.core.csv_table import CsvLine, read_csv
from ingest.core.fetch_plan import Members
from ingest.core.records import Parsed
from ingest.core.serving_point import ServingPoint, one_row_a_configuration
from ingest.core.source import Source

HOME = "https://github.com/SemiAnalysisAI/InferenceX-app"
_FILES = {
    "supplemental-bmk": f"{HOME}/blob/806f0013/packages/db/data/supplemental-bmk.json",
    "tpu-manual-sweep": f"{HOME}/blob/dd580737/packages/db/src/etl/fixtures/tpu-manual-sweep.json",
}
_COLUMNS = (
    *("hardware", "model", "framework", "precision", "spec", "tp", "ep", "isl", "osl", "concurrency"),
    *("total_tput_per_chip", "output_tput_per_chip", "input_tput_per_chip", "median_ttft_s", "median_tpot_s"),
    *("median_intvty", "measured_on", "source"),
)
_REMEDY = "compare the line with the file that its source names"
_ROUNDING = 0.005


def parse(members: Members, *, key: str) -> Parsed[ServingPoint]:
    """Return the points of the table; a record is a line."""
    account: Parsed[ServingPoint] = Parsed(payload=key, remedy=_REMEDY)
    for _, file in members:
        for line in read_csv(file.read(), key, _COLUMNS, remedy=_REMEDY):
            account.read()
            with account.catch(line.record):
                account.add(_point(line))
    return one_row_a_configuration(account, key)


def _point(line: CsvLine) -> ServingPoint:
    """Return the row of a line.

    Raises:
        ValueError: a figure is absent, its throughputs do not add up, or its file is unknown.
    """
    total, entered, output = (line.figure(f"{of}_tput_per_chip") for of in ("total", "input", "output"))
    if abs((entered + output) / total - 1) > _ROUNDING:
        raise ValueError(f"input {entered:g} and output {output:g} tokens/s are not the total of {total:g}")
    if (url := _FILES.get(line["source"])) is None:
        raise ValueError(f"its source is {line['source']!r}, not one of {', '.join(_FILES)}")
    has_day = len(line["measured_on"]) == len("2026-03-14")
    return ServingPoint(
        source=SOURCE.name,
        model_published=line["model"],
        accelerator_published=line["hardware"],
        number_format_published=line["precision"],
        workload=f"{line['isl']}/{line['osl']}",
        framework=line["framework"],
        framework_version=None,
        speculation=line["spec"],
        is_disaggregated=False,
        is_multinode=False,
        parallelism=f"tp {line['tp']}, ep {line['ep']}",
        input_tokens=line.figure("isl"),
        output_tokens=line.figure("osl"),
        concurrency=line.figure("concurrency"),
        mean_batch_size=None,
        n_accelerators_all=int(line.figure("tp")),
        n_accelerators_prefill=None,
        accelerator_count_basis="tensor parallel ranks",
        output_tokens_per_s_per_accelerator=output,
        output_tokens_per_s_per_accelerator_published=output,
        tokens_per_s_per_user=line.figure("median_intvty"),
        tokens_per_s_per_user_basis="published median",
        ttft_ms=line.figure("median_ttft_s") * 1000,
        tpot_ms=line.figure("median_tpot_s") * 1000,
        w_per_accelerator=None,
        j_per_output_token=None,
        energy_scope=None,
        measured_on=line["measured_on"],
        measured_on_basis="day of the run"
        if has_day
        else "months in which the file appeared; it states no day",
        source_url=url,
        member="",
        record=line.record,
    )


SOURCE = Source(
    dialect="serving",
    name="inferencex-points",
    title="InferenceX by SemiAnalysis: points of its public code",
    home_url=HOME,
    licence="code GPL-3: facts only",
    cadence=SERVING,
    parse=parse,
    polls_to_close=0,
    ships=True,
)
