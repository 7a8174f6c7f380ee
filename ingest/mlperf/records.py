"""What the MLPerf Inference parsers yield: one row per published result, with the source's own words.

Fields ending in ``_published`` are upstream's words unchanged; the others are typed or normalised here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ingest.errors import RecordRejected

# Raise it whenever the same bytes would give other rows: it is part of the cache key.
PARSER_VERSION = 2


@dataclass(frozen=True, kw_only=True)
class InferenceResult:
    """One MLPerf Inference result: (release, division, suite, submitter, platform, model, scenario).

    Units: ``result`` is in ``result_unit_published`` (the source's word, sometimes wrong); ``power`` in
    ``power_unit_published`` (Watts, or millijoules per query for SingleStream and MultiStream);
    ``log_*_per_s`` in samples or tokens per second as loadgen logged them.
    """

    release: str
    dialect: str  # summary_list | summary_dict | collection | raw_tree
    member: str  # file inside the payload, "" when the payload is one file
    record: str  # position in that file
    submission_id_published: str | None
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
    source_url: str = ""


RowT = TypeVar("RowT")


@dataclass
class Parsed(Generic[RowT]):
    """Rows and rejects of one payload (or one release of it), with the account of every record.

    ``records_in`` = rows + duplicates + records merged into a row + rejects + records left out. ``remarks`` are
    defects that did not cost a row; ``left_out`` counts by reason the records that are none of our business.
    """

    rows: list[RowT] = field(default_factory=list)
    rejects: list[RecordRejected] = field(default_factory=list)
    records_in: int = 0
    duplicates: int = 0
    merged: int = 0
    remarks: list[RecordRejected] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def is_balanced(self) -> bool:
        """Nothing got lost on the way."""
        out = len(self.rows) + self.duplicates + self.merged + len(self.rejects)
        return self.records_in == out + sum(self.left_out.values())


def require_balance(parsed: Parsed[RowT], where: str) -> Parsed[RowT]:
    """Return `parsed`, or fail: a parser that loses records is a defect of ours, not of the payload.

    Raises:
        AssertionError: records in ≠ rows + duplicates + merged + rejects + left out.
    """
    if not parsed.is_balanced:
        raise AssertionError(
            f"{where}: {parsed.records_in} records in, but {len(parsed.rows)} rows + {parsed.duplicates} "
            f"duplicates + {parsed.merged} merged + {len(parsed.rejects)} rejects + "
            f"{sum(parsed.left_out.values())} left out"
        )
    return parsed


def required(entry: dict[str, object], names: Sequence[str]) -> list[str]:
    """The keys of `names` that the entry lacks or holds empty."""
    return [name for name in names if entry.get(name) is None or str(entry[name]).strip() == ""]
