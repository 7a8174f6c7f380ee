"""The first two days of an installation with a network, under the real daemon, on the data that upstreams published.

Run: python bench/first_day.py DATA [folder], where DATA has the real upstream files (those of the tests: `mlperf`,
`prices`, `specs`, ...). With a folder its git repositories of rounds are used again by the next run.

A server on 127.0.0.1 stands for every upstream. GitHub lists each round of which a tree is stored, git fetches it over
HTTP, and 60 requests an hour are answered, of which somebody else used most of the first hour; an hour is played in
half a minute, since discovery looks as often in place of once an hour. Rounds without a stored tree are not there.

Day 1: what is bundled is built, and the daemon starts. Then every repository gets a commit, so that each tree comes
beside the bundled data; marketplaces and exchange rates come by schedule, all other lists by `accelmart refresh`. Every
result is compared with the file that was published before, and with MLCommons' own tables.

Day 2: a price changes, a list is gone, and in two rounds one result is withdrawn and one corrected. What is right was
worked out by hand from the logs and is stated in `played_corrections.py`.

Prints one line per expectation and exits with 1 if one is not met.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from played import calm, once_an_hour  # isort: skip

import dagster_ui
import duckdb
import replay_server as replay
from github import GitHub
from played_corrections import CORRECTIONS
from played_github import GitServer, HourlyLimit, Repositories, stored_trees
from refreshed_home import SETTINGS
from replay_world import KEYS, world
from small_round import small_round
from webhook import Receiver

from ingest.core.cadence import EXCHANGE_RATES, MARKETPLACES, SCHEDULED
from ingest.core.landing import Landing
from ingest.core.source import plan_of
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_TRAINING
from ingest.registry import LIST_SOURCES

PATIENCE_SECONDS = 3000
HOUR_SECONDS = 30
USED_BY_OTHERS = 50
SCHEDULED_AFTER = timedelta(minutes=4)
BY_SCHEDULE = (MARKETPLACES, EXCHANGE_RATES)
SUITES = {MLPERF_INFERENCE: "inference", MLPERF_TRAINING: "training"}
FIGURES = {
    "training": ("fct_training_result", "score_minutes", "benchmark_id"),
    "inference": ("fct_inference_result", "result", "result_unit"),
}
RELATIVE = 1e-6
SHOWN = 20
MISSING_LIST = ("coreweave", "www.coreweave.com", "/pricing")
PRICE = {"source": "scaleway", "zone": "fr-par-2", "instance_type": "H100-2-80G", "old": 5.733, "new": 6.3}
# a round that is not known yet, with a known result and one of an unknown part on an unknown benchmark
FUTURE = "inference_results_v9.9"
FUTURE_PART, FUTURE_BENCHMARK = "AMD Instinct MI9955X", "chess-70b"
NOTHING = frozenset[str]()


@dataclass
class Play:
    """One installation and its upstreams.

    Args:
        home: data root.
        data: folder of real upstream files.
        repositories: of MLCommons.
        github: its list of them.
        settings: environment variables of the installation.
        table: (what, expected, seen), filled while it runs.
    """

    home: Path
    data: Path
    repositories: Repositories
    github: GitHub
    settings: dict[str, str]
    table: list[tuple[str, str, str]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def say(self, text: str) -> None:
        """Print a line with the minutes since the start."""
        print(f"{(time.monotonic() - self.started) / 60:5.1f} min | {text}", flush=True)

    def note(self, what: str, expected: object, seen: object) -> None:
        """Compare what is expected with what was found."""
        row = (what, _short(expected), _short(seen))
        self.table.append(row)
        if row[1] == row[2]:
            print(f"as expected | {what} | {row[2]}", flush=True)
        else:
            print(f"DIFFERENT   | {what} | expected {row[1]} | found {row[2]}", flush=True)

    def rows(self, query: str, file: Path | None = None) -> list[tuple]:
        """Return rows of the published warehouse, or of another file."""
        with duckdb.connect(str(file or self.home / "accelmart.duckdb"), read_only=True) as db:
            db.execute("set timezone = 'UTC'")
            return db.execute(query).fetchall()

    def keep(self, name: str) -> Path:
        """Return a copy of the published file."""
        copy = self.home.with_name(f"{name}.duckdb")
        copy.unlink(missing_ok=True)
        return Path(shutil.copy(self.home / "accelmart.duckdb", copy))

    def push(self, repository: str, changes: dict[str, bytes | None], message: str) -> None:
        """Commit to a repository."""
        self.github.push(repository, self.repositories.commit(repository, changes, message))

    def accelmart(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command on this installation, as its user does."""
        own = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_", "GITHUB_"))}
        here = {"ACCELMART_HOME": str(self.home), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        command = [str(dagster_ui.ACCELMART), *words]
        done = subprocess.run(
            command, env=own | here | self.settings, capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(done.stderr[-3000:], flush=True)
        return done

    def landed(self) -> set[str]:
        """Return what has a payload that is in force: repositories of rounds, and source:key of lists."""
        landing = Landing(str(self.home / "landing"))
        rounds = {f"{s}_results_{p.key}" for source, s in SUITES.items() for p in landing.newest(source)}
        return rounds | {f"{name}:{p.key}" for name in LIST_SOURCES for p in landing.newest(name)}


def _short(value: object) -> str:
    if isinstance(value, set | frozenset | list):
        items = sorted(map(str, value))
        more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
        return ("; ".join(items[:SHOWN]) or "none") + more
    return str(value)


def sources_of(keys: set[str], *, is_scheduled: bool) -> list[str]:
    """Return the sources of some lists, either those that come by schedule here or the others."""
    names = {key.partition(":")[0] for key in keys}
    return sorted(name for name in names if (LIST_SOURCES[name].cadence in BY_SCHEDULE) == is_scheduled)


def planned() -> set[str]:
    """Return source:key of every list that is fetched here."""
    plans = {s.name: plan_of(s, {**SETTINGS, **KEYS})[0] for s in LIST_SOURCES.values()}
    return {f"{name}:{fetch.key}" for name, fetches in plans.items() for fetch in fetches}


# --- the first day ---------------------------------------------------------------------------------------------------


def first_day(play: Play, ui: dagster_ui.Ui, trees: set[str], limit: HourlyLimit) -> None:
    """Play day 1, until nothing is new."""
    ui.wait(lambda: knows(ui, trees), "discovery to see every repository")
    play.say(f"every repository is known; requests of GitHub by played hour: {limit.hours}")
    bundled = trees - {FUTURE}
    play.note("rounds fetched that are bundled and have no new commit", NOTHING, play.landed() & bundled)
    for repository in bundled:
        play.push(repository, {"CODE_OF_CONDUCT.md": b"Be kind.\n"}, "Add a code of conduct")
    refreshed = play.accelmart("refresh", "--no-build", *sources_of(planned(), is_scheduled=False))
    play.note("exit code of the refresh", 0, refreshed.returncode)
    play.say("lists are refreshed")
    due = trees | planned()
    try:
        ui.wait(lambda: due <= play.landed(), "everything to be landed")
    except AssertionError as error:
        play.say(f"not everything was landed: {_short(due - play.landed())} ({str(error)[:300]})")
    play.say("everything is landed")
    said = ui.wait(lambda: calm(ui), "the warehouse to settle")
    play.say(f"settled: {said}")


def knows(ui: dagster_ui.Ui, repositories: set[str]) -> bool:
    """Return whether discovery has looked at every repository, and asked for the unknown ones."""
    words = f"{len(repositories)} result repositories, nothing new"
    return any(words in (tick["skipReason"] or "") for tick in ui.ticks("mlperf_discovery", limit=50))


def examine_runs(play: Play, ui: dagster_ui.Ui, limit: HourlyLimit) -> None:
    """No run failed, and GitHub was asked within its limit."""
    runs = ui.runs()
    ended = Counter(run["status"] for run in runs)
    failed = [_of(run) for run in runs if run["status"] in ("FAILURE", "CANCELED")]
    play.say(f"runs: {dict(ended)}; rebuilds: {len(ui.runs('rebuild_warehouse'))}")
    play.say(f"requests of GitHub by played hour: {limit.hours}, refused: {limit.refused}")
    play.note("runs that failed", [], failed)
    play.note("hours with more requests of GitHub than its limit", 0, sum(n > 60 for n in limit.hours))


def examine_first(play: Play, trees: set[str], before: Path) -> None:
    """Compare what the first day published with the upstreams."""
    play.note("trees landed", trees, play.landed() & trees)
    play.note("lists landed", planned(), play.landed() & planned())
    published = play.rows("select distinct source, payload_key from ops_reconciliation")
    suites = {(source, f"{suite}_results_") for source, suite in SUITES.items()}
    accounted = {f"{p}{key}" for source, key in published for s, p in suites if s == source}
    accounted |= {f"{source}:{key}" for source, key in published}
    play.note("payloads in the accounts of the warehouse", [], (trees | planned()) - accounted)
    isolated = play.rows("select source, payload_key, release, problem from ops_isolated_payload")
    play.note("isolated payloads", [], isolated)
    unbalanced = play.rows("select source, payload_key from ops_reconciliation where not is_balanced")
    play.note("payloads that do not reconcile", [], unbalanced)
    problems = json.loads(play.accelmart("status", "--json").stdout)["problems"]
    play.say(f"problems listed: {dict(Counter(problem['title'].split()[0] for problem in problems))}")
    facts = play.rows(
        "select platform, accelerator_id, benchmark_id, result, throughput_per_accelerator "
        f"from fct_inference_result where release = '{FUTURE.rpartition('_')[2]}'"
    )
    known = ("good", "nvidia-h100-sxm-80gb", "resnet", 1600.0, 200.0)
    unknown = ("new", f"unmapped:{FUTURE_PART}", f"unmapped:{FUTURE_BENCHMARK}", 808.0, None)
    play.note("results of the round that nobody knew", [known, unknown], facts)
    lines = play.rows("select kind, words from ops_unmapped where seed_line is not null")
    names = {("accelerator", FUTURE_PART), ("benchmark", FUTURE_BENCHMARK)}
    play.note("its unknown names that are listed with a seed line", names, names & set(lines))
    play.say(f"unmapped names: {play.rows('select count(*), sum(n_rows) from ops_unmapped')}")
    rejects = play.rows("select source, severity, count(*) from ops_reject group by all order by all")
    play.say(f"rejects: {rejects}")
    for suite in FIGURES:
        compare(play, suite, before)
    for name, theirs, ours in official_tables(play):
        wrong = [
            f"{key}: {theirs.get(key)} is published as {ours.get(key)}"
            for key in theirs.keys() | ours.keys()
            if not _equal(theirs.get(key), ours.get(key))
        ]
        play.note(f"{name}: differences from MLCommons' table of {len(theirs)} results", [], wrong)


def _of(run: dict) -> str:
    return ", ".join("/".join(key["path"]) for key in (run["assetSelection"] or [])[:1]) or "rebuild"


def _equal(theirs: list[float] | None, ours: list[float] | None) -> bool:
    if theirs is None or ours is None or len(theirs) != len(ours):
        return False
    pairs = zip(sorted(theirs), sorted(ours), strict=True)
    return all(abs(x - y) <= RELATIVE * abs(x) for x, y in pairs)


def compare(play: Play, suite: str, before: Path) -> None:
    """Print, by round, how many results of a suite are equal to before, changed, lost and added."""
    table, figure, unit = FIGURES[suite]
    query = (
        f"select release, result_id, {figure}, {unit}, accelerator_id, accelerator_count, is_per_accelerator_valid "
        f"from {table}"
    )
    old, new = (
        {(release, key): rest for release, key, *rest in play.rows(query, file)} for file in (before, None)
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    changed, lost, others = list[str](), list[str](), list[str]()
    for key, (score, *rest) in old.items():
        counts[key[0]]["before"] += 1
        now, *now_rest = new.get(key, (None, None))
        if key not in new:
            kind = "lost"
            lost.append(f"{key[1]} ({score})")
        elif score == now or (score and now and abs(score - now) <= RELATIVE * abs(score)):
            kind = "equal"
            if rest != now_rest:
                others.append(f"{key[1]}: {rest} → {now_rest}")
        else:
            kind = "changed"
            changed.append(f"{key[1]}: {score} → {now}")
        counts[key[0]][kind] += 1
    for release, _ in new.keys() - old.keys():
        counts[release]["added"] += 1
    print(
        f"| {suite} round | before | equal | changed | lost | added |\n| --- | --- | --- | --- | --- | --- |"
    )
    for release, n in sorted(counts.items()):
        print(f"| {release} |", *(f"{n[k]} |" for k in ("before", "equal", "changed", "lost", "added")))
    print(*(f"  added: {key[1]}" for key in sorted(new.keys() - old.keys())[: 2 * SHOWN]), sep="\n")
    play.note(f"{suite} scores changed", [], changed)
    play.note(f"{suite} results lost", [], lost)
    play.note(f"{suite} results of equal score with another unit, part, count or validity", [], others)


def official_tables(play: Play) -> Iterable[tuple[str, dict, dict]]:
    """Yield (round, figures of MLCommons' table by key, published figures by key)."""
    mlperf = play.data / "mlperf"
    for release in ("v4.0", "v4.1", "v5.0", "v5.1"):
        theirs, ours = defaultdict(list), defaultdict(list)
        for platform, benchmark, minutes in play.rows(
            "select platform, benchmark_published, score_minutes from fct_training_result "
            f"where release = '{release}' and score_minutes is not null"
        ):
            ours[f"{platform} {benchmark}"].append(minutes)
        benchmarks = {key.rpartition(" ")[2] for key in ours}
        with (mlperf / f"official_scores/training_{release}_scores.csv").open(newline="") as lines:
            for row in csv.DictReader(lines):
                system = row["details_url"].rpartition("/")[2].removesuffix(".json")
                for benchmark in benchmarks & row.keys():
                    if row[benchmark]:
                        theirs[f"{system} {benchmark}"].append(float(row[benchmark]))
        yield f"training {release}", theirs, ours
    for release, path in {
        "v5.1": "inference_v5.1/summary_results.json",
        "v6.1": "inference_v6.1/summary_core.csv",
        "v6.0": "",
    }.items():
        if path.endswith(".csv"):
            with (mlperf / path).open(encoding="utf-8", newline="") as lines:
                theirs = {
                    f"{r['Division']}/{r['Organization']}/results/{r['Platform']}/{r['Model']}/{r['Scenario']}": [
                        float(r["Result"]) * (1000 if r["Units"] == "Latency (s)" else 1)
                    ]
                    for r in csv.DictReader(lines)
                }
        else:
            name = f"inference_results_{release}"
            text = (
                (mlperf / path).read_bytes() if path else play.repositories.read(name, "summary_results.json")
            )
            theirs = {
                e["Location"].removeprefix("./").removesuffix("/performance/run_1"): [
                    e["Performance_Result"] * (1000 if e["Performance_Units"] == "Latency (s)" else 1)
                ]
                for e in json.loads(text)
            }
        ours = {
            location: [result]
            for location, result in play.rows(
                "select replace(split_part(source_url, '/tree/main/', 2), '%20', ' '), result "
                f"from fct_inference_result where release = '{release}'"
            )
        }
        yield f"inference {release}", theirs, ours


# --- the second day --------------------------------------------------------------------------------------------------


def prepare_corrections(play: Play) -> None:
    """Commit the withdrawals and corrections."""
    for c in CORRECTIONS:
        changes: dict[str, bytes | None] = {c.folder: None}
        for path, change in c.files.items():
            text = play.repositories.read(c.repository, path).decode("utf-8", "surrogateescape")
            changes[path] = change(text).encode("utf-8", "surrogateescape")
        play.push(c.repository, changes, "Withdraw one result and correct another")


def other_price(asked: replay.Asked, reply: replay.Reply) -> replay.Reply:
    """Change one price in the answer of Scaleway."""
    document = json.loads(reply.body)
    if f"/{PRICE['zone']}/" in asked.path and PRICE["instance_type"] in document["servers"]:
        document["servers"][PRICE["instance_type"]]["hourly_price"] = PRICE["new"]
    return replace(reply, body=json.dumps(document).encode())


def second_day(play: Play, ui: dagster_ui.Ui, upstream: replay.ReplayServer) -> None:
    """Play day 2 and compare with the first, row by row."""
    first, begun = play.keep("first"), datetime.now(UTC)
    runs_before = {run["runId"] for run in ui.runs()}
    change_upstreams(play, upstream)
    try:
        ui.wait(lambda: are_landed(play), "the corrected rounds to be landed")
    except AssertionError as error:
        play.say(f"a corrected round was not landed ({str(error)[:300]})")
    said = ui.wait(lambda: calm(ui), "the warehouse to settle")
    play.say(f"day 2 settled: {said}")
    failed = [_of(r) for r in ui.runs() if r["runId"] not in runs_before and r["status"] == "FAILURE"]
    play.note("runs of day 2 that failed", [], failed)
    examine_second(play, first, begun)


def change_upstreams(play: Play, upstream: replay.ReplayServer) -> None:
    """Change a price, take a list away, correct the rounds, and refresh the lists."""
    name, host, path = MISSING_LIST
    upstream.fault("api.scaleway.com", "/instance", replay.altered(other_price))
    upstream.fault(host, path, replay.refusal(404))
    prepare_corrections(play)
    refreshed = play.accelmart("refresh", "--no-build", *sorted({key.partition(":")[0] for key in planned()}))
    failed = re.findall(r"^([\w-]+): \d+ of \d+ fetches failed", refreshed.stderr, re.MULTILINE)
    play.note("sources that day 2's refresh reports as failed", [name], failed)
    play.note("exit code of day 2's refresh", 1, refreshed.returncode)


def examine_second(play: Play, first: Path, begun: datetime) -> None:
    """Compare what the second day published with the first."""
    isolated = play.rows("select source, payload_key, release, problem from ops_isolated_payload")
    play.note("isolated payloads of day 2", [], isolated)
    examine_prices(play, first, begun)
    examine_corrections(play, first)


def are_landed(play: Play) -> bool:
    """Return whether the corrected commits are landed."""
    heads = {c.repository: play.github.heads[c.repository] for c in CORRECTIONS}
    landing = Landing(str(play.home / "landing"))
    commits = {
        f"{s}_results_{p.key}": p.details.get("commit")
        for source, s in SUITES.items()
        for p in landing.newest(source)
    }
    return all(commits.get(repository) == head for repository, head in heads.items())


def examine_prices(play: Play, first: Path, begun: datetime) -> None:
    """Exactly the changed price has a new interval; the prices of the missing list stay and age."""
    columns = "source, region, instance_type, accelerator_count, price"
    moment = f"timestamptz '{begun.isoformat()}'"
    new = play.rows(f"select {columns} from fct_price_interval where valid_from >= {moment}")
    # an offer that two lists have is in force as the list that was asked last states it
    ended = play.rows(
        f"select {columns} from fct_price_interval where valid_to >= {moment} "
        "and ended_because <> 'a newer observation of the same machine'"
    )
    of_price = [PRICE["source"], PRICE["zone"], PRICE["instance_type"], 2.0]
    play.note("intervals that begin on day 2", [(*of_price, PRICE["new"])], new)
    play.note("intervals that end on day 2", [(*of_price, PRICE["old"])], ended)
    key = "offer_id || coalesce(purchase_option, '') || payload_key || valid_from"
    kept = f"select {key}, price, usd_per_accelerator_hour from fct_price_interval"
    gone = set(play.rows(kept, first)) - set(play.rows(kept))
    play.note("intervals of day 1 that are not there or have another price", [], gone)
    name = MISSING_LIST[0]
    seen = (
        "select max(last_seen_at), count(*) filter (where valid_to is null) from fct_price_interval "
        f"where source = '{name}'"
    )
    play.note(
        f"current prices of {name}, and when each was last seen",
        play.rows(seen, first)[0],
        play.rows(seen)[0],
    )
    # that catalog is as old as it says
    fetched = {key.partition(":")[0] for key in planned()} - {"gpuhunt-catalog"}
    priced = {s for (s,) in play.rows("select distinct source from fct_price_interval", first)} & fetched
    ages = dict(play.rows(f"select source, last_success_at >= {moment} from mart_source_health"))
    play.note(
        "price sources asked with success on day 2", priced - {name}, {s for s in priced if ages.get(s)}
    )


def examine_corrections(play: Play, first: Path) -> None:
    """Withdrawn results are gone, corrected ones corrected, all others equal."""
    gone, moved = list[str](), list[str]()
    for suite, (table, figure, unit) in FIGURES.items():
        query = f"select result_id, {figure}, {unit}, accelerator_id, accelerator_count from {table}"
        old, new = ({key: rest for key, *rest in play.rows(query, file)} for file in (first, None))
        gone += old.keys() - new.keys()
        moved += [
            f"{key} {old[key][0]} → {new[key][0]}" for key in old.keys() & new.keys() if old[key] != new[key]
        ]
        moved += [f"{key} is new" for key in new.keys() - old.keys()]
        for c in CORRECTIONS:
            for day, results, figure_by_hand in (1, old, c.old), (2, new, c.new):
                minutes_or_rate = results.get(c.corrected, [None])[0]
                shown = (
                    figure_by_hand
                    if _equal([figure_by_hand], minutes_or_rate and [minutes_or_rate])
                    else minutes_or_rate
                )
                if c.corrected.startswith(suite):
                    play.note(f"{c.corrected} on day {day}", figure_by_hand, shown)
    play.note("results withdrawn on day 2", {c.withdrawn for c in CORRECTIONS}, gone)
    play.note("results changed on day 2", len(CORRECTIONS), len(moved))
    print(*(f"  {line}" for line in moved[:SHOWN]), sep="\n")


def main() -> int:
    """Play both days and print what differs."""
    data = Path(sys.argv[1]).resolve()
    base = Path(
        sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="accelmart-first-day-")
    ).resolve()
    shutil.rmtree(base / "home", ignore_errors=True)
    (base / "home").mkdir(parents=True)
    (base / "repositories").mkdir(exist_ok=True)
    archives = stored_trees(data / "mlperf")
    with (
        world(data / "prices") as upstream,
        Receiver() as receiver,
        GitServer(base / "repositories") as git_server,
    ):
        github = GitHub(upstream)
        github.left = sys.maxsize  # the limit is that of the whole host
        limit = HourlyLimit(upstream, HOUR_SECONDS, USED_BY_OTHERS)
        settings = {
            **SETTINGS,
            **KEYS,
            **git_server.settings,
            "ACCELMART_MIRROR": upstream.url,
            "ACCELMART_SENSOR_INTERVAL": str(HOUR_SECONDS),
            "ACCELMART_REBUILD_INTERVAL": "0",
            "ACCELMART_RETRY_DELAY": "1",
            "ACCELMART_ALERT_URLS": receiver.url,
        }
        repositories = Repositories(base / "repositories", data / "mlperf")
        play = Play(base / "home", data, repositories, github, settings)
        for repository, archive in archives.items():
            github.push(repository, repositories.make(repository, archive))
        unknown = small_round(808.0, platform="new", accelerator=FUTURE_PART, benchmark=FUTURE_BENCHMARK)
        files = {path: text.encode() for path, text in (small_round(1600.0) | unknown).items()}
        github.push(FUTURE, repositories.make(FUTURE, files))
        play.say(f"{len(archives)} rounds are on GitHub, and one of the future")
        play.note("exit code of the first build", 0, play.accelmart("build").returncode)
        before = play.keep("before")
        play.say("what is bundled is published")
        cron = once_an_hour(SCHEDULED_AFTER)
        crons = {cadence.name: cron if cadence in BY_SCHEDULE else "off" for cadence in SCHEDULED}
        settings["ACCELMART_SCHEDULES"] = "; ".join(f"{name}={when}" for name, when in crons.items())
        with dagster_ui.Ui(play.home, settings, timeout=PATIENCE_SECONDS) as ui:
            first_day(play, ui, {*archives, FUTURE}, limit)
            examine_runs(play, ui, limit)
            examine_first(play, {*archives, FUTURE}, before)
            second_day(play, ui, upstream)
            titles = Counter(title for _, title in receiver.alerts())
            play.say(f"alerts: {len(titles)} titles")
            play.note("alerts that came twice", [], [title for title, n in titles.items() if n > 1])
    different = [row for row in play.table if row[1] != row[2]]
    play.say(f"{len(play.table)} expectations, {len(different)} not met")
    if not different and len(sys.argv) <= 2:
        shutil.rmtree(base)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
