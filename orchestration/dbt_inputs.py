"""Prepare the inputs of a build for dbt alone: ``eval "$(python -m orchestration.dbt_inputs)"``, then ``dbt build``.

What dbt builds this way is never published; the next `accelmart build` removes it.
"""

import shlex

from orchestration import settings
from warehouse.build import environment, exclusive, sweep
from warehouse.home import Home
from warehouse.prepare import prepare

FOLDER = "by_hand"


def main(home: Home) -> str:
    """Link the raw parts in force into a build folder; return the shell lines that point dbt at it.

    Raises:
        BuildRunningError: a build runs in this data root.
    """
    with exclusive(home, 0):
        sweep(home)
        prepare(home, FOLDER)
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in environment(home).items())


if __name__ == "__main__":
    print(main(settings.home()))
