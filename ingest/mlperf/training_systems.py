"""System descriptions of MLPerf Training: ``<submitter>/systems/<system>.json``, and ``entry.json`` of v0.5 and v0.6.

Facts checked on v0.5 to v0.7 and v3.1 to v5.1 (2026-11): some files of v0.7 end an object with a comma, or spell
``divison`` and ``number of nodes``; Alibaba's result folders of v0.7 carry other names than its system files. Of the
system files of v0.6, Fujitsu's has the form of an entry.json, and NVIDIA's hold the submission's records of a log.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from ingest.core import values
from ingest.mlperf.tables import read_table

_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_SUBMISSION_RECORD = re.compile(r"^(org|division|status|entry): (\{.*\})\s*$", re.MULTILINE)
_TPU_SLICE = re.compile(r"tpu-?v[23]-(\d+)", re.IGNORECASE)
_CORES_PER_TPU_CHIP = 2
"""TPU v2 and v3: Google's own system architecture page; a slice is named after its cores."""


@dataclass(frozen=True, kw_only=True)
class System:
    """What a system file states, under the names of `TrainingResult`. Texts are the file's own."""

    submitter_published: str | None = None
    division: str | None = None
    availability_published: str | None = None
    system_name: str | None = None
    number_of_nodes: int | None = None
    accelerators_per_node: int | None = None
    accelerator_name_published: str | None = None
    host_processor_name: str | None = None
    host_processors_per_node: int | None = None
    framework: str | None = None
    driver_version: str | None = None
    software_stack: str | None = None
    operating_system: str | None = None
    notes: str | None = None

    @property
    def accelerators(self) -> int | None:
        """Nodes × accelerators per node; None when unknown, zero (CPU systems) or beyond 64 bits."""
        if self.number_of_nodes is None or self.accelerators_per_node is None:
            return None
        return values.integer(self.number_of_nodes * self.accelerators_per_node) or None


UNDESCRIBED = System()
"""Stands for the system of a result whose file is missing or cannot be read."""


def read_system(payload: bytes, submitter: str | None = None) -> System | str:
    """Read one system file, or one ``entry.json`` of v0.5.

    Args:
        payload: its bytes. A comma before a closing bracket is accepted: whole submissions of v0.7 have it.
        submitter: the organisation of ``submission.json``, for a file in the form of an ``entry.json``.

    Returns:
        The system, or the problem as a phrase. Counts are those of the file, except that Google's
        ``num_accelerators`` is the number of cores of the whole slice (``tpuv3-32``): it becomes chips per node.
    """
    body = _read_object(payload)
    if isinstance(body, str):
        return _read_records(payload) or body
    if "system_name" not in body:
        return _read_entry(body, submitter) if "nodes" in body else "no system_name in it"
    stack = body.get("other_software_stack")
    return System(
        submitter_published=values.text(body.get("submitter")),
        division=(values.text(body.get("division", body.get("divison"))) or "").lower() or None,
        availability_published=values.text(body.get("status")),
        system_name=values.text(body.get("system_name")),
        number_of_nodes=values.integer(body.get("number_of_nodes")),
        accelerators_per_node=values.integer(body.get("accelerators_per_node")),
        accelerator_name_published=values.text(body.get("accelerator_model_name")),
        host_processor_name=values.text(body.get("host_processor_model_name")),
        host_processors_per_node=values.integer(body.get("host_processors_per_node")),
        framework=values.text(body.get("framework")),
        driver_version=_driver(stack),
        software_stack=values.text(stack if isinstance(stack, str | None) else json.dumps(stack)),
        operating_system=values.text(body.get("operating_system")),
        notes="; ".join(n for k in ("hw_notes", "sw_notes") if (n := values.text(body.get(k)))) or None,
    )


def _read_records(payload: bytes) -> System | None:
    """Read a system file of ``key: {"value": …}`` lines, whose entry and its nodes are Python literals in text."""
    try:
        records = {
            key: json.loads(r)["value"] for key, r in _SUBMISSION_RECORD.findall(values.decode(payload))
        }
        entry = ast.literal_eval(records["entry"])
        return _read_entry(
            entry | records | {"nodes": [ast.literal_eval(entry["nodes"])]}, values.text(records.get("org"))
        )
    except (ValueError, KeyError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _read_entry(body: dict[str, Any], submitter: str | None) -> System:
    nodes = body.get("nodes")
    node = nodes[0] if isinstance(nodes, list) and nodes and isinstance(nodes[0], dict) else {}
    accelerator = values.text(node.get("accelerator"))
    number_of_nodes = values.integer(node.get("num_nodes"))
    per_node = values.integer(node.get("num_accelerators"))
    if slice_ := _TPU_SLICE.fullmatch(accelerator or ""):
        chips = int(slice_[1]) // _CORES_PER_TPU_CHIP
        number_of_nodes = number_of_nodes if number_of_nodes and chips % number_of_nodes == 0 else 1
        per_node = chips // number_of_nodes
    return System(
        submitter_published=submitter,
        division=(values.text(body.get("division")) or "").lower() or None,
        availability_published=values.text(body.get("status")),
        system_name=values.text(body.get("hardware")),
        number_of_nodes=number_of_nodes,
        accelerators_per_node=per_node,
        accelerator_name_published=accelerator,
        host_processor_name=values.text(node.get("cpu")),
        framework=values.text(body.get("framework")),
        software_stack=values.text(body.get("libraries")),
        operating_system=values.text(body.get("os")),
        notes="; ".join(n for n in map(values.text, (body.get("notes"), node.get("notes"))) if n) or None,
    )


def organisation_of(payload: bytes) -> str | None:
    """Return the organisation that a ``submission.json`` of v0.5 names; None when it names none."""
    body = _read_object(payload)
    return None if isinstance(body, str) else values.text(body.get("org"))


@cache
def system_file_aliases() -> dict[tuple[str, str, str], str]:
    """Return (release, submitter, result folder) → name of the system file that describes it."""
    return {
        (row["release"], row["submitter"], row["result_folder"]): row["system_file"]
        for row in read_table("training_system_aliases.csv")
    }


def _read_object(payload: bytes) -> dict[str, Any] | str:
    try:
        text = values.decode(payload)
        try:
            body = json.loads(text)
        except ValueError:
            body = json.loads(_TRAILING_COMMA.sub(r"\1", text))
    except (ValueError, RecursionError) as e:
        return f"not valid JSON ({e})"
    if not isinstance(body, dict):
        return f"a {type(body).__name__}, not an object"
    return {"_".join(str(key).lower().split()): value for key, value in body.items()}


def _driver(stack: Any) -> str | None:
    """Return the accelerator driver's version, where the stack is given by parts (``cuda_driver_version``)."""
    if isinstance(stack, list):
        return next((driver for part in stack if (driver := _driver(part))), None)
    if not isinstance(stack, dict):
        return None
    names = sorted((k for k in stack if "driver" in str(k).lower()), key=lambda k: "kernel" in str(k).lower())
    return values.text(stack[names[0]]) if names else None
