"""System descriptions of MLPerf Training: ``<submitter>/systems/<system>.json``, and ``entry.json`` of v0.5 and v0.6.

Facts checked on v0.5 to v0.7 and v3.1 to v5.1 (2026-11): some files of v0.7 end an object with a comma, or spell
``divison`` and ``number of nodes``; Alibaba's result folders of v0.7 carry other names than its system files. Of the
system files of v0.6, Fujitsu's has the form of an entry.json, and NVIDIA's hold the submission's records of a log.
"""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from typing import Any

from ingest.core import values
from ingest.mlperf.records import Unusable, read_fields
from ingest.mlperf.tables import read_table
from ingest.mlperf.training_records import System

_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_SUBMISSION_RECORD = re.compile(r"^(org|division|status|entry): (\{.*\})\s*$", re.MULTILINE)
_TPU_SLICE = re.compile(r"tpu-?v[23]-(\d+)", re.IGNORECASE)
_CORES_PER_TPU_CHIP = 2
"""TPU v2 and v3: Google's own system architecture page; a slice is named after its cores."""


UNDESCRIBED = System()
"""Stands for the system of a result whose file is missing or cannot be read."""


_KEYS = {
    "submitter_published": "submitter",
    "division": "division",
    "availability_published": "status",
    "system_name": "system_name",
    "number_of_nodes": "number_of_nodes",
    "accelerators_per_node": "accelerators_per_node",
    "accelerator_name_published": "accelerator_model_name",
    "host_processor_name": "host_processor_model_name",
    "host_processors_per_node": "host_processors_per_node",
    "framework": "framework",
    "operating_system": "operating_system",
}
_ENTRY_KEYS = {
    "division": "division",
    "availability_published": "status",
    "system_name": "hardware",
    "framework": "framework",
    "software_stack": "libraries",
    "operating_system": "os",
}
_NODE_KEYS = {
    "number_of_nodes": "num_nodes",
    "accelerators_per_node": "num_accelerators",
    "accelerator_name_published": "accelerator",
    "host_processor_name": "cpu",
}


def read_system(payload: bytes, submitter: str | None = None) -> System:
    """Read one system file, or one ``entry.json`` of v0.5.

    Args:
        payload: its bytes. A comma before a closing bracket is accepted: whole submissions of v0.7 have it.
        submitter: the organisation of ``submission.json``, for a file in the form of an ``entry.json``.

    Returns:
        The system. Counts are those of the file, except that Google's ``num_accelerators`` is the number of cores
        of the whole slice (``tpuv3-32``): it becomes chips per node.

    Raises:
        Unusable: the file describes no system.
    """
    try:
        body = _read_object(payload)
    except Unusable:
        if system := _read_records(payload):
            return system
        raise
    if "system_name" not in body:
        if "nodes" in body:
            return _read_entry(body, submitter)
        raise Unusable("no system_name in it")
    body = {"division": body.get("divison")} | body
    stack = body.get("other_software_stack")
    read = read_fields(System, body, _KEYS) | {
        "driver_version": _driver(stack),
        "software_stack": values.text(stack if isinstance(stack, str | None) else json.dumps(stack)),
        "notes": values.joined(body, "hw_notes", "sw_notes"),
    }
    return System(**read | {"division": (read["division"] or "").lower() or None})


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
    read = read_fields(System, body, _ENTRY_KEYS) | read_fields(System, node, _NODE_KEYS)
    if slice_ := _TPU_SLICE.fullmatch(read["accelerator_name_published"] or ""):
        chips, n = int(slice_[1]) // _CORES_PER_TPU_CHIP, read["number_of_nodes"]
        read["number_of_nodes"] = n if n and chips % n == 0 else 1
        read["accelerators_per_node"] = chips // read["number_of_nodes"]
    read["division"] = (read["division"] or "").lower() or None
    read["notes"] = values.joined({"of_node": node.get("notes")} | body, "notes", "of_node")
    return System(**read, submitter_published=submitter)


def organisation_of(payload: bytes) -> str | None:
    """Return the organisation that a ``submission.json`` of v0.5 names; None when it names none."""
    try:
        return values.text(_read_object(payload).get("org"))
    except Unusable:
        return None


@cache
def system_file_aliases() -> dict[tuple[str, str, str], str]:
    """Return (release, submitter, result folder) → name of the system file that describes it."""
    return {
        (row["release"], row["submitter"], row["result_folder"]): row["system_file"]
        for row in read_table("training_system_aliases.csv")
    }


def _read_object(payload: bytes) -> dict[str, Any]:
    try:
        text = values.decode(payload)
        try:
            body = json.loads(text)
        except ValueError:
            body = json.loads(_TRAILING_COMMA.sub(r"\1", text))
    except (ValueError, RecursionError) as e:
        raise Unusable(f"not valid JSON ({e})") from e
    if not isinstance(body, dict):
        raise Unusable(f"a {type(body).__name__}, not an object")
    return {"_".join(str(key).lower().split()): value for key, value in body.items()}


def _driver(stack: Any) -> str | None:
    """Return the accelerator driver's version, where the stack is given by parts (``cuda_driver_version``)."""
    if isinstance(stack, list):
        return next((driver for part in stack if (driver := _driver(part))), None)
    if not isinstance(stack, dict):
        return None
    names = sorted((k for k in stack if "driver" in str(k).lower()), key=lambda k: "kernel" in str(k).lower())
    return values.text(stack[names[0]]) if names else None
