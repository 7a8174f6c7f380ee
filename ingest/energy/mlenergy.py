"""ML.ENERGY Leaderboard v3: joules per token that GPUs were measured to take, Apache-2.0.

Upstream facts (public/data of the leaderboard's repository, checked 2026-11-22):

- ``index.json`` names the tasks by architecture; language (``llm``) and vision-language (``mllm``) tasks give tokens,
  ``diffusion`` gives images and is out of scope. ``models/<model>__<task>.json`` holds one entry a configuration, with
  ``/`` of a model's name written ``__``.
- Power is that of the GPUs alone, summed over all of them; joules per token = watts ÷ output tokens per second.
- Tokens per second of one request are not stated: 1000 ÷ ``median_itl_ms`` is used. Neither are time to the first
  token, prompt lengths, serving software, or the day of a run: ``last_updated`` of the index is the only date.
- ``max_num_seqs`` is the largest batch that was allowed; ``avg_batch_size`` is the batch in the steady state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.core import values
from ingest.core.cadence import SERVING
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import member_of, read_json
from ingest.core.records import Parsed
from ingest.core.serving_point import ServingPoint, one_row_a_configuration
from ingest.core.source import Source

BASE_URL = "https://raw.githubusercontent.com/ml-energy/leaderboard/HEAD/public/data"
HOME = "https://ml.energy/leaderboard"
INDEX = "index.json"
MAX_FILES = 400
_OF_TOKENS = ("llm", "mllm")
_REMEDY = "compare the record with its file in github.com/ml-energy/leaderboard, public/data/models"
_NUMBERS = (
    *("avg_batch_size", "avg_output_len", "avg_power_watts", "energy_per_token_joules"),
    *("median_itl_ms", "output_throughput_tokens_per_sec", "max_num_seqs"),
)


def _index(payload: bytes, where: str) -> dict[str, Any]:
    """Return the index.

    Raises:
        PayloadRejected: it names no language tasks.
    """
    index = read_json(payload, where)
    remedy = "compare it with public/data/index.json of github.com/ml-energy/leaderboard"
    member_of(index, "architectures.llm", list, where=where, remedy=remedy)
    return dict(index)


def _tasks(index: Mapping[str, Any]) -> list[str]:
    """Return the tasks that give tokens."""
    return [str(task) for name in _OF_TOKENS for task in index["architectures"].get(name) or []]


def _files() -> Fetch:
    """The index, every task, and every model file that a task names, as one chain."""
    waiting: dict[str, Request] = {}
    known: set[str] = set()

    def follow(request: Request, answer: bytes) -> Request | None:
        members: list[str] = []
        if request.member == INDEX:
            waiting.clear()
            known.clear()
            members = [f"tasks/{task}.json" for task in _tasks(_index(answer, INDEX))]
        elif request.member.startswith("tasks/"):
            members = _models_of(answer, request.member)
        new = [member for member in members if member not in known]
        known.update(new)
        waiting.update({member: Request(url=f"{BASE_URL}/{member}", member=member) for member in new})
        return waiting.pop(next(iter(waiting))) if waiting else None

    return Fetch(
        key="leaderboard",
        first=Request(url=f"{BASE_URL}/{INDEX}", member=INDEX),
        follow=follow,
        max_requests=MAX_FILES,
    )


def _models_of(answer: bytes, where: str) -> list[str]:
    """Return the files of the models that a task was measured with.

    Raises:
        PayloadRejected: the task lists no configurations.
    """
    task = read_json(answer, where)
    entries = member_of(task, "configurations", list, where=where, remedy=_REMEDY)
    names = {str(e["model_id"]) for e in entries if isinstance(e, dict) and values.text(e.get("model_id"))}
    return [f"models/{name.replace('/', '__')}__{task.get('task')}.json" for name in sorted(names)]


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One chain: the index, its tasks of tokens, the files of their models. No key."""
    return [_files()]


def parse(members: Members, *, key: str) -> Parsed[ServingPoint]:
    """Every configuration of language and vision-language tasks. A record is one configuration.

    Raises:
        PayloadRejected: there is no index, or no file of a model.
    """
    index: dict[str, Any] | None = None
    files: list[tuple[str, Any]] = []
    for member, file in members:
        name = member.removeprefix("./")
        if name == INDEX:
            index = _index(file.read(), name)
        elif name.startswith("models/"):
            files.append((name, read_json(file.read(), name)))
    if index is None or not files:
        missing = INDEX if index is None else "models/"
        raise PayloadRejected(
            payload=key, problem=f"has no {missing}", remedy="land the whole folder public/data"
        )
    account: Parsed[ServingPoint] = Parsed(payload=HOME, remedy=_REMEDY)
    tasks, updated = _tasks(index), str(index.get("last_updated") or "")
    for name, document in files:
        entries = document.get("configurations") if isinstance(document, dict) else None
        if not isinstance(entries, list):
            account.read()
            account.reject(name, "has no list 'configurations'", payload=name)
            continue
        account.read(len(entries))
        if document.get("task") not in tasks:
            account.out_of_scope("a task that gives no tokens", len(entries))
            continue
        for i, entry in enumerate(entries):
            record = f"configurations[{i}]"
            with account.catch(record, payload=name):
                account.add(_point(document, entry, member=name, record=record, updated=updated))
    return one_row_a_configuration(account, HOME)


def _point(
    document: Mapping[str, Any], entry: Any, *, member: str, record: str, updated: str
) -> ServingPoint:
    """Return the row of a configuration.

    Raises:
        ValueError: a figure is absent, or figures contradict each other.
    """
    if not isinstance(entry, dict):
        raise ValueError("is no object")
    figures = {name: values.number(entry.get(name)) or 0.0 for name in _NUMBERS}
    if absent := [name for name, value in figures.items() if value <= 0]:
        shown = ", ".join(f"{name} {entry.get(name)!r}" for name in absent)
        raise ValueError(f"no figure above zero: {shown}")
    count = values.integer(entry.get("num_gpus"))
    if not count:
        raise ValueError(f"num_gpus is {entry.get('num_gpus')!r}")
    stated_ways = entry.get("parallelization")
    ways = stated_ways if isinstance(stated_ways, dict) else {}
    tokens_per_s, power_w = figures["output_throughput_tokens_per_sec"], figures["avg_power_watts"]
    stated = figures["energy_per_token_joules"]
    if abs(power_w / tokens_per_s / stated - 1) > 0.02:
        raise ValueError(
            f"energy_per_token_joules is {stated:g}, but its watts ÷ tokens per second are "
            f"{power_w / tokens_per_s:g}"
        )
    return ServingPoint(
        source=SOURCE.name,
        model_published=values.text(document.get("model_id")) or "",
        accelerator_published=values.text(entry.get("gpu_model")) or "",
        number_format_published=values.text(document.get("weight_precision")) or "",
        workload=str(document["task"]),
        framework=None,
        framework_version=None,
        speculation=None,
        is_disaggregated=False,
        is_multinode=None,
        parallelism=", ".join(f"{k} {v}" for k, v in sorted(ways.items()) if v not in ("", None)),
        input_tokens=None,
        output_tokens=figures["avg_output_len"],
        concurrency=figures["max_num_seqs"],
        mean_batch_size=figures["avg_batch_size"],
        n_accelerators_all=count,
        n_accelerators_prefill=None,
        accelerator_count_basis="published total",
        output_tokens_per_s_per_accelerator=tokens_per_s / count,
        output_tokens_per_s_per_accelerator_published=None,
        tokens_per_s_per_user=1000 / figures["median_itl_ms"],
        tokens_per_s_per_user_basis="1000 / median time between tokens",
        ttft_ms=None,
        tpot_ms=figures["median_itl_ms"],
        w_per_accelerator=power_w / count,
        j_per_output_token=stated,
        energy_scope="GPU",
        measured_on=updated,
        measured_on_basis="last update of the leaderboard",
        source_url=HOME,
        member=member,
        record=record,
    )


SOURCE = Source(
    dialect="serving",
    name="mlenergy",
    title="ML.ENERGY Leaderboard v3",
    home_url=HOME,
    licence="Apache-2.0",
    cadence=SERVING,
    limit_bytes=32 << 20,
    plan=plan,
    parse=parse,
    ships=True,
    polls_to_close=0,
)
