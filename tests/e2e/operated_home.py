"""Run four stories of operation on one installation in two builds, as each build costs half a minute of processor time.

A story is a generator in the file of tests that check what it saw. It prepares the first build and yields, receives that
build and prepares the second, then yields what it saw after both. No story changes what another one lands:

- `test_degrade.unknown_names`: unknown names and bad payloads never stop a publication;
- `test_own_prices.own_prices`: the user's own prices are added as documented, then one line of them becomes wrong;
- `test_control.changed_payloads`: a round is frozen and then excluded, a price list excluded and then unfrozen;
- `test_interrupted.killed_build`: a build is killed while a reader keeps the file open, then one goes through.
"""

from types import SimpleNamespace

import test_control
import test_degrade
import test_interrupted
import test_own_prices
from home_copies import published_file


def operate(accelmart, home, folder, mlperf_data, price_data):
    """Run the stories on a built home.

    Args:
        accelmart: runs the command on a home.
        home: an installation with a published warehouse; it is changed.
        folder: folder for payloads.
        mlperf_data: folder of real MLPerf payloads, or None.
        price_data: folder of real price lists, or None. Payloads are changed only with both folders.

    Returns:
        `home`; `before`, `first` and `second`, the files of three generations; and what each story saw, by its name.
    """

    def run(*words, code=0, **more):
        done = accelmart(home, *words, timeout=900, **more)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def build():
        printed = run("build").stdout
        assert "Published generation" in printed
        return SimpleNamespace(printed=printed, file=published_file(home))

    before = published_file(home)
    stories = {
        "unknown_names": test_degrade.unknown_names(run, home, folder),
        "own_prices": test_own_prices.own_prices(home),
    }
    if mlperf_data and price_data:
        stories["changed_payloads"] = test_control.changed_payloads(
            run, home, folder, mlperf_data, price_data
        )
    # the last one, as it starts a build and kills it
    stories["killed_build"] = test_interrupted.killed_build(home)
    for story in stories.values():
        next(story)
    first = build()
    for story in stories.values():
        story.send(first)
    second = build()
    seen = {name: story.send(second) for name, story in stories.items()}
    return SimpleNamespace(home=home, before=before, first=first.file, second=second.file, **seen)
