"""Write the bundled snapshot: facts shipped with the code, extracted by the same parsers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from accelmart.urls import LOCAL_FORM
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.registry import SOURCES
from warehouse.build.prepare import write_particulars
from warehouse.inputs.active import Active, select_active
from warehouse.inputs.price_files import bundled_files
from warehouse.inputs.price_observations import Poll, write_poll_index
from warehouse.inputs.raw import HASHES
from warehouse.storage.files import replace_by_copy, written_whole
from warehouse.storage.home import Home


def write_snapshot(active: Active, folder: Path) -> None:
    """Replace the bundled snapshot by the parts of an installation that may be shipped.

    Collected prices stay the files they are; their parts are made of them here.

    Args:
        active: what a build of the installation uses.
        folder: the snapshot.
    """
    files = bundled_files()
    collected = {file.source.name for file in files}
    shipped = {name for name, source in SOURCES.items() if source.ships or name in MLPERF_SOURCES} - collected
    kept = [part for part in active.all_parts if part.provenance.source in shipped]
    written = {folder / table / path.name: path for part in kept for table, path in part.files.items()}
    for file in files:
        written |= {path: path for path in file.write(folder).files.values()}
    for observed in active.prices:
        polls = [
            Poll(o.part.provenance.payload_key, o.at, o.part.provenance.payload_sha256)
            for o in observed.observations
            if not o.is_dated
        ]
        if observed.source.name in shipped and (index := write_poll_index(folder, observed.source, polls)):
            written[index] = index
    for target, path in written.items():
        if path != target:
            _ship(path, target)
    for old in (*folder.rglob("*.parquet"), *folder.rglob(f"*{HASHES}")):
        if old not in written:
            old.unlink()
    complete_snapshot(folder)


def complete_snapshot(folder: Path) -> None:
    """Write into a snapshot what a build of an empty installation adds to its parts: dbt by itself reads it.

    Args:
        folder: the snapshot, with its parts.
    """
    with TemporaryDirectory() as name:
        home = Home(Path(name), f"{name}/landing")
        active = select_active(home, snapshot=folder)
        write_particulars(
            home, active, folder, generation_id="snapshot", input_fingerprint="", are_changes_accepted=False
        )


def _ship(path: Path, target: Path) -> None:
    """Put one file into the snapshot. A payload that was had as a file is stated under its public address.

    Whoever writes the snapshot vouches for the file being upstream's; tests compare the two (NOTICE, docs/data.md).
    """
    table = pq.read_table(path)
    at = table.schema.get_field_index("payload_url")
    origins = table.column(at).to_pylist() if at >= 0 else []
    if not any(origin.startswith(LOCAL_FORM) for origin in origins):
        replace_by_copy(path, target)
        return
    names = zip(
        table.column("source").to_pylist(), table.column("payload_key").to_pylist(), origins, strict=True
    )
    stated = [
        SOURCES[source].address(key) if url.startswith(LOCAL_FORM) else url for source, key, url in names
    ]
    field = table.schema.field(at)
    with written_whole(target) as temporary:
        pq.write_table(
            table.set_column(at, field, pa.array(stated, field.type)),
            temporary,
            compression="zstd",
            compression_level=9,
        )
