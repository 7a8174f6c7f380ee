"""Prepare the inputs of a build for dbt alone: ``eval "$(python -m orchestration.dbt_inputs)"``, then ``dbt build``
in the folder ``$DBT_PROJECT_DIR``.

What dbt builds this way is never published; the next `accelmart build` removes it.
"""

import shlex

from orchestration import settings
from warehouse.build_folder import PROJECT_VARIABLE, remove_stale
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.prepare import prepare, select_inputs


def main(home: Home) -> str:
    """Link the active raw parts into a build folder; return the shell lines that point dbt at it.

    Raises:
        BuildRunningError: a build runs in this data root.
    """
    with exclusive(home, 0):
        remove_stale(home)
        build = prepare(home, select_inputs(home))
    given = {
        PROJECT_VARIABLE: build.project,
        "DBT_PROFILES_DIR": build.project,
        "DBT_TARGET_PATH": build.target,
    }
    return "\n".join(f"export {name}={shlex.quote(str(value))}" for name, value in given.items())


if __name__ == "__main__":
    print(main(settings.home()))
