"""`accelmart new`: write rows or the module of a new accelerator, claim or source into the checkout, as answered."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Annotated

import typer

from accelmart.cli.output import say
from ingest.core.errors import AccelmartError

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT / "dbt_project" / "seeds"

# columns that are asked for, in this order, by seed; one that ends with ? may stay empty
_COLUMNS = {
    "accelerator": {
        "accelerator_specs": "accelerator_id vendor product_name form_factor? memory_gb? memory_bandwidth_gb_s? tdp_w? "
        "bf16_dense_tflops? fp8_dense_tflops? source_url source_note confidence",
        "accelerator_aliases": "pattern",
    },
    "claim": {
        "claims": "claim_id claimed_by claim_date source_url statement_short metric subject_accelerator_id "
        "baseline_accelerator_id? claimed_value unit suite_kind? benchmark_ids? scenarios? release?"
    },
}
_OF_SOURCE = {
    "name": "Name, as a Python module is called, such as examplecloud",
    "title": "Title, such as ExampleCloud price list",
    "home_url": "Page for people",
    "url": "Address of the price list, https://",
}
_MAY_BE_EMPTY = " Unknown or none: empty"
THINGS = (*_COLUMNS, "source")
_WORKED_EXAMPLE = ROOT / "docs" / "how-to" / "add-a-source.md"


def new(
    thing: Annotated[str, typer.Argument(help="accelerator, claim or source.")],
    answers: Annotated[
        list[str] | None,
        typer.Option("--set", help="An answer, such as --set vendor=Acme; what is not set is asked."),
    ] = None,
) -> None:
    """Write what a new accelerator, claim or source needs."""
    if thing not in THINGS:
        raise AccelmartError(f"{thing} cannot be made; it must be one of {', '.join(THINGS)}")
    questions = questions_of(thing)
    given = dict(answer.partition("=")[::2] for answer in answers or ())
    if unknown := given.keys() - questions.keys():
        raise AccelmartError(f"--set {', '.join(sorted(unknown))}: a {thing} has {', '.join(questions)}")
    asked = {name: given[name] if name in given else _ask(text) for name, text in questions.items()}
    if thing == "source":
        _write_source(asked)
    elif thing == "claim":
        _require_known("metric", asked["metric"], "claim_checks", "metric")
        _append("claims", asked, "claim_id")
    else:
        re.compile(asked["pattern"])
        _append("accelerator_specs", {n: v for n, v in asked.items() if n != "pattern"}, "accelerator_id")
        alias = {"pattern": asked["pattern"], "accelerator_id": asked["accelerator_id"]}
        _append("accelerator_aliases", {**alias, "priority": "50", "is_mixed": "false"}, "pattern")
    page = "add-an-accelerator" if thing == "accelerator" else f"add-a-{thing}"
    say(f"Next: docs/how-to/{page}.md for what else is known of it, then accelmart build")


def questions_of(thing: str) -> dict[str, str]:
    """Return what is asked for a thing: name → text, for a column its meaning in the column dictionary."""
    from warehouse.column_dictionary import column_meanings

    if thing == "source":
        return _OF_SOURCE
    meanings = column_meanings()
    return {
        (name := column.rstrip("?")): f"{name}: {meanings.get((name, seed)) or meanings[name, '']}"
        + (_MAY_BE_EMPTY if column.endswith("?") else "")
        for seed, columns in _COLUMNS[thing].items()
        for column in columns.split()
    }


def _ask(text: str) -> str:
    default = "" if text.endswith(_MAY_BE_EMPTY) else None
    return str(typer.prompt(text, default=default, show_default=False)).strip()


def _read(seed: str) -> tuple[list[str], list[dict[str, str]]]:
    with (SEEDS / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return list(rows.fieldnames or ()), list(rows)


def _require_known(name: str, value: str, seed: str, column: str) -> None:
    known = [row[column] for row in _read(seed)[1]]
    if value not in known:
        raise AccelmartError(f"{name} is {value}: it must be one of {', '.join(known)}")


def _append(seed: str, row: dict[str, str], key: str) -> None:
    """Append a row to a seed; refuse one whose key is there."""
    columns, rows = _read(seed)
    if row[key] in {known[key] for known in rows}:
        raise AccelmartError(
            f"{seed}.csv has a row with {key} {row[key]} already: choose another, or edit that row"
        )
    path = SEEDS / f"{seed}.csv"
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.DictWriter(file, columns, restval="", lineterminator="\n").writerow(row)
    say(f"{path.relative_to(ROOT)}: {row[key]}")


def _write_source(asked: dict[str, str]) -> None:
    """Write the module of the worked example under another name, and register it."""
    name = asked["name"]
    module = ROOT / "ingest" / "prices" / f"{name}.py"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or module.exists():
        raise AccelmartError(
            f"name is {name}: write small letters and digits that no module in ingest/prices has"
        )
    example = re.search(r"```python\n(.*?)```", _WORKED_EXAMPLE.read_text(encoding="utf-8"), flags=re.DOTALL)
    if example is None:
        raise AccelmartError(f"{_WORKED_EXAMPLE} has no worked example: restore the page")
    text = example[1]
    for shown, own in (
        ("ExampleCloud price list", asked["title"]),
        ("https://api.examplecloud.test/v1/instances", asked["url"]),
        ("https://examplecloud.test/pricing", asked["home_url"]),
        ("examplecloud", name),
        ("ExampleCloud", asked["title"]),
    ):
        text = text.replace(shown, own)
    registry = ROOT / "ingest" / "prices" / "registry.py"
    listed = re.sub(
        r"(from ingest\.prices import \(\n)", rf"\1    {name},\n", registry.read_text(encoding="utf-8")
    )
    listed = re.sub(r"(_ALL: .* = \(\n)", rf"\1    {name}.SOURCE,\n", listed)
    module.write_text(text, encoding="utf-8")
    registry.write_text(listed, encoding="utf-8")
    say(f"{module.relative_to(ROOT)}: the worked example under this name; write its parser")
    say(f"{registry.relative_to(ROOT)}: {name}")
