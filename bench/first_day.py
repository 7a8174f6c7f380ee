"""The first day of a new installation under the real daemon: every MLPerf round, prices, an unknown name.

Run: python bench/first_day.py DATA [folder], where DATA has the real payloads of the price sources (those of the
tests). The data root is empty at the start. The replayed GitHub lists every round of the seed of rounds as a minimal
git repository, and one future round of an unknown part on an unknown benchmark; it accepts 60 requests per hour. Each
price schedule ticks once, a few minutes after the start. Alerts go to a receiver on 127.0.0.1.

Prints one line per expectation: expected publication, actual publication, minutes after the start. Exit code 1 if an
expected result is missing.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from played import ASKED, daemon_settings, settle  # isort: skip

import dagster_ui
import duckdb
import replay_server as replay
from mlcommons import MLCommons
from replay_world import world
from small_round import small_round
from small_training import small_training_round
from webhook import Receiver

from ingest.core.landing import Landing
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_TRAINING

PATIENCE_SECONDS = 1800
ALERT_TICKS = 3
GITHUB_LIMIT = 60
PRICE_FACTOR = 1.1
PRICES_AFTER = timedelta(minutes=4)
SUITES = {MLPERF_INFERENCE: "inference", MLPERF_TRAINING: "training"}
RELEASES_CSV = Path(__file__).resolve().parents[1] / "dbt_project" / "seeds" / "mlperf_releases.csv"
FUTURE_RELEASE = "v9.9"
FUTURE_PART, FUTURE_BENCHMARK = "AMD Instinct MI9955X", "chess-70b"
KNOWN_RATE, FUTURE_RATE = 1600.0, 808.0


def known_rounds() -> dict[str, bool]:
    """Return every result repository of the seed of rounds → whether its facts are bundled."""
    with RELEASES_CSV.open(encoding="utf-8", newline="") as lines:
        return {
            f"{row['suite_kind']}_results_{row['release']}": not row["not_held_reason"]
            for row in csv.DictReader(lines)
        }


def push_every_round(mlcommons: MLCommons) -> None:
    """Create every known round as a minimal tree, and the future round of one known result and an unknown one."""
    for repository in known_rounds():
        is_training = repository.startswith("training")
        mlcommons.push(repository, small_training_round() if is_training else small_round(KNOWN_RATE))
    unknown = small_round(FUTURE_RATE, platform="new", accelerator=FUTURE_PART, benchmark=FUTURE_BENCHMARK)
    mlcommons.push(f"inference_results_{FUTURE_RELEASE}", small_round(KNOWN_RATE) | unknown)


@dataclass
class FirstDay:
    """One installation and its upstreams.

    Args:
        home: data root.
        mlcommons: the replayed result repositories.
        receiver: receiver of alerts.
        served: prices in US$ an hour that the played Vast.ai has sent.
        table: (what, expected, seen), filled while it runs.
    """

    home: Path
    mlcommons: MLCommons
    receiver: Receiver
    served: set[float] = field(default_factory=set)
    table: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def held_back(self) -> set[str]:
        """Return the repositories of bundled rounds."""
        return {name for name, is_shipped in known_rounds().items() if is_shipped}

    @property
    def offered(self) -> set[str]:
        """Return every result repository on the replayed GitHub."""
        return {*known_rounds(), f"inference_results_{FUTURE_RELEASE}"}

    def other_prices(self, _: replay.Asked, reply: replay.Reply) -> replay.Reply:
        """Return Vast.ai's response with every price changed."""
        document = json.loads(reply.body)
        for offer in document["offers"]:
            offer["dph_total"] = round(offer["dph_total"] * PRICE_FACTOR, 6)
            self.served.add(offer["dph_total"])
        return replace(reply, body=json.dumps(document).encode())

    def rows(self, query: str) -> list[tuple]:
        """Return rows of the published warehouse; an empty list before the first publication."""
        if not (self.home / "accelmart.duckdb").exists():
            return []
        with duckdb.connect(str(self.home / "accelmart.duckdb"), read_only=True) as db:
            return db.execute(query).fetchall()

    def landed(self) -> set[str]:
        """Return the result repositories with a landed payload."""
        landing = Landing(str(self.home / "landing"))
        return {
            f"{suite}_results_{p.key}" for source, suite in SUITES.items() for p in landing.newest(source)
        }

    def published(self) -> set[str]:
        """Return the result repositories with rows in the published facts."""
        rows = self.rows(
            "select distinct 'inference_results_' || release from fct_inference_result "
            "union select distinct 'training_results_' || release from fct_training_result"
        )
        return {name for (name,) in rows}

    def priced(self) -> set[str]:
        """Return the price sources whose payload of this day is published."""
        rows = self.rows(
            "select distinct source from ops_reconciliation "
            "where dialect in ('prices', 'rates') and payload_key not like '%@%'"
        )
        return {name for (name,) in rows}

    def is_complete(self) -> bool:
        """Return whether every listed round and price is published."""
        return self.offered <= self.published() and set(ASKED) <= self.priced()

    def note(self, what: str, expected: object, seen: object) -> None:
        """Add a line to the table."""
        self.table.append((what, _short(expected), _short(seen)))


def _short(value: object) -> str:
    return ", ".join(sorted(map(str, value))) if isinstance(value, set | frozenset) else str(value)


def once_an_hour(wait: timedelta) -> str:
    """Return a cron expression of hourly ticks, the first about `wait` from now."""
    return f"{(datetime.now(UTC) + wait).minute} * * * *"


def play(day: FirstDay, settings: dict[str, str]) -> None:
    """Start the daemon on the empty data root, and wait for the publication and another evaluation of alerts."""
    started = time.monotonic()

    def minutes() -> str:
        return f"{(time.monotonic() - started) / 60:.1f} min"

    with dagster_ui.Ui(day.home, settings, timeout=PATIENCE_SECONDS) as ui:
        ui.wait(lambda: day.rows("select 1 from ops_generation"), "a first publication")
        print(f"first publication after {minutes()}", flush=True)
        try:
            ui.wait(day.is_complete, "everything offered to be published")
            print(f"all published after {minutes()}", flush=True)
        except AssertionError:
            print(f"not everything is published after {minutes()}; see the table", flush=True)
        settle(ui)
        before = len(ui.ticks("health_alerts"))
        ui.wait(lambda: len(ui.ticks("health_alerts")) >= before + ALERT_TICKS, "alerts to be evaluated")
        print(f"settled, and alerts evaluated {ALERT_TICKS} times more, after {minutes()}", flush=True)
        runs = Counter(r["status"] for r in ui.runs())
        day.note("runs that failed", 0, runs["FAILURE"] + runs["CANCELED"])
        print(f"runs: {dict(runs)}; rebuilds: {len(ui.runs('rebuild_warehouse'))}")
        failed = {n: t["error"]["message"] for n in _sensors() for t in ui.ticks(n) if t["error"]}
        day.note("sensor ticks that failed", {}, failed)


def _sensors() -> Iterator[str]:
    yield from ("mlperf_discovery", "rebuild_when_inputs_changed", "health_alerts")


def examine(day: FirstDay) -> None:
    """Compare the published rows and the sent alerts with the data of the upstreams."""
    day.note("rounds fetched", day.offered - day.held_back, day.landed())
    day.note("rounds published", day.offered, day.published())
    day.note("price sources published", set(ASKED), day.priced() & set(ASKED))
    asked = GITHUB_LIMIT - day.mlcommons.github.left
    day.note(f"GitHub requests within {GITHUB_LIMIT}", True, 0 < asked <= GITHUB_LIMIT)
    print(f"GitHub requests: {asked} of {GITHUB_LIMIT} an hour")

    facts = day.rows(
        "select platform, accelerator_id, benchmark_id, result, throughput_per_accelerator, invalid_reason is not null "
        f"from fct_inference_result where release = '{FUTURE_RELEASE}' order by 1"
    )
    known = ("good", "nvidia-h100-sxm-80gb", "resnet", 1600.0, 200.0, False)
    unknown = (
        "new", f"unmapped:{FUTURE_PART}", f"unmapped:{FUTURE_BENCHMARK}", FUTURE_RATE, None, True,
    )  # fmt: skip
    day.note(f"rows of {FUTURE_RELEASE}", [known, unknown], facts)

    texts = day.rows("select price_published from fct_price_interval where source = 'vast'")
    prices = {float(price) for (text,) in texts for price in re.findall(r"([\d.]+) for \d+ GPU", text)}
    print(f"Vast.ai: {len(day.served)} new prices served, {len(prices & day.served)} of them published")
    day.note("published prices of Vast.ai that are not today's", set(), prices - day.served)
    day.note("new prices of Vast.ai published", True, bool(prices & day.served))

    names = day.rows("select kind, words, seed_line from ops_unmapped")
    listed = {(kind, words) for kind, words, line in names if line}
    new = {("accelerator", FUTURE_PART), ("benchmark", FUTURE_BENCHMARK)}
    day.note("unknown names listed with a seed line", new, listed & new)
    sent = Counter(day.receiver.alerts())
    expected = Counter({("failure", f"unmapped {kind}: {words}"): 1 for kind, words, _ in names})
    day.note("alerts, each sent once", dict(expected), dict(sent))
    print(f"unmapped names: {len(names)}; alerts: {sum(sent.values())} in {len(day.receiver.taken)} requests")

    day.note("isolated payloads", [], day.rows("select source, release, problem from ops_isolated_payload"))
    unbalanced = day.rows("select source, payload_key from ops_reconciliation where not is_balanced")
    day.note("payloads that do not reconcile", [], unbalanced)
    status = subprocess.run(
        [dagster_ui.ACCELMART, "status"],
        env={"PATH": "/usr/bin:/bin", "ACCELMART_HOME": str(day.home)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    first = (status.stdout or status.stderr).splitlines()
    day.note("status", "published", "published" if "published generation" in first[0] else first[:3])


def main() -> int:
    """Run the day and print the table."""
    data = Path(sys.argv[1])
    base = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="accelmart-first-day-"))
    home = base / "home"
    home.mkdir(parents=True)
    with world(data) as upstream, Receiver() as receiver:
        mlcommons = MLCommons(upstream, base)
        push_every_round(mlcommons)
        day = FirstDay(home, mlcommons, receiver)
        upstream.fault("console.vast.ai", "/api/v0/bundles", replay.altered(day.other_prices))
        settings = daemon_settings(upstream, mlcommons, once_an_hour(PRICES_AFTER))
        play(day, settings | {"ACCELMART_ALERT_URLS": receiver.url})
        examine(day)
    missing = [line for line in day.table if line[1] != line[2]]
    for what, expected, seen in day.table:
        if expected == seen:
            print(f"as expected | {what} | {seen}")
        else:
            print(f"MISSING     | {what} | expected {expected} | seen {seen}")
    if not missing and len(sys.argv) <= 2:
        shutil.rmtree(base)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
