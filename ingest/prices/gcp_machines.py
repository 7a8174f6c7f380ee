"""Google Cloud's accelerator machine types, and what each is billed for."""

from __future__ import annotations

from typing import NamedTuple

MACHINES_URL = "https://cloud.google.com/compute/docs/accelerator-optimized-machines"


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


# Read from MACHINES_URL (2026). The B200 is sold as a "(1 gpu slice)" of an A4 with nothing else to bill. There are
# no SKUs of A4X (GB200, GB300): it has no list price.
MACHINES = (
    Machine("a2-highgpu-1g", "A100 40GB", 1, "A2", 12, 85, 0, True),
    Machine("a2-highgpu-2g", "A100 40GB", 2, "A2", 24, 170, 0, True),
    Machine("a2-highgpu-4g", "A100 40GB", 4, "A2", 48, 340, 0, True),
    Machine("a2-highgpu-8g", "A100 40GB", 8, "A2", 96, 680, 0, True),
    Machine("a2-megagpu-16g", "A100 40GB", 16, "A2", 96, 1360, 0, True),
    Machine("a2-ultragpu-1g", "A100 80GB", 1, "A2", 12, 170, 375, True),
    Machine("a2-ultragpu-2g", "A100 80GB", 2, "A2", 24, 340, 750, True),
    Machine("a2-ultragpu-4g", "A100 80GB", 4, "A2", 48, 680, 1500, True),
    Machine("a2-ultragpu-8g", "A100 80GB", 8, "A2", 96, 1360, 3000, True),
    Machine("a3-highgpu-1g", "H100", 1, "A3", 26, 234, 750, False),
    Machine("a3-highgpu-2g", "H100", 2, "A3", 52, 468, 1500, False),
    Machine("a3-highgpu-4g", "H100", 4, "A3", 104, 936, 3000, False),
    Machine("a3-highgpu-8g", "H100", 8, "A3", 208, 1872, 6000, True),
    Machine("a3-edgegpu-8g", "H100", 8, "A3", 208, 1872, 6000, True),
    Machine("a3-megagpu-8g", "H100 Mega", 8, "A3Plus", 208, 1872, 6000, True),
    Machine("a3-ultragpu-8g", "H200", 8, "A3Ultra", 224, 2952, 12000, False),
    Machine("a4-highgpu-8g", "B200", 8, "", 224, 3968, 12000, False),
    Machine("g2-standard-4", "L4", 1, "G2", 4, 16, 0, True),
    Machine("g2-standard-8", "L4", 1, "G2", 8, 32, 0, True),
    Machine("g2-standard-12", "L4", 1, "G2", 12, 48, 0, True),
    Machine("g2-standard-16", "L4", 1, "G2", 16, 64, 0, True),
    Machine("g2-standard-24", "L4", 2, "G2", 24, 96, 0, True),
    Machine("g2-standard-32", "L4", 1, "G2", 32, 128, 0, True),
    Machine("g2-standard-48", "L4", 4, "G2", 48, 192, 0, True),
    Machine("g2-standard-96", "L4", 8, "G2", 96, 384, 0, True),
    Machine("g4-standard-48", "RTX PRO 6000", 1, "G4", 48, 180, 0, True),
    Machine("g4-standard-96", "RTX PRO 6000", 2, "G4", 96, 360, 0, True),
    Machine("g4-standard-192", "RTX PRO 6000", 4, "G4", 192, 720, 0, True),
    Machine("g4-standard-384", "RTX PRO 6000", 8, "G4", 384, 1440, 0, True),
)
