"""What the MLPerf Inference parsers yield: one row per published result, with the source's own words.

Fields ending in ``_published`` are upstream's words unchanged; the others are typed or normalised here.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ingest.core import values

# Raise it whenever the same bytes would give other rows: it is part of the cache key.
PARSER_VERSION = 5


@dataclass(frozen=True, kw_only=True)
class TokenLatency:
    """Time to first token and time per output token of a run, medians and 99th percentiles in milliseconds.

    None where the harness did not log it: no token model, or an Offline run.
    """

    ttft_ms_p50: float | None = None
    ttft_ms_p99: float | None = None
    tpot_ms_p50: float | None = None
    tpot_ms_p99: float | None = None


@dataclass(frozen=True, kw_only=True)
class InferenceResult(TokenLatency):
    """One MLPerf Inference result: (release, division, suite, submitter, platform, model, scenario).

    Units: ``result`` is in ``result_unit_published`` (the source's word, sometimes wrong); ``power`` in
    ``power_unit_published`` (Watts, or millijoules per query for SingleStream and MultiStream);
    ``log_*_per_s`` in samples or tokens per second as the harness logged them. ``harness`` is loadgen or endpoints,
    None where no log was read. ``provenance_note`` says how the record was had where it is no file of upstream.
    """

    release: str
    # summary_list | summary_dict | summary_csv | summary_core | collection | raw_tree | read_singly
    dialect: str
    member: str  # file inside the payload, "" when the payload is one file
    record: str  # position in that file
    submission_id_published: str | None = None
    submitter: str
    availability: str | None
    division: str
    suite_published: str | None
    system_name: str | None
    platform: str
    model_published: str
    benchmark_published: str | None
    scenario: str
    scenario_published: str
    location: str
    result: float
    result_published: str
    result_unit_published: str | None
    power: float | None = None
    power_unit_published: str | None = None
    accuracy_published: str | None = None
    tokens_per_sample: float | None = None
    number_of_nodes: int | None = None
    accelerators_per_node: int | None = None
    accelerators_per_node_published: str | None = None
    total_accelerators_published: int | None = None
    accelerator_name_published: str | None = None
    host_processor_name: str | None = None
    host_processors_per_node: int | None = None
    host_processor_core_count_published: str | None = None
    software: str | None = None
    operating_system: str | None = None
    notes: str | None = None
    compliance_published: str | None = None
    errors_published: str | None = None
    is_inferred_published: bool | None = None
    has_power_published: bool | None = None
    weight_data_types_published: str | None = None
    is_system_described: bool = True
    log_scenario: str | None = None
    log_validity: str | None = None
    log_metric: str | None = None
    log_samples_per_s: float | None = None
    log_tokens_per_s: float | None = None
    harness: str | None = None
    provenance_note: str | None = None
    source_url: str = ""


class Unusable(ValueError):
    """Why a record or file gives no figure; `remedy` is empty where the account has one for all its records."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


_READERS: dict[Any, Callable[[Any], Any]] = {
    str: values.words,
    bool: values.flag,
    float: values.number,
    str | None: values.text,
    int | None: values.integer,
    float | None: values.number,
    bool | None: values.flag,
}


@cache
def _types(row: type) -> dict[str, Any]:
    return typing.get_type_hints(row)


def read_fields(row: type, body: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a row that an upstream object holds, read as the types that the row gives them.

    Args:
        row: dataclass of the row.
        body: upstream's object.
        keys: field of the row → key of the object. A key that the object lacks gives None.
    """
    types = _types(row)
    return {name: _READERS[types[name]](body.get(key)) for name, key in keys.items()}
