"""The command and Dagster's job build alike: same steps, messages, outcome and file in each state a build can meet."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from commands import run_command

from warehouse.build.driver import DECISIONS, MODELS, PARSING, REPAIR, STEPS, build
from warehouse.publication.outcome import last_outcome
from warehouse.publication.pointer import PinnedError, publication, rollback, unpin
from warehouse.storage.home import Home

pytestmark = [pytest.mark.xdist_group("changes"), pytest.mark.timeout(2400), pytest.mark.nightly]
DAGSTER = Path(sys.executable).with_name("dagster")
JOB = [DAGSTER, "job", "execute", "-m", "orchestration.definitions", "-j", "rebuild_warehouse", "--tags"]
STEP_LINE = re.compile(rf" dbt_models - ({'|'.join(map(re.escape, STEPS))})$", re.MULTILINE)
# which build it was, and when: different in every build, as are ages in days
OF_ONE_BUILD = {
    "ops_generation": ("generation_id", "previous_generation_id", "built_at"),
    "mart_changes": ("generation_id", "previous_generation_id", "changed_at"),
}


# what the button of one table launches
BUTTON = """
import json, sys
import dagster as dg
from orchestration.definitions import defs
asked, tags = sys.argv[1].split("/"), json.loads(sys.argv[2])
job = defs.get_repository_def().get_implicit_global_asset_job_def()
with dg.DagsterInstance.ephemeral() as instance:
    job.execute_in_process(instance=instance, asset_selection=[dg.AssetKey(asked)], tags=tags)
    events = {
        "/".join(key.path): [
            record.asset_materialization.metadata["dagster/row_count"].value
            for record in instance.fetch_materializations(key, limit=9).records
        ]
        for key in map(dg.AssetKey, (asked, ["accelmart", "dim_accelerator"]))
    }
print("\\n" + json.dumps(events))
"""


def environment_of(home):
    own = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_", "DBT_"))}
    return own | {"ACCELMART_HOME": str(home.root)}


def by_dagster(home, **tags):
    """Run the job, and return its steps and what it printed."""
    done = run_command([*JOB, json.dumps(tags)], timeout=600, env=environment_of(home), cwd=home.root)
    text = done.stdout + done.stderr
    return STEP_LINE.findall(text), text


def by_command(home, **options):
    """Build in this process, and return the steps and the outcome or error."""
    steps = []
    try:
        done = build(home, on_step=lambda step: steps.append(step.partition(":")[0]), **options)
    except PinnedError as error:
        done = error
    return list(dict.fromkeys(steps)), done


def differing_tables(ours, theirs):
    """Return the tables of two warehouse files whose rows differ but for what is of one build alone."""
    out = []
    with duckdb.connect() as db:
        for name, file in {"ours": ours, "theirs": theirs}.items():
            db.execute(f"attach '{file}' as {name} (read_only)")
        tables = "select schema_name, table_name from duckdb_tables() where database_name = ? order by all"
        names = [db.execute(tables, [name]).fetchall() for name in ("ours", "theirs")]
        assert names[0] == names[1] and len(names[0]) > 100
        for schema, table in names[0]:
            of_one_build = "|".join((".*age_days", *OF_ONE_BUILD.get(table, ())))
            columns = f"columns(lambda name: not regexp_full_match(name, '{of_one_build}'))"
            one, other = (f'select {columns} from {name}."{schema}"."{table}"' for name in ("ours", "theirs"))
            ((n,),) = db.execute(
                f"select count(*) from ((({one}) except all ({other})) union all (({other}) except all ({one})))"
            ).fetchall()
            out += [(table, n)] if n else []
    return out


def test_both_build_alike(changed, tmp_path):
    """A failing check, a pin, an interruption, changes that are accepted, and then nothing new."""
    home = Home(changed.for_dagster, str(changed.for_dagster / "landing"))
    command = Home(changed.home, str(changed.home / "landing"))

    steps, text = by_dagster(home)
    assert steps == [DECISIONS, REPAIR, PARSING, MODELS]
    assert last_outcome(home).problems == changed.failure.problems
    assert all(line in text for line in changed.failure.problems[0].split(": ")[:1])
    assert publication(home).generation.generation_id == changed.before

    for place in (home, command):
        rollback(place, publication(place).generation.generation_id, pin=True)
    steps, text = by_dagster(home)
    ours, refused = by_command(command, force=True)
    assert steps == ours == [DECISIONS, REPAIR]
    id_of = publication(command).generation.generation_id
    assert str(refused).replace(id_of, changed.before) in text
    for place in (home, command):
        unpin(place)

    log = tmp_path / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*JOB, "{}"],
            stdout=out,
            stderr=out,
            env=environment_of(home),
            cwd=home.root,
            # a shell that starts a command in the background has it ignore Ctrl-C
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    deadline = time.monotonic() + 120
    while " START sql " not in log.read_text():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert not list(home.builds.glob("*")) and last_outcome(home).problems == changed.failure.problems
    assert publication(home).generation.generation_id == changed.before

    accepted = json.dumps({"accelmart/accept_changes": "true"})
    asked = [sys.executable, "-c", BUTTON, "accelmart/mart_cost_headline", accepted]
    done = run_command(asked, timeout=600, env=environment_of(home), cwd=home.root)
    assert STEP_LINE.findall(done.stdout + done.stderr) == list(STEPS)
    events = json.loads(done.stdout.splitlines()[-1])
    with duckdb.connect(str(home.published), read_only=True) as db:
        for table in ("mart_cost_headline", "dim_accelerator"):
            (rows,) = db.execute(f"select count(*) from {table}").fetchone()
            assert events[f"accelmart/{table}"] == [rows]
    assert last_outcome(home).status == last_outcome(command).status == "published"
    assert differing_tables(command.published, home.published) == []

    steps, text = by_dagster(home, **{"accelmart/only_if_new": "true"})
    ours, done = by_command(command)
    assert steps == ours == [DECISIONS, REPAIR] and not done.is_new and "Nothing new" in text
