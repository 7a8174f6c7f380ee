"""Damage real payloads in ways whose outcome is written down first, and land and build them all.

Run: python bench/mutations.py DATA [--seed 58] [--draws 40]

DATA has real payloads (those of the tests). `CLASSES` is the list of verdicts; a draw is a payload, a class that fits
it and a seed of its own. Each is landed as `accelmart fetch --from` lands it and compared with the payload as it is;
then all are built, in as many data roots as one payload a key needs. Exit status 1 if a verdict is missed, anything
raises an unexpected error, or a build fails.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from played import ROOT  # isort: skip  it adds the folders of the tests to the path

import pyarrow.parquet as pq
from given_payloads import land_payload

from ingest.core.errors import AccelmartError
from warehouse.inputs.raw import read_parts
from warehouse.storage.home import Home

FIGURES = ("price", "result", "minutes")
IDENTITY = (
    *("submitter", "platform", "system", "model_published", "benchmark", "run", "scenario"),
    *("instance_type", "region", "pricing_model", "operating_system", "purchase_option"),
)
TRIMMED = "mlperf/trimmed"
NAMES_ACCELERATOR = "an unknown accelerator"


class Target(NamedTuple):
    """A payload that is damaged: of a source and key, with the file (below a tree) that damage is done to."""

    kind: str  # json, csv, page or log
    source: str
    key: str
    path: str
    records: Callable[[Any], list[dict[str, Any]]] | None = None
    figure: str = ""
    name: str = ""


@dataclass(frozen=True)
class Seen:
    """What landing gives: rows by identity with their figure, problems named, and the verdict."""

    figures: Counter[tuple[str, ...]]
    problems: int
    outcome: str
    message: str = ""


def targets() -> list[Target]:
    """Return the payloads at hand."""
    inference, summaries = partial(Target, source="mlperf-inference"), "mlperf/inference_"
    cloud = partial(Target, "csv", "skypilot-catalog", figure="Price", name="AcceleratorName")
    name = "accelerator_model_name"
    return [
        Target(
            "json",
            "runpod",
            "gpu-types",
            "prices/runpod/gpu_types.json",
            _gpu_types,
            "securePrice",
            "displayName",
        ),
        Target("json", "scaleway", "fr-par-2", "prices/scaleway/products.json", _servers, "hourly_price"),
        *(cloud(seller, f"prices/skypilot/{seller}_vms.csv") for seller in ("nebius", "verda", "hyperstack")),
        inference(
            "json",
            key="v5.1",
            path=f"{summaries}v5.1/summary_results.json",
            records=list,
            figure="Performance_Result",
            name="Accelerator",
        ),
        inference(
            "json",
            key="v6.1",
            path=f"{summaries}v6.1_sample/summary.json",
            records=_values,
            figure="Result",
            name=name,
        ),
        inference("csv", key="v6.1", path=f"{summaries}v6.1/summary_core.csv", figure="Result", name=name),
        inference(
            "log", key="v3.0", path=f"{TRIMMED}/inference_results_v3.0.tar.xz", name="mlperf_log_summary.txt"
        ),
        Target(
            "log", "mlperf-training", "v3.0", f"{TRIMMED}/training_results_v3.0.tar.xz", name="result_0.txt"
        ),
        *(Target("page", seller, "pricing", "page.html") for seller in ("nebius", "hyperstack", "coreweave")),
    ]


def _gpu_types(document: Any) -> list[dict[str, Any]]:
    return document["data"]["gpuTypes"]


def _servers(document: Any) -> list[dict[str, Any]]:
    return [*document["servers"].values()]


def _values(document: Any) -> list[dict[str, Any]]:
    return [*document.values()]


# --- the classes: what is done, and what must come of it ---------------------------------------------------------


def _cut(payload: bytes, draw: random.Random, target: Target) -> bytes:
    return payload[: int(len(payload) * draw.uniform(0.3, 0.7))]


def _noise(payload: bytes, draw: random.Random, target: Target) -> bytes:
    out = bytearray(payload)
    for _ in range(20):
        out[draw.randrange(len(out))] = 0xFF
    return bytes(out)


def _login(payload: bytes, draw: random.Random, target: Target) -> bytes:
    return (
        b"<!doctype html><html><head><title>Sign in</title></head><body><form>Password</form></body></html>"
    )


def _records(payload: bytes, target: Target, change: Callable[[list[dict[str, Any]]], None]) -> bytes:
    """Rewrite a payload with its records changed in place."""
    if target.kind == "csv":
        reader = csv.DictReader(io.StringIO(payload.decode()))
        rows = list(reader)
        change(rows)
        out = io.StringIO()
        writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), restval="")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue().encode()
    document = json.loads(payload)
    assert target.records is not None
    change(target.records(document))
    return json.dumps(document).encode()


def _one(value: Callable[[Any, random.Random], Any]) -> Callable[[bytes, random.Random, Target], bytes]:
    """Change the figure of one record that has one."""

    def mutate(payload: bytes, draw: random.Random, target: Target) -> bytes:
        def change(records: list[dict[str, Any]]) -> None:
            stated = [r for r in records if _positive(r.get(target.figure)) and _is_accelerator(r)]
            record = draw.choice(stated)
            record[target.figure] = value(float(record[target.figure]), draw)

        return _records(payload, target, change)

    return mutate


def _positive(value: Any) -> bool:
    try:
        return float(value) > 0
    except (TypeError, ValueError):
        return False


def _is_accelerator(record: dict[str, Any]) -> bool:
    """Whether the record gives a row: a machine with accelerators that is offered."""
    if "AcceleratorCount" in record:
        return _positive(record["AcceleratorCount"])
    if "secureCloud" in record:
        return bool(record["secureCloud"])
    return bool(record["gpu"]) if "gpu" in record else True


def _more(payload: bytes, draw: random.Random, target: Target) -> bytes:
    return _records(payload, target, lambda records: [r.update(zz_new="7") for r in records] and None)


def _unknown(payload: bytes, draw: random.Random, target: Target) -> bytes:
    def change(records: list[dict[str, Any]]) -> None:
        draw.choice([r for r in records if r.get(target.name) and _is_accelerator(r)])[target.name] = (
            "Zeta Q9 Ultra"
        )

    return _records(payload, target, change)


def _spaces(payload: bytes, draw: random.Random, target: Target) -> bytes:
    return payload.replace(b"><", b">\n  <")


def _no_prices(payload: bytes, draw: random.Random, target: Target) -> bytes:
    return re.sub(rb"\$ ?[0-9.,]+", b"TBD", payload)


def same(before: Seen, after: Seen) -> str:
    """Every row is as before."""
    is_same = after.figures == before.figures and after.outcome == before.outcome
    return "" if is_same else "the rows are not the same"


def refused(before: Seen, after: Seen) -> str:
    """The payload does not come into force, with a reason."""
    return (
        ""
        if after.outcome == "refused" and len(after.message) > 40
        else f"it was {after.outcome}: {after.message}"
    )


def no_other_figure(before: Seen, after: Seen) -> str:
    """Refused or isolated with a reason; or what is lost is named, and what stays has the figure that it had."""
    if after.outcome != "landed":
        return "" if after.message else "no reason"
    strange = after.figures - before.figures
    if sum(strange.values()) > after.problems:
        return f"figures that were not there: {list(strange)[:2]}"
    return "" if before.figures == after.figures or after.problems else "rows are lost without a word"


def one_is_lost(before: Seen, after: Seen) -> str:
    """One record gives no figure and is named; all others are as before."""
    lost, new = before.figures - after.figures, after.figures - before.figures
    is_named = after.problems > before.problems
    return (
        ""
        if lost and not new and is_named and len(lost) <= 2
        else f"lost {list(lost)[:3]}, new {list(new)[:3]}, named {is_named}"
    )


def one_is_moved(before: Seen, after: Seen) -> str:
    """The figure is landed as it is stated: the build flags it."""
    lost, new = before.figures - after.figures, after.figures - before.figures
    return (
        "" if 1 <= len(new) <= 2 and len(lost) == len(new) else f"lost {list(lost)[:3]}, new {list(new)[:3]}"
    )


LISTS, ALL = ("json", "csv"), ("json", "csv", "page")
CLASSES: dict[str, tuple[tuple[str, ...], Callable[..., bytes], Callable[[Seen, Seen], str]]] = {
    "cut off": (ALL, _cut, no_other_figure),
    "20 bytes of noise": ((*ALL, "log"), _noise, no_other_figure),
    "a login page in its place": ((*LISTS, "page"), _login, refused),
    "empty": (ALL, lambda payload, draw, target: b"", refused),
    "a byte order mark": (LISTS, lambda payload, draw, target: b"\xef\xbb\xbf" + payload, same),
    "other line ends": (
        ("csv", "log"),
        lambda payload, draw, target: payload.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
        same,
    ),
    "a new column": (LISTS, _more, same),
    "other white space": (("page",), _spaces, same),
    "the prices are gone": (("page",), _no_prices, refused),
    "a negative figure": (LISTS, _one(lambda figure, draw: -figure), one_is_lost),
    "words for a figure": (
        LISTS,
        _one(lambda figure, draw: draw.choice(["on request", "nan", "1.2.3"])),
        one_is_lost,
    ),
    "a figure times ten": (LISTS, _one(lambda figure, draw: figure * 10), one_is_moved),
    NAMES_ACCELERATOR: (LISTS, _unknown, same),
    "the log ends early": (("log",), _cut, no_other_figure),
}


# --- landing -------------------------------------------------------------------------------------------------------


def read_tree(path: Path) -> dict[str, bytes]:
    """Return the files of a trimmed tree of one submitter or two, by path."""
    with tarfile.open(path) as archive:
        return {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}  # type: ignore[union-attr]


def originals(target: Target, data: Path) -> tuple[bytes, dict[str, bytes]]:
    """Return the payload, and of a log the tree around it: (file that is damaged, all files)."""
    if target.kind == "page":
        import price_pages

        pages = {
            "nebius": lambda: price_pages.nebius_page(
                [("NVIDIA GPU Instances", price_pages.NEBIUS_HEADER, price_pages.NEBIUS_GPUS)]
            ),
            "hyperstack": lambda: price_pages.hyperstack_page(price_pages.HYPERSTACK_ON_DEMAND),
            "coreweave": price_pages.coreweave_page,
        }
        return pages[target.source](), {}
    if target.kind == "log":
        return b"", read_tree(data / target.path)
    return (data / target.path).read_bytes(), {}


def write(target: Target, payload: bytes, tree: dict[str, bytes], folder: Path) -> Path:
    """Write what is given to ``--from``."""
    if not tree:
        path = folder / ("page.html" if target.kind == "page" else Path(target.path).name)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(payload)
        return path
    for name, content in tree.items():
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tree" / name).write_bytes(content)
    return folder / "tree"


def see(target: Target, origin: Path, root: Path) -> Seen:
    """Land a payload into a data root of its own."""
    home = Home(root, str(root / "landing"))
    try:
        landed = land_payload(home, target.source, target.key, origin)
    except AccelmartError as e:
        return Seen(Counter(), 0, "refused", str(e))
    figures: Counter[tuple[str, ...]] = Counter()
    problems, isolated = 0, ""
    for part in read_parts(home.raw):
        problems += part.account.rejects + part.account.warnings
        isolated = isolated or part.account.isolated_because or ""
        for row in pq.read_table(part.path(part.record_table)).to_pylist():
            if any(row.get(name) is not None for name in FIGURES):
                identity = [str(row[n]) for n in IDENTITY if row.get(n)]
                figures[*identity, *(f"{row[n]:.9g}" for n in FIGURES if row.get(n) is not None)] += 1
    return Seen(figures, problems, "isolated" if isolated else landed.outcome, isolated)


def build(root: Path) -> str:
    """Return what the build says last; its exit status decides."""
    done = subprocess.run(
        [sys.executable, "-m", "accelmart", "build"],
        env={"PATH": "", "ACCELMART_HOME": str(root)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-1500:]


def main() -> int:
    """Draw, land, compare, build."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("data", type=Path)
    cli.add_argument("--seed", type=int, default=58)
    cli.add_argument("--draws", type=int, default=40)
    cli.add_argument("--no-build", action="store_true")
    given = cli.parse_args()
    draw = random.Random(given.seed)
    every = [
        (target, name)
        for target in targets()
        for name, (kinds, _, _) in CLASSES.items()
        if target.kind in kinds and (target.name or name != NAMES_ACCELERATOR)
    ]
    # each class once, then at random
    drawn = [draw.choice([pair for pair in every if pair[1] == name]) for name in CLASSES]
    drawn += draw.sample([pair for pair in every if pair not in drawn], given.draws - len(drawn))
    folder = Path(tempfile.mkdtemp(prefix="mutations-"))
    before: dict[Target, Seen] = {}
    used: list[set[tuple[str, str]]] = []
    missed = 0
    for number, (target, name) in enumerate(drawn, 1):
        payload, tree = originals(target, given.data)
        if target not in before:
            before[target] = see(
                target,
                write(target, payload, tree, folder / f"before-{number}"),
                folder / f"home-before-{number}",
            )
        _, mutate, verdict = CLASSES[name]
        own = random.Random(given.seed * 1000 + number)
        if tree:
            of_tree = own.choice(sorted(p for p in tree if p.endswith(target.name)))
            tree = tree | {of_tree: mutate(tree[of_tree], own, target)}
        else:
            payload = mutate(payload, own, target)
        origin = write(target, payload, tree, folder / f"{number}")
        try:
            after = see(target, origin, folder / f"home-{number}")
            problem = verdict(before[target], after)
        except Exception as e:  # noqa: BLE001  # that nothing raises is what is tried
            after, problem = Seen(Counter(), 0, "raised"), f"{type(e).__name__}: {e}"
        missed += bool(problem)
        print(
            f"{number:2} {target.source} {target.key} ({target.kind}), {name}: {after.outcome}, "
            f"{sum(after.figures.values())} of {sum(before[target].figures.values())} rows, wanted {verdict.__name__}"
            f"{'' if not problem else ': MISSED, ' + problem}",
            flush=True,
        )
        slot = (target.source, target.key)
        at = next((i for i, slots in enumerate(used) if slot not in slots), len(used))
        if at == len(used):
            used.append(set())
        used[at].add(slot)
        if after.outcome != "refused" and not given.no_build:
            root = folder / f"all-{at}"
            land_payload(Home(root, str(root / "landing")), target.source, target.key, origin)
    failed = 0
    for at in range(len(used)) if not given.no_build else ():
        problem = build(folder / f"all-{at}")
        failed += bool(problem)
        print(
            f"build {at + 1} of {len(used)}: {'published' if not problem else 'FAILED: ' + problem}",
            flush=True,
        )
    print(
        f"{len(drawn)} mutations, {missed} verdicts missed, {failed} of {len(used)} builds failed; in {folder}"
    )
    return int(bool(missed or failed))


if __name__ == "__main__":
    raise SystemExit(main())
