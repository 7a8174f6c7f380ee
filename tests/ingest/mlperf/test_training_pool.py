"""Logs read by several processes: the rows, rejects and remarks of one process, in the same order."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("mlperf_logging")

from small_training import SYSTEM, a_log, as_text

from ingest.core.errors import PayloadRejected
from ingest.mlperf import training_pool
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_files import FileReader, TrainingFile
from ingest.mlperf.training_layout import Place
from ingest.mlperf.training_pool import ReadingPool


def release() -> list[tuple[str, bytes]]:
    """Twelve logs, some of them damaged, with power logs, a description and files of no known place."""
    tree: list[tuple[str, bytes]] = []
    for i in range(12):
        rows = a_log()
        rows[-1] = rows[-1] | {"time_ms": rows[20]["time_ms"] + 60_000 * (i + 1)}
        text = as_text(rows)
        if i % 4 == 1:
            text = text.replace('"run_stop"', '"run_st', 1)
        home = f"ACME/results/box{i % 3}/bert"
        tree.append((f"{home}/result_{i}.txt", b"" if i == 6 else text.encode()))
        power = [("power_measurement_start", 0, None), ("power_reading", 10**6, 50 + i)]
        lines = [
            f":::MLLOG {json.dumps({'time_ms': t, 'key': k, 'value': v, 'metadata': ''})}"
            for k, t, v in power
        ]
        tree.append((f"{home}/power/result_{i}/node_0.txt", "\n".join(lines[: 1 + (i != 3)]).encode()))
        tree.append((f"{home}/power/result_{i}/other.txt", b"x"))
    tree.append(("ACME/results/box1/bert/scaling.json", b"{}"))
    tree.append(("ACME/results/box1/bert/deeper/result_0.txt", b"x"))
    return [*tree, ("ACME/systems/box0.json", json.dumps(SYSTEM).encode())]


def rows_and_rejects(tree) -> list[str]:
    return [
        *map(repr, [*tree.runs.rows, *tree.results.rows]),
        *(str(record) for record in [*tree.rejects, *tree.remarks]),
        repr((tree.runs.records_in, tree.results.records_in)),
    ]


@pytest.fixture
def small_batches(monkeypatch):
    """Other processes from the first log on, for a few logs at a time; the list of those that were started."""
    started = []

    class Worker(training_pool._Worker):
        def __init__(self, of: str) -> None:
            super().__init__(of)
            self.files = 0
            started.append(self)
            # a process that is not ready gets nothing, and these logs are read in no time
            training_pool.select.select([self._output], [], [])

        def start(self, batch):
            self.files += len(batch)
            super().start(batch)

    monkeypatch.setattr(training_pool, "_FIRST_BYTES", 0)
    monkeypatch.setattr(training_pool, "_BATCH_BYTES", 3 * len(as_text(a_log())))
    monkeypatch.setattr(training_pool, "_Worker", Worker)
    return started


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_change_nothing(small_batches, processes):
    alone = rows_and_rejects(parse_training_tree(release(), release="v5.0", processes=1))
    assert not small_batches
    assert rows_and_rejects(parse_training_tree(release(), release="v5.0", processes=processes)) == alone
    assert len(small_batches) == processes - 1
    assert all(worker.files > 3 for worker in small_batches)
    # a process that was not waited for would still be there
    assert all(worker._process.returncode is not None for worker in small_batches)
    assert sum("records cannot be read" in line for line in alone) > 1


@pytest.mark.parametrize("when", ["before its first files", "while it reads", "after its answer"])
def test_files_of_a_process_that_ends_are_read_again(small_batches, when):
    alone = rows_and_rejects(parse_training_tree(release(), release="v5.0", processes=1))

    def members():
        for number, member in enumerate(release()):
            yield member
            if number == {"before its first files": 1, "while it reads": 9, "after its answer": 9}[when]:
                (worker,) = small_batches
                if when == "after its answer" and worker.batch:
                    training_pool.select.select([worker._output], [], [])
                worker._process.kill()
                worker._process.wait()

    assert rows_and_rejects(parse_training_tree(members(), release="v5.0", processes=2)) == alone


@pytest.mark.parametrize("lacking", ["os.memfd_create", "subprocess.Popen"])
def test_without_memory_or_processes_one_reads_all(small_batches, monkeypatch, lacking):
    alone = rows_and_rejects(parse_training_tree(release(), release="v5.0", processes=1))
    before = len(os.listdir("/proc/self/fd"))

    def refused(*_, **__):
        raise OSError("none left")

    monkeypatch.setattr(f"ingest.mlperf.training_pool.{lacking}", refused)
    assert rows_and_rejects(parse_training_tree(release(), release="v5.0", processes=3)) == alone
    assert not small_batches and len(os.listdir("/proc/self/fd")) == before


def test_logs_of_all_sizes_are_handed_over(small_batches):
    """Also empty ones, and such as need more memory than those before."""
    text = as_text(a_log()).encode()
    home = "ACME/results/box/bert"
    sizes = [0, 0, 1, 9, 0, 2, 40, 3, 0, 0, 80, 1]
    logs = [
        (f"{home}/result_{i}.txt", text + b"x\n" * 1000 * size if size else b"")
        for i, size in enumerate(sizes)
    ]
    alone = rows_and_rejects(parse_training_tree(logs, release="v5.0", processes=1))
    assert rows_and_rejects(parse_training_tree(logs, release="v5.0", processes=2)) == alone
    (worker,) = small_batches
    assert worker.files > 3


def test_an_error_of_the_tree_ends_the_processes(small_batches):
    def members():
        yield from release()[:9]
        raise PayloadRejected(payload="tree", problem="cut short", remedy="fetch it again")

    with pytest.raises(PayloadRejected, match="cut short"):
        parse_training_tree(members(), release="v5.0", processes=2)
    (worker,) = small_batches
    assert worker._process.returncode is not None


def test_a_stream_is_read_here_and_few_logs_start_no_process(monkeypatch):
    monkeypatch.setattr(training_pool, "_Worker", None)
    monkeypatch.setattr(training_pool, "_BATCH_BYTES", 1)
    place = Place("ACME", "box", "bert", "ACME/results/box/bert")
    with ReadingPool(FileReader("v5.0"), 2) as pool:
        text = as_text(a_log()).encode()
        for content in (text, io.BytesIO(text), text):
            pool.add(TrainingFile("log", place, f"{place.location}/result_0.txt", content))
        one, streamed, again = pool.results()
    assert one == streamed == again and one.run is not None and one.run.minutes


def test_it_runs_in_a_script_without_a_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from ingest.mlperf import training_pool\n"
        "from ingest.mlperf.training import parse_training_tree\n"
        "training_pool._FIRST_BYTES, training_pool._BATCH_BYTES = 0, 1\n"
        "logs = [(f'A/results/s/bert/result_{i}.txt', b':::MLLOG {}') for i in range(5)]\n"
        "print(len(parse_training_tree(logs, release='v5.0', processes=2).runs.rows))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "5\n"
