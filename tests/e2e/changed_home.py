"""One installation whose published figures are altered in known ways, built once with accepted changes.

First dbt runs only the comparison models on a copy of the build; then absurd results are landed (test_physical_limits.py);
then the real command fails, because figures moved (test_commands.py), and succeeds with accepted changes (test_changes.py).
"""

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import duckdb
import test_physical_limits
from home_copies import change_published, copy_home

from warehouse.build_folder import Build
from warehouse.dbt import list_failures
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.prepare import prepare, select_inputs
from warehouse.publish import publication

DBT = Path(sys.executable).with_name("dbt")
COMPARISON = (
    "ops_generation", "int_changes__figures", "int_changes__compared", "int_changes__found",
    "mart_changes", "ops_change_alarm", "ops_layer_account",
)  # fmt: skip
FIGURES = "intermediate.int_changes__figures"


def compare(home, *damage):
    """Prepare a build, run the comparison on a damaged copy of the published file, and return the result."""
    place = Home(home, str(home / "landing"))
    with exclusive(place, 60):
        shutil.rmtree(place.builds, ignore_errors=True)
        build = prepare(place, select_inputs(place))
        shutil.copyfile(home / "undoctored.duckdb", build.database)
        with duckdb.connect(str(build.database)) as db:
            for statement in damage:
                db.execute(statement)
        target = build.target
        done = subprocess.run(
            [
                *(DBT, "--no-use-colors", "build", "--exclude-resource-type", "unit_test"),
                *("--target", "build", "--project-dir", build.project, "--profiles-dir", build.project),
                *("--target-path", target, "--log-path", target, "--select", *COMPARISON),
            ],
            cwd=build.project,
            capture_output=True,
            text=True,
            timeout=300,
        )
    return done, {
        reported.split(":")[0].removeprefix("test "): reported
        for reported in list_failures(Build(build.folder.resolve()))
    }


def doctor(home):
    """Change one figure of each kind in the published generation, and return their subjects."""
    (
        ((corrected, correct),),
        ((ours,),),
        ((fresh,),),
        ((gone,),),
        ((changed, provider, accelerator, pricing),),
        ((new_offer,),),
        *_,
    ) = change_published(
        home,
        f"select subject, value from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v4.0' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1 offset 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1 offset 2",
        f"select subject, provider, accelerator_id, pricing_model from {FIGURES} where figure = 'hourly_price' "
        f"and accelerator_id in (select accelerator_id from {FIGURES} where relation = 'mart_price_current') "
        "and provider = 'aws' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'hourly_price' and provider = 'lambda' order by subject limit 1",
    )
    change_published(
        home,
        f"update {FIGURES} set value = value / 1.1, input_version = 'other words' where figure = 'result' and subject = '{corrected}'",
        f"update {FIGURES} set value = value * 2 where figure = 'result' and subject = '{ours}'",
        f"delete from {FIGURES} where subject = '{fresh}' and relation = 'fct_inference_result'",
        f"update {FIGURES} set subject = 'was here' where subject = '{gone}' and relation = 'fct_inference_result'",
        f"update {FIGURES} set value = value * 2, input_version = 'other words' where subject = '{changed}' and figure = 'hourly_price'",
        f"delete from {FIGURES} where subject = '{new_offer}' and figure = 'hourly_price'",
        f"""update {FIGURES} set value = value * 2 where figure = 'usd_per_accelerator_hour_min' and provider = '{provider}'
            and accelerator_id = '{accelerator}' and pricing_model = '{pricing}'""",
        f"update {FIGURES} set subject = 'a source that went' where role = 'source' and subject = 'rocm'",
        # a new payload of v5.1
        f"update {FIGURES} set input_version = 'other payloads' where role = 'input' and subject = 'inference/v5.1'",
        # blocking checks
        f"update {FIGURES} set value = value * 1.1 where figure = 'rows_of_release' and subject = 'v2.0'",
        f"update {FIGURES} set value = value * 100 where figure = 'offers_in_force' and subject = 'nebius'",
        f"update {FIGURES} set value = value * 2 where figure = 'rows' and subject = 'mart_energy'",
        f"update {FIGURES} set value = value * 1.5 where relation = 'mart_tco' and figure = 'usd_per_accelerator_hour'",
    )
    return {
        "corrected": corrected, "correct": correct, "ours": ours, "fresh": fresh, "gone": gone, "changed": changed,
        "new_offer": new_offer, "best": f"{accelerator}/{provider}/{pricing}",
    }  # fmt: skip


DAMAGE = (
    "delete from fct_inference_result where result_id in "
    "(select result_id from fct_inference_result where release = 'v3.0' order by result_id limit 3)",
    "delete from fct_training_run where run_id in (select run_id from fct_training_run order by run_id limit 2)",
    "delete from fct_price_interval where offer_id in "
    "(select offer_id from fct_price_interval where provider = 'seeweb' limit 1)",
    "delete from intermediate.int_specs__published where attribute = 'memory_gb' and source = 'rocm'",
    "delete from staging.stg_mlperf_training__results where release = 'v5.0' and platform in "
    "(select min(platform) from staging.stg_mlperf_training__results where release = 'v5.0')",
)


def compare_damaged(home):
    """Run the comparison on a damaged copy of the build, and return what it reports."""
    done, reported = compare(home, *DAMAGE)
    with duckdb.connect(str(home / "builds/current/build.duckdb"), read_only=True) as db:
        shown = " ".join(
            problem
            for (problem,) in db.execute(
                "select problem from ops_change_alarm where severity = 'warn'"
            ).fetchall()
        )
        lost = db.execute(
            "select layers, source, release, rows_in - rows_out - rows_excluded from ops_layer_account "
            "where not is_balanced order by all"
        ).fetchall()
    return SimpleNamespace(done=done, reported=reported, warnings=shown, lost=lost)


def operate_changed(accelmart, built_home, folder):
    """Compare, fail and accept, on a copy of a built data root.

    Returns:
        `home`; `doctored` (subjects of altered figures); `compared` (see `compare_damaged`); `before` (generation that was
        published); `failed` and `accepted` (outputs of the builds); `after_failure` (output of commands after the failed build,
        by words); `published_after_failure` (generation); `generation` (file of the accepted generation).
    """
    home = copy_home(built_home, folder / "home")
    place = Home(home, str(home / "landing"))
    shutil.copyfile(home / "accelmart.duckdb", home / "undoctored.duckdb")
    doctored = doctor(home)
    compared = compare_damaged(home)
    before = publication(place).generation.generation_id
    test_physical_limits.land_absurd(home, folder)
    failed = accelmart(home, "build", timeout=600)
    published_after_failure = publication(place).generation.generation_id
    looks = (("status",), ("status", "--json"), ("doctor", "--offline", "--json"))
    after_failure = {words: accelmart(home, *words).stdout for words in looks}
    accepted = accelmart(home, "build", "--accept-changes", timeout=600)
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    return SimpleNamespace(
        home=home, doctored=doctored, compared=compared, before=before, failed=failed, accepted=accepted,
        after_failure=after_failure, published_after_failure=published_after_failure,
        generation=publication(place).generation.path,
    )  # fmt: skip
