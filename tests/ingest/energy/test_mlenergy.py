"""ML.ENERGY's leaderboard: every configuration, equal to the files; and what could go wrong in such files."""

import io
import json
import random

import pytest
from source_samples import MLENERGY_ENTRY as ENTRY
from source_samples import MLENERGY_INDEX as INDEX
from source_samples import mlenergy_payload

from ingest.core.errors import PayloadRejected
from ingest.energy.mlenergy import SOURCE


@pytest.fixture(scope="module")
def data(grid_data):
    return grid_data.parent / "mlenergy"


@pytest.fixture(scope="module")
def real(data):
    members = [(str(p.relative_to(data)), io.BytesIO(p.read_bytes())) for p in sorted(data.rglob("*.json"))]
    return SOURCE.rows(members, key="leaderboard")


def parsed(*entries, task="chat"):
    files = mlenergy_payload(list(entries), task)
    return SOURCE.rows([(n, io.BytesIO(body)) for n, body in files.items()], key="leaderboard")


def test_thirty_configurations_at_random_equal_the_file(real, data):
    for row in random.Random(20260227).sample(real.rows, 30):
        document = json.loads((data / row.member).read_bytes())
        entry = document["configurations"][int(row.record.removeprefix("configurations[").rstrip("]"))]
        assert (row.model_published, row.workload) == (document["model_id"], document["task"])
        assert row.number_format_published == document["weight_precision"]
        assert row.accelerator_published == entry["gpu_model"]
        assert (row.n_accelerators_all, row.concurrency) == (entry["num_gpus"], entry["max_num_seqs"])
        assert row.output_tokens == entry["avg_output_len"]
        assert row.j_per_output_token == entry["energy_per_token_joules"]
        assert row.output_tokens_per_s_per_accelerator * entry["num_gpus"] == pytest.approx(
            entry["output_throughput_tokens_per_sec"]
        )
        assert row.w_per_accelerator * entry["num_gpus"] == pytest.approx(entry["avg_power_watts"])
        assert row.tokens_per_s_per_user * entry["median_itl_ms"] == pytest.approx(1000)
        assert (row.energy_scope, row.framework, row.ttft_ms) == ("GPU", None, None)


def test_the_files_of_tasks_hold_the_same_figures(real, data):
    """Upstream publishes each configuration a second time, by task."""
    names = ("model_id", "gpu_model", "num_gpus", "max_num_seqs", "energy_per_token_joules")
    by_task = [
        (path.stem, *(e[name] for name in names))
        for path in data.glob("tasks/*.json")
        for e in json.loads(path.read_bytes())["configurations"]
    ]
    ours = [
        (r.workload, r.model_published, r.accelerator_published, r.n_accelerators_all, r.concurrency, r.j_per_output_token)
        for r in real.rows
    ]  # fmt: skip
    assert sorted(by_task) == sorted(ours) and len(ours) == 838 and not real.rejects


def test_images_are_out_of_scope():
    assert parsed(ENTRY, task="draw").exclusions == {"a task that gives no tokens": 1}


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"index.json": INDEX}, "has no models/"),
        ({"models/x.json": {}}, "has no index.json"),
        ({"index.json": [], "models/x.json": {}}, "architectures.llm"),
    ],
)
def test_a_folder_without_index_or_models_is_quarantined(files, problem):
    members = [(n, io.BytesIO(json.dumps(d).encode())) for n, d in files.items()]
    with pytest.raises(PayloadRejected, match=problem):
        SOURCE.rows(members, key="leaderboard")
