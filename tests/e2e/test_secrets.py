"""Every key, token and password that the settings know has a marker as its value: none is printed, kept or saved.

Here upstreams repeat the keys, and every night a build follows; test_refresh.py has the same of answers that are used and
built. What one fetch keeps and prints, under every fault, is in tests/ingest/test_plan.py.
"""

import json
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from drill_processes import IS_FULL
from home_copies import copy_home
from replay_server import ReplayServer, Reply, refusal
from secret_marks import ENVIRONMENT, MARKS, leaks_in, printed_marks

from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES

# what all these tests read takes a while to make
pytestmark = [pytest.mark.xdist_group("secrets"), pytest.mark.drills]

# the lists of RunPod and Vast.ai can be read without their keys
KEYED = [n for n, s in LIST_SOURCES.items() if {*s.needs} & set(MARKS) or n in ("runpod", "vast")]


def echo(asked):
    """An answer that repeats the request with its keys, as an API that documents itself does."""
    return Reply(json.dumps({"url": asked.url, "headers": dict(asked.headers)}).encode())


@pytest.fixture(scope="module")
def used(built_home, accelmart, tmp_path_factory):
    """(folder of everything written, what was printed, headers that the upstreams got)."""
    folder = tmp_path_factory.mktemp("secrets")
    home = folder / "home"
    copy_home(built_home, home)
    printed, received = [], []
    with ReplayServer() as upstream:

        def run(*arguments):
            others = ",".join(n for n in LIST_SOURCES if n not in KEYED)
            given = {**ENVIRONMENT, "ACCELMART_MIRROR": upstream.url, "ACCELMART_SOURCES_OFF": others}
            done = accelmart(home, *arguments, settings=given, timeout=300)
            printed.append(f"$ {arguments}\n{done.stdout}{done.stderr}".encode())
            return done

        for name in KEYED:
            for fetch in plan_of(LIST_SOURCES[name], MARKS)[0]:
                upstream.on(urlunsplit(urlsplit(fetch.first.url)._replace(query="")), echo)
        assert run("refresh", "--no-build", *KEYED).returncode == 1
        for host in {urlsplit(f.first.url).netloc for n in KEYED for f in plan_of(LIST_SOURCES[n], MARKS)[0]}:
            upstream.fault(host, "/", refusal(401))
        assert run("refresh", "--no-build", *KEYED).returncode == 1
        for arguments in (
            ("refresh", "--check"),
            *([("build",)] if IS_FULL else []),
            ("status", "--json"),
            ("doctor", "--json"),
            ("export", str(folder / "export"), "--format", "csv"),
        ):
            run(*arguments)
        received += [str(dict(asked.headers)) + asked.url for asked in upstream.requests]
    assert (folder / "export" / "datapackage.json").exists()
    return folder, b"\n".join(printed), "".join(received)


def test_there_are_seven_secrets_and_the_keys_are_used(used):
    assert len(MARKS) == 7
    for name in ("GITHUB_TOKEN", "GCP_API_KEY", "LAMBDA_API_KEY", "RUNPOD_API_KEY", "VAST_API_KEY"):
        assert any(form in used[2] for form in (MARKS[name], quote(MARKS[name], safe=""))), name


def test_no_secret_is_printed(used):
    assert b"refresh" in used[1]
    assert printed_marks(used[1]) == []


def test_no_secret_is_in_any_file_but_in_an_answer_that_repeats_it(used):
    """What upstream sends is stored unchanged; these answers are refused, so only the quarantine has them."""
    assert [leak for leak in leaks_in(used[0]) if "landing/quarantine/" not in leak[0]] == []
