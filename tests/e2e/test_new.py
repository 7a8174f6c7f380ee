"""`accelmart new`: rows and modules that the how-to pages describe, written into a checkout."""

import csv
import shutil
import sys

import pytest
from typer.testing import CliRunner

from orchestration.cli import app
from orchestration.cli.new import ROOT, questions_of

ACCELERATOR = {
    "accelerator_id": "acme-frobnicator-9000", "vendor": "Acme", "product_name": "Frobnicator 9000", "memory_gb": "96",
    "source_url": "https://acme.test/9000", "source_note": "data sheet", "confidence": "low", "pattern": r"\bFrobnicator[ _-]*9000\b",
}  # fmt: skip
CLAIM = {
    "claim_id": "C900", "claimed_by": "a test", "claim_date": "2025-10-01", "source_url": "https://e.test", "unit": "ratio",
    "statement_short": "three times, \"measured\"", "metric": "inference_throughput_per_accelerator_ratio",
    "subject_accelerator_id": "nvidia-b200-sxm-180gb", "claimed_value": "3",
}  # fmt: skip
SOURCE = {
    "name": "acmecloud",
    "title": "AcmeCloud",
    "home_url": "https://acme.test",
    "url": "https://api.acme.test/prices",
}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    for part in ("dbt_project/seeds", "docs/how-to", "ingest/prices"):
        shutil.copytree(ROOT / part, tmp_path / part)
    command = sys.modules["orchestration.cli.new"]  # the package shows the function under that name
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "SEEDS", tmp_path / "dbt_project/seeds")
    monkeypatch.setattr(command, "_WORKED_EXAMPLE", tmp_path / "docs/how-to/add-a-source.md")
    return tmp_path


def answer(thing, answers, typed=""):
    words = [word for name, value in answers.items() for word in ("--set", f"{name}={value}")]
    return CliRunner().invoke(app, ["new", thing, *words], input=typed, catch_exceptions=True)


def last_row(checkout, seed):
    with (checkout / f"dbt_project/seeds/{seed}.csv").open(newline="") as file:
        return list(csv.DictReader(file))[-1]


def test_answers_become_rows_and_what_is_not_set_is_asked(checkout):
    done = answer(
        "accelerator", ACCELERATOR, typed="\n" * (len(questions_of("accelerator")) - len(ACCELERATOR))
    )
    assert done.exit_code == 0 and "docs/how-to/add-an-accelerator.md" in done.output
    specs, alias = last_row(checkout, "accelerator_specs"), last_row(checkout, "accelerator_aliases")
    assert {n: specs[n] for n in ACCELERATOR if n != "pattern"} == {
        n: v for n, v in ACCELERATOR.items() if n != "pattern"
    }
    assert specs["tdp_w"] == "" and alias["pattern"] == ACCELERATOR["pattern"]
    assert answer("claim", CLAIM, typed="\n" * 20).exit_code == 0
    assert {n: last_row(checkout, "claims")[n] for n in CLAIM} == CLAIM


def test_a_source_is_the_worked_example_under_its_name_and_registered(checkout):
    assert answer("source", SOURCE).exit_code == 0
    module = (checkout / "ingest/prices/acmecloud.py").read_text()
    compile(module, "acmecloud.py", "exec")
    assert 'name="acmecloud"' in module and SOURCE["url"] in module
    registry = (checkout / "ingest/prices/registry.py").read_text()
    assert "    acmecloud,\n" in registry and "    acmecloud.SOURCE,\n" in registry


@pytest.mark.parametrize(
    ("thing", "answers", "words"),
    [
        ("claim", CLAIM | {"metric": "speed"}, "must be one of inference_throughput_per_accelerator_ratio, "),
        ("claim", CLAIM | {"claim_id": "C001"}, "already"),
        ("source", SOURCE | {"name": "aws"}, "no module in ingest/prices has"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_and_nothing_changes(checkout, thing, answers, words):
    before = {p: p.read_bytes() for p in checkout.rglob("*.*") if p.is_file()}
    done = answer(thing, answers, typed="\n" * 20)
    assert done.exit_code != 0 and words in str(done.exception)
    assert {p: p.read_bytes() for p in checkout.rglob("*.*") if p.is_file()} == before
