"""Write the number formats of bundled training rounds into the snapshot.

Run: python bench/training_formats.py <table of settings.csv>. The table holds names and settings of the configuration
files of training rounds (release, submitter, benchmark, implementation, file, kind, name, value), extracted from
MLCommons' public repositories. `accelmart fetch mlperf-training` reads the files themselves.
"""

import csv
import hashlib
import io
import sys
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

from ingest.core.source import Part
from ingest.mlperf.registry import MLPERF_SOURCES, MLPERF_TRAINING, TRAINING_FORMATS
from ingest.mlperf.releases import training_repository
from ingest.mlperf.training_formats import ConfigurationFile, parse_configurations
from ingest.mlperf.training_records import TRAINING_PARSER_VERSION
from warehouse.inputs.raw import Provenance, write_part
from warehouse.storage.home import SNAPSHOT_DIR

FP8_8B = ["config_common.sh", "config_common_8b.sh", "config_common_cg.sh"]
# files sourced by files with an ambiguous name, as read on 2026-11-22 in mlcommons/training_results_v5.1 at
# commit 4da2d1cd71eb30c855dad12712480ae5ac90dd89, folder Dell/benchmarks/llama31_8b/implementations/nemo
SOURCES_READ = {
    "config_1xXE9680Lx8B200-SXM-180GB.sh": [
        "config_common.sh",
        "config_common_fp4.sh",
        "config_common_cg.sh",
        "config_common_8b.sh",
        "config_common_fp8attn.sh",
    ],
    "config_2xXE9680Lx8B200-SXM-180GB_2x8x2xtp1pp1cp1_8b.sh": FP8_8B,
    "config_XE9685Lx8B200-SXM-180GB_2x8x2xtp1pp1cp1.sh": FP8_8B,
    "config_XE9780x8B300-SXM-270GB_1x8x2xtp1pp1cp1_8b.sh": FP8_8B,
}


def read_settings_table(table: bytes) -> dict[str, list[ConfigurationFile]]:
    """Read names and settings that were extracted from configuration files beforehand.

    Args:
        table: CSV with release, submitter, benchmark, implementation, file, kind (file, source, setting), name, value.

    Returns:
        By release, the files. The sources of a file are not known where the table lists none.
    """
    files: dict[tuple[str, ...], ConfigurationFile] = {}
    releases: defaultdict[str, list[ConfigurationFile]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(table.decode())):
        key = row["release"], row["submitter"], row["benchmark"], row["implementation"], row["file"]
        if key not in files:
            files[key] = ConfigurationFile(*key[1:])
            releases[row["release"]].append(files[key])
        if row["kind"] == "setting":
            files[key].set_value(row["name"], row["value"])
        elif row["kind"] == "source":
            files[key].sources = [*(files[key].sources or []), row["name"]]
    return releases


def with_sources_read(release: str, files: list[ConfigurationFile]) -> list[ConfigurationFile]:
    """Add the sourced files read upstream to the files of Dell's folder of v5.1."""
    for file in files:
        if (release, file.submitter, file.benchmark, file.implementation) == (
            "v5.1",
            "Dell",
            "llama31_8b",
            "nemo",
        ):
            file.sources = SOURCES_READ.get(file.name, file.sources)
    return files


def main(table: Path) -> None:
    """Write one part for each release of the table, and print its contents."""
    content = table.read_bytes()
    for release, files in read_settings_table(content).items():
        parsed = parse_configurations(with_sources_read(release, files), release=release)
        provenance = Provenance(
            source=MLPERF_TRAINING,
            payload_key=release,
            payload_url=training_repository(release),
            payload_sha256=hashlib.sha256(content).hexdigest(),
            payload_bytes=len(content),
            licence=MLPERF_SOURCES[MLPERF_TRAINING].licence,
            fetched_at=datetime(2026, 11, 22, tzinfo=UTC),
            parser_version=TRAINING_PARSER_VERSION,
        )
        part = write_part(
            SNAPSHOT_DIR, Part(release, TRAINING_FORMATS, parsed), provenance, parts_in_payload=1
        )
        print(f"{release}: {parsed.records_in} files, {len(parsed.rows)} configurations -> {part.stem}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
