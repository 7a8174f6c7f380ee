"""Google Cloud's accelerator machine types, and what each is billed for."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple


class Machine(NamedTuple):
    """What a machine type is billed for; memory in GiB (Google writes GB), local SSD in GiB."""

    name: str
    gpu: str
    gpus: int
    family: str  # of its core and RAM SKUs; "" where the GPU's price covers the whole machine
    vcpus: int
    memory: int
    ssd: int  # attached whether wanted or not; disks that may be added are not counted
    is_startable: bool  # on demand, without a reservation


def _read_machines() -> tuple[Machine, ...]:
    table = files("ingest.prices").joinpath("gcp_machines.csv").read_text("utf-8")
    return tuple(
        Machine(
            name=row["name"],
            gpu=row["gpu"],
            gpus=int(row["gpus"]),
            family=row["family"],
            vcpus=int(row["vcpus"]),
            memory=int(row["memory"]),
            ssd=int(row["ssd"]),
            is_startable=row["is_startable"] == "true",
        )
        for row in csv.DictReader(table.splitlines())
    )


# Read from https://cloud.google.com/compute/docs/accelerator-optimized-machines (2026). The B200 is sold as a "(1 gpu
# slice)" of an A4 with nothing else to bill. There are no SKUs of A4X (GB200, GB300): it has no list price.
MACHINES = _read_machines()
