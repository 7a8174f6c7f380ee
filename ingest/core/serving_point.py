"""What every parser of measured serving yields: one row a measured configuration, as its source states it.

Sources of two packages yield it (`ingest.energy`, `ingest.serving`), which import nothing of each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingest.core.records import Parsed

ENERGY_SCOPES = ("GPU", "node", "wall")
"""What a power meter saw: accelerators alone, a server at its power supply, or everything at the wall."""

_REQUIRED = ("model_published", "accelerator_published", "number_format_published", "workload")
_POSITIVE = (
    *("n_accelerators_all", "concurrency", "output_tokens_per_s_per_accelerator", "tokens_per_s_per_user"),
    *("input_tokens", "output_tokens", "ttft_ms", "tpot_ms", "mean_batch_size"),
    *("w_per_accelerator", "j_per_output_token"),
)


@dataclass(frozen=True, kw_only=True)
class ServingPoint:
    """One measured configuration of a model on accelerators.

    Attributes:
        source: registered source.
        model_published: the model in the source's words.
        accelerator_published: the accelerator in the source's words.
        number_format_published: number format of the weights in the source's words.
        workload: what was served: a task, or ``<input>/<output>`` of fixed lengths.
        framework: serving software; None where the source states none.
        framework_version: its version or container image; None where the source states none.
        speculation: method of speculative decoding, ``none`` without one; None where the source states nothing.
        is_disaggregated: prompts and output are computed by two pools of accelerators.
        is_multinode: more than one server; None where the source states nothing.
        parallelism: how the model is spread, in the source's terms.
        input_tokens: tokens of a prompt; None where the source states none.
        output_tokens: tokens of an answer: the fixed length, or the mean.
        concurrency: requests in flight: those sent at a time, or the largest batch that is allowed.
        mean_batch_size: requests in a batch, mean; None where the source states none.
        n_accelerators_all: every accelerator that did work, of both pools.
        n_accelerators_prefill: of them those that compute prompts only; None in one pool.
        accelerator_count_basis: how `n_accelerators_all` is known.
        output_tokens_per_s_per_accelerator: output tokens per second ÷ `n_accelerators_all`.
        output_tokens_per_s_per_accelerator_published: the source's own figure, which may have another denominator.
        tokens_per_s_per_user: output tokens per second that one request sees, median.
        tokens_per_s_per_user_basis: how it is known.
        ttft_ms: time to the first token, median, in milliseconds.
        tpot_ms: time per further output token, median, in milliseconds.
        w_per_accelerator: mean power of an accelerator in watts, measured; None where nothing was.
        j_per_output_token: measured joules of all accelerators ÷ output tokens.
        energy_scope: of `ENERGY_SCOPES`; None where nothing was measured.
        measured_on: day of the run (YYYY-MM-DD), or the day up to which the source publishes.
        measured_on_basis: which of the two.
        source_url: where a person sees the figures.
        member: file inside the payload; "" when the payload is one file.
        record: position in that file.
    """

    source: str
    model_published: str
    accelerator_published: str
    number_format_published: str
    workload: str
    framework: str | None
    framework_version: str | None
    speculation: str | None
    is_disaggregated: bool
    is_multinode: bool | None
    parallelism: str
    input_tokens: float | None
    output_tokens: float
    concurrency: float
    mean_batch_size: float | None
    n_accelerators_all: int
    n_accelerators_prefill: int | None
    accelerator_count_basis: str
    output_tokens_per_s_per_accelerator: float
    output_tokens_per_s_per_accelerator_published: float | None
    tokens_per_s_per_user: float
    tokens_per_s_per_user_basis: str
    ttft_ms: float | None
    tpot_ms: float | None
    w_per_accelerator: float | None
    j_per_output_token: float | None
    energy_scope: str | None
    measured_on: str
    measured_on_basis: str
    source_url: str
    member: str
    record: str

    def __post_init__(self) -> None:
        """Refuse what can be no measurement.

        Raises:
            ValueError: a name is empty, a figure is not above zero, or energy and its scope do not come together.
        """
        if empty := [name for name in _REQUIRED if not getattr(self, name).strip()]:
            raise ValueError(f"states no {', '.join(empty)}")
        for name in _POSITIVE:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is {value!r}, which no measurement can give")
        if (self.j_per_output_token is None) != (self.energy_scope is None):
            raise ValueError("states energy without its scope, or a scope without energy")
        if self.energy_scope is not None and self.energy_scope not in ENERGY_SCOPES:
            raise ValueError(f"{self.energy_scope!r} is no scope of energy")


_NO_FIGURE = ("framework_version", "member", "record")


def one_row_a_configuration(account: Parsed[ServingPoint], where: str) -> Parsed[ServingPoint]:
    """Return the account, balanced, with every repeated row once: the first of those that differ in no figure.

    Raises:
        AssertionError: a record was lost.
    """
    account.fold(lambda row: tuple(v for n, v in vars(row).items() if n not in _NO_FIGURE), lambda same: "")
    return account.checked(where)
