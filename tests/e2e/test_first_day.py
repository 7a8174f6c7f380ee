"""Trees of MLPerf Training rounds that an installation fetches on its first days, beside what is bundled: a whole round
and its correction a day later, and part of a round that MLCommons' collection holds."""

import csv
import re
import shutil
import tarfile

import pytest
from home_copies import land_given

pytestmark = pytest.mark.xdist_group("landed")

WITHDRAWN = "training/v0.6/Google/tpu-v3-128/maskrcnn"
CORRECTED = "training/v0.6/Google/tpu-v3-128/ssd"
NAMES = {"mask": "maskrcnn"}
COLLECTED, SUBMITTERS = "v3.0", ("ASUSTeK", "GIGABYTE", "Supermicro")


def land_payloads(home, folder, mlperf_data):
    """Land the tree of v0.6, then the same tree without one result and with another log; and part of v3.0."""
    whole = unpack(mlperf_data / "releases" / "training_results_v0.6.tar.gz", folder / "whole", 1)
    land_given(home, "mlperf-training", "v0.6", whole)
    shutil.rmtree(whole / "Google" / "results" / "tpu-v3-128" / "mask")
    log = whole / "Google" / "results" / "tpu-v3-128" / "ssd" / "result_3.txt"
    # 0.3 s longer
    log.write_text(
        re.sub(
            r":::MLL (\S+) run_stop", lambda m: f":::MLL {float(m[1]) + 0.3:.3f} run_stop", log.read_text()
        )
    )
    land_given(home, "mlperf-training", "v0.6", whole)
    part = unpack(
        mlperf_data / "trimmed" / f"training_results_{COLLECTED}.tar.xz", folder / "part", 0, SUBMITTERS
    )
    land_given(home, "mlperf-training", COLLECTED, part)


def unpack(archive, folder, n_outer, submitters=None):
    """Write the files of an archive without its outer folders, of some submitters or of all."""
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = member.name.split("/")[n_outer:]
            if member.isfile() and (submitters is None or parts[0] in submitters):
                path = folder.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.extractfile(member).read())
    return folder


def scores(db, release):
    return dict(
        db.execute(
            "select result_id, score_minutes from fct_training_result where release = ?", [release]
        ).fetchall()
    )


def test_a_corrected_tree_replaces_the_round_result_by_result(landed_db, mlperf_data):
    """The other scores are those of the logs, in minutes with three decimals."""
    with (mlperf_data / "official_scores" / "training_v0.6_scores_derived.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    expected = {}
    for row in rows:
        benchmark = NAMES.get(row["benchmark_folder"], row["benchmark_folder"])
        # the logs of one result do not say when a run stopped
        minutes = float(row["score_minutes"]) if row["basis"] == "run_start_to_run_stop" else None
        expected[f"training/v0.6/{row['submitter']}/{row['system']}/{benchmark}"] = minutes
    assert expected.pop(WITHDRAWN) == 57.460
    # 3.882817, 3.8839 + 0.005 and 3.8894 count of the five runs; 3.874683 and 3.915567 do not
    assert expected.pop(CORRECTED) == 3.885
    published = scores(landed_db, "v0.6")
    assert published.pop(CORRECTED) == pytest.approx(3.887039, abs=1e-6)
    assert len(published) == 59 and published == pytest.approx(expected, abs=0.00051)


def test_a_tree_beside_the_collection_changes_no_score_and_adds_what_it_lacks(
    landed_db, warehouse, mlperf_data
):
    bundled, published = scores(warehouse, COLLECTED), scores(landed_db, COLLECTED)
    assert {key: published.get(key) for key in bundled} == bundled
    assert published.keys() - bundled.keys() == {"training/v3.0/GIGABYTE/G593-SD0_hugectr/dlrm_dcnv2"}
