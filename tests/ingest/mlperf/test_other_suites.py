"""Trees of other suites, in the layouts of their repositories, given as a round of Inference or Training."""

import json

import pytest
from given_payloads import land_files
from small_round import LOG, small_round
from small_training import small_training_round

from ingest.core.errors import PayloadRejected
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_TRAINING
from warehouse.storage.home import Home

TINY = json.dumps({"Submitter": "A", "Board Name": "B", "SoC Name": "C"})
MOBILE = json.dumps({"System": "Phone", "Processor Name": "P", "TFlite Version": "2.8.0", "vendor SDK": "S"})
STORAGE = json.dumps({"type": "filesystem", "properties": {"nodes": [{"node_type_name": "client"}]}})
HPC = small_training_round()["Dell/systems/box.json"]
RUN = LOG.format(rate=1, verdict="VALID")
MLLOG = small_training_round()["Dell/results/box/bert/result_0.txt"]
AUTOMOTIVE = "closed/A/results/car/bevformer/SingleStream/performance/run_1/mlperf_log_summary.txt"
SINGLE_STREAM = RUN.replace("Offline", "SingleStream") + "Early stopping 90th percentile estimate: 5000000\n"


@pytest.mark.parametrize(
    ("source", "files", "suite"),
    [
        (MLPERF_INFERENCE, {"closed/A/systems/b.json": TINY, "closed/A/results/b/kws/performance/results.txt": "m"}, "Tiny"),
        (MLPERF_TRAINING, {"closed/A/systems/b.json": TINY, "closed/A/results/b/kws/performance/results.txt": "m"}, "Tiny"),
        (
            MLPERF_INFERENCE,
            {"closed/A/systems/phone.json": MOBILE,
             "closed/A/results/phone/mosaic/SingleStream/log_performance/mlperf_log_summary.txt": RUN},
            "Mobile",
        ),
        (MLPERF_INFERENCE, {"Closed/A/systems/b.json": STORAGE, "Closed/A/results/b/unet3d-h100/runs/run1/x.log": "m"}, "Storage"),
        (MLPERF_TRAINING, {"Closed/A/systems/b.json": STORAGE, "Closed/A/results/b/unet3d-h100/runs/run1/x.log": "m"}, "Storage"),
        (MLPERF_INFERENCE, {"A/systems/b.json": HPC, "A/results/b/strong/deepcam/result_0.txt": MLLOG}, "Training or HPC"),
        (MLPERF_TRAINING, {"A/systems/b.json": HPC, "A/results/b/strong/deepcam/result_0.txt": MLLOG}, "HPC"),
        # hpc v0.7 has the layout of Training
        (
            MLPERF_TRAINING,
            {"A/systems/b.json": HPC, "A/results/b/cosmoflow/result_0.txt": MLLOG.replace('"bert"', '"cosmoflow"')},
            "HPC",
        ),
        (MLPERF_INFERENCE, {"closed/A/systems/car.json": "{}", AUTOMOTIVE: SINGLE_STREAM}, "Automotive"),
        (MLPERF_INFERENCE, small_training_round(), "Training or HPC"),
        (MLPERF_TRAINING, small_round(1600), "Inference"),
        (MLPERF_INFERENCE, {"round/closed/A/systems/b.json": "{}"}, None),
    ],
)  # fmt: skip
def test_a_tree_of_another_suite_is_refused_by_its_name(tmp_path, source, files, suite):
    home = Home(tmp_path / "home", str(tmp_path / "home" / "landing"))
    with pytest.raises(PayloadRejected) as refused:
        land_files(home, source, "v1.0", tmp_path / "tree", files)
    wanted = "Inference" if source == MLPERF_INFERENCE else "Training"
    problem = refused.value.problem
    assert f"no result of MLPerf {wanted} is recognised in its " in problem
    assert (f"it is an MLPerf {suite} tree, not MLPerf {wanted}; " in problem) == (suite is not None)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("source", "files"), [(MLPERF_INFERENCE, small_round(1600)), (MLPERF_TRAINING, small_training_round())]
)
def test_a_tree_of_the_suite_is_landed(tmp_path, source, files):
    home = Home(tmp_path / "home", str(tmp_path / "home" / "landing"))
    assert land_files(home, source, "v5.0", tmp_path / "tree", files).outcome == "landed"
