"""InferenceX by SemiAnalysis: serving curves of its public dashboard. Off by default: the data state no licence.

Upstream facts (API as its repository InferenceX-app documents it, figures of June 2026, checked 2026-11-23):

- ``/api/v1/benchmarks?model=`` has the newest run of each configuration, ``…/history?model=&isl=&osl=`` every dated
  run. A run is in both; only the first names the container image. Times are in seconds.
- Throughputs "per GPU" have three denominators: ``tput_per_gpu`` all GPUs, ``output_tput_per_gpu`` those of the decode
  pool, ``input_tput_per_gpu`` those of the prefill pool. In one pool the three are equal, and ``num_prefill_gpu`` and
  ``num_decode_gpu`` both name the same GPUs.
- In one pool with expert parallelism both counts are tensor × expert parallel ranks (64 on a server of 8 GPUs), but
  the ranks share the GPUs. Requests in flight × tokens/s of each is the most that a system can give: the counts that
  give more are wrong, and the tensor parallel ranks are right.
- Early runs of two pools (December 2025, no workers stated) name the GPUs of both pools in both columns. The pools
  follow from the three throughputs.
- ``avg_power_w`` is the mean of all GPUs; ``joules_per_output_token`` of two pools counts the decode pool alone. Joules
  are recomputed over all GPUs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from ingest.core import values
from ingest.core.cadence import SERVING
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import read_json
from ingest.core.records import Parsed
from ingest.core.serving_point import ServingPoint, one_row_a_configuration
from ingest.core.source import Source

API = "https://inferencex.semianalysis.com/api/v1/benchmarks"
HOME = "https://inferencex.semianalysis.com"
ON_VARIABLE = "ACCELMART_INFERENCEX"
MODELS = (
    *("DeepSeek-R1-0528", "DeepSeek-V4-Pro", "gpt-oss-120b", "Llama-3.3-70B-Instruct-FP8"),
    *("Qwen-3.5-397B-A17B", "Kimi-K2.5", "MiniMax-M2.5", "MiniMax-M3", "GLM-5"),
)
"""Models as the API names them; each is a key."""
LENGTHS = ((1024, 1024), (1024, 8192), (8192, 1024))
"""Input and output tokens of the fixed workloads."""

_REMEDY = "compare the record with the run it names in run_url"
_MOST_OF_REQUESTS = 1.5  # medians and means of one run differ
_ROUNDING = 0.005


def _chain(model: str) -> Fetch:
    """The newest runs of a model, then its history for each pair of lengths."""
    requests = [Request(url=f"{API}?{urlencode({'model': model})}", member="benchmarks.json")]
    for isl, osl in LENGTHS:
        query = urlencode({"model": model, "isl": isl, "osl": osl})
        requests.append(Request(url=f"{API}/history?{query}", member=f"history_{isl}_{osl}.json"))
    after = {a.member: b for a, b in pairwise(requests)}

    def follow(request: Request, answer: bytes) -> Request | None:
        return after.get(request.member)

    return Fetch(key=model.lower(), first=requests[0], follow=follow, max_requests=len(requests))


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """A chain of four requests a model."""
    return [_chain(model) for model in MODELS]


def parse(members: Members, *, key: str) -> Parsed[ServingPoint]:
    """Every run of fixed lengths. A record is one element of a list; a run that is in two lists is a duplicate.

    Raises:
        PayloadRejected: a file is no list.
    """
    account: Parsed[ServingPoint] = Parsed(payload=HOME, remedy=_REMEDY)
    for member, file in members:
        runs = read_json(file.read(), member or key)
        if not isinstance(runs, list):
            raise PayloadRejected(
                payload=member or key, problem="is no list of runs", remedy=f"compare it with {API}"
            )
        account.read(len(runs))
        for i, run in enumerate(runs):
            with account.catch(f"[{i}]", payload=member):
                try:
                    account.add(_point(run, member=member, record=f"[{i}]"))
                except (TypeError, KeyError, AttributeError) as e:
                    raise ValueError(f"lacks {e}" if isinstance(e, KeyError) else str(e)) from e
    return one_row_a_configuration(account, HOME)


def _figure(metrics: Mapping[str, Any], name: str) -> float:
    """Return a figure above zero.

    Raises:
        ValueError: there is none.
    """
    value = values.number(metrics.get(name))
    if value is None or value <= 0:
        raise ValueError(f"{name} is {metrics.get(name)!r}, not a figure above zero")
    return value


def _count(run: Mapping[str, Any], name: str) -> int:
    """Return a whole number of 1 and more.

    Raises:
        ValueError: it is none.
    """
    value = values.integer(run.get(name))
    if not value:
        raise ValueError(f"{name} is {run.get(name)!r}, not a count")
    return value


def _pools(run: Mapping[str, Any], metrics: Mapping[str, Any]) -> tuple[int, int | None, int, str]:
    """Return (all accelerators, those of the prefill pool, those of the decode pool, how they are known).

    Raises:
        ValueError: counts and throughputs contradict each other.
    """
    output = _figure(metrics, "output_tput_per_gpu")
    most = _MOST_OF_REQUESTS * _figure(run, "conc") * _figure(metrics, "median_intvty")
    prefill, decode = _count(run, "num_prefill_gpu"), _count(run, "num_decode_gpu")
    if not run["disagg"]:
        if output * decode <= most:
            return decode, None, decode, "published total"
        ranks = _count(run, "decode_tp")
        if ranks * _count(run, "decode_ep") == decode and output * ranks <= most:
            return (
                ranks,
                None,
                ranks,
                "tensor parallel ranks, which share their accelerators with expert ranks",
            )
        raise ValueError(
            f"num_decode_gpu {decode} x output_tput_per_gpu {output:g} is more than its requests can receive"
        )
    whole, entered = _figure(metrics, "tput_per_gpu"), _figure(metrics, "input_tput_per_gpu")
    if abs((output * decode + entered * prefill) / (prefill + decode) / whole - 1) <= _ROUNDING:
        return prefill + decode, prefill, decode, "prefill + decode"
    if prefill == decode and entered != output:
        share = (whole - output) * decode / (entered - output)
        if 1 <= round(share) < decode and abs(share - round(share)) <= _ROUNDING * decode:
            pool = round(share)
            return decode, pool, decode - pool, "published total, pools from the three throughputs"
    raise ValueError(
        f"tput_per_gpu is {whole:g}, but its pools of {prefill} and {decode} accelerators give "
        f"{(output * decode + entered * prefill) / (prefill + decode):g}"
    )


def _point(run: Mapping[str, Any], *, member: str, record: str) -> ServingPoint:
    """Return the row of a run.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: a figure is absent, or figures contradict each other.
    """
    metrics = run["metrics"]
    everything, prefill, decode, basis = _pools(run, metrics)
    published = _figure(metrics, "output_tput_per_gpu")
    output = published * decode / everything
    isl, osl = _count(run, "isl"), _count(run, "osl")
    power = values.number(metrics.get("avg_power_w")) or None
    return ServingPoint(
        source=SOURCE.name,
        model_published=str(run["model"]),
        accelerator_published=str(run["hardware"]),
        number_format_published=str(run["precision"]),
        workload=f"{isl}/{osl}",
        framework=values.text(run["framework"]),
        framework_version=values.text(run.get("image")),
        speculation=values.text(run["spec_method"]),
        is_disaggregated=bool(run["disagg"]),
        is_multinode=values.flag(run.get("is_multinode")),
        parallelism=_parallelism(run),
        input_tokens=float(isl),
        output_tokens=float(osl),
        concurrency=_figure(run, "conc"),
        mean_batch_size=None,
        n_accelerators_all=everything,
        n_accelerators_prefill=prefill,
        accelerator_count_basis=basis,
        output_tokens_per_s_per_accelerator=output,
        output_tokens_per_s_per_accelerator_published=published,
        tokens_per_s_per_user=_figure(metrics, "median_intvty"),
        tokens_per_s_per_user_basis="published median",
        ttft_ms=_figure(metrics, "median_ttft") * 1000,
        tpot_ms=_figure(metrics, "median_tpot") * 1000,
        w_per_accelerator=power,
        j_per_output_token=power / output if power else None,
        energy_scope="GPU" if power else None,
        measured_on=str(run["date"])[:10],
        measured_on_basis="day of the run",
        source_url=str(run["run_url"]),
        member=member,
        record=record,
    )


def _parallelism(run: Mapping[str, Any]) -> str:
    pools = ("prefill", "decode") if run["disagg"] else ("decode",)
    words = []
    for pool in pools:
        workers = f"{run.get(f'{pool}_num_workers')} x " if run["disagg"] else ""
        attention = ", dp attention" if run.get(f"{pool}_dp_attention") else ""
        name = f"{pool} " if run["disagg"] else ""
        words.append(f"{name}{workers}tp {run.get(f'{pool}_tp')}, ep {run.get(f'{pool}_ep')}{attention}")
    return "; ".join(words)


SOURCE = Source(
    dialect="serving",
    name="inferencex",
    title="InferenceX by SemiAnalysis",
    home_url=HOME,
    licence="none stated: fetched at the user's wish, never shipped",
    cadence=SERVING,
    limit_bytes=128 << 20,
    plan=plan,
    parse=parse,
    needs=(ON_VARIABLE,),
    needs_because=f"its data state no licence. For your own use: {ON_VARIABLE}=on",
    polls_to_close=0,
)
