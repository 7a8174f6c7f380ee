"""`accelmart build` without new inputs is quick: neither dagster nor dbt is imported."""

import os
import subprocess
import sys

from filelock import FileLock

from warehouse.storage.home import Home

BUILD = """
import sys; sys.argv = ["accelmart", "build", "--json"]
from accelmart.cli import main
try:
    main()
finally:
    print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""


def test_nothing_new_is_said_without_dagster_and_dbt_unless_a_build_is_under_way(tmp_path, publish):
    home = Home(tmp_path, str(tmp_path / "landing"))
    publish(home)
    environment = {n: v for n, v in os.environ.items() if not n.startswith(("ACCELMART_", "DAGSTER_"))}
    environment["ACCELMART_HOME"] = str(tmp_path)

    def build():
        return subprocess.run([sys.executable, "-c", BUILD], env=environment, capture_output=True, text=True)

    done = build()
    assert (
        done.returncode == 0 and '"is_new": false' in done.stdout and "20260101T000000-aaaaaa" in done.stdout
    )
    assert {"dagster", "dbt"} & set(done.stderr.split()) == set()
    with FileLock(home.build_lock):
        done = build()
    assert done.returncode == 4 and "another build is running" in done.stderr and not done.stdout
