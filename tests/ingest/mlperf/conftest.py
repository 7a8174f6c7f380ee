"""Real releases, each read and parsed once a session; tests of one release share an xdist group, so one worker."""

from __future__ import annotations

import io
import json
from functools import cache

import pytest
from mlperf_payloads import tar_members

from ingest.core.trees import read_tarball
from ingest.mlperf.published import parse_collection
from ingest.mlperf.raw_tree import parse_tree
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_layout import PATTERNS


@pytest.fixture(scope="session")
def v51_published(mlperf_data):
    """The summary of v5.1, by `json` alone."""
    return json.loads((mlperf_data / "inference_v5.1/summary_results.json").read_bytes())


@pytest.fixture(scope="session")
def v61_sample(mlperf_data):
    """Fourteen entries of the summary of v6.1, by `json` alone."""
    return json.loads((mlperf_data / "inference_v6.1_sample/summary.json").read_bytes())


@pytest.fixture(scope="session")
def v51_files(mlperf_data):
    return list(tar_members(mlperf_data / "releases/inference_results_v5.1.tar.gz"))


@pytest.fixture(scope="session")
def v51_tree(v51_files):
    return parse_tree(v51_files, release="v5.1")


@pytest.fixture(scope="session")
def collection_files(mlperf_data):
    return list(tar_members(mlperf_data / "releases/cm4mlperf-results.tar.gz"))


@pytest.fixture(scope="session")
def collected(collection_files):
    """Every entry of an inference round in MLCommons' collection, by `json` alone."""
    return [e for path, data in collection_files if "/mlperf-inference--" in path for e in json.loads(data)]


@pytest.fixture(scope="session")
def collection(collection_files):
    return parse_collection(collection_files)


@pytest.fixture(scope="session")
def training_files(mlperf_data):
    """Files of a training round, by its name."""

    def files(release):
        tarball = mlperf_data / "releases" / f"training_results_{release}.tar.gz"
        return read_tarball(io.BytesIO(tarball.read_bytes()), PATTERNS)

    return files


@pytest.fixture(scope="session")
def training(training_files):
    """Parsed training rounds, by name."""
    return cache(lambda release: parse_training_tree(training_files(release), release=release))
