"""Every key, token and password that the settings know has a marker as its value: none is printed, kept or saved.

What one fetch keeps and prints, under every fault, is in tests/ingest/test_plan.py.
"""

import gzip
import io
import json
import tarfile
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from home_copies import copy_home
from replay_server import ReplayServer, Reply, refusal

from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES
from orchestration import settings

# what all these tests read takes a while to make
pytestmark = pytest.mark.xdist_group("secrets")

MARKS = {
    **{s.name: f"marker/{s.name.lower()}+7f3a" for s in settings.SETTINGS.values() if s.is_secret},
    "PGPASSWORD": "marker/pgpassword+7f3a",
    "ACCELMART_ALERT_URLS": "json://127.0.0.1:9/hooks/marker-webhook-7f3a",
}
ENVIRONMENT = {**MARKS, "NO_PROXY": "127.0.0.1"}
FORMS = sorted(
    form.encode()
    for value in MARKS.values()
    for part in [value.rpartition("/hooks/")[2] if "://" in value else value]
    for form in (part, quote(part, safe=""), part.replace("/", "\\/"), part.rpartition("/")[2])
)
KEYED = [n for n, s in LIST_SOURCES.items() if {*s.needs, *s.optional} & set(MARKS)]


def echo(asked):
    """An answer that repeats the request with its keys, as an API that documents itself does."""
    return Reply(json.dumps({"url": asked.url, "headers": dict(asked.headers)}).encode())


def contents(name, data):
    """Yield a file and, if it is compressed or an archive, what is in it."""
    yield name, data
    if data.startswith(b"\x1f\x8b"):
        yield from contents(f"{name} (unpacked)", gzip.decompress(data))
    elif data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if member.isfile() and not member.name.endswith((".duckdb", ".parquet")):
                    yield from contents(f"{name}:{member.name}", archive.extractfile(member).read())


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
            ("build",),
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
    assert [form for form in FORMS if form in used[1]] == []


def test_no_secret_is_in_any_file_but_in_an_answer_that_repeats_it(used):
    """What upstream sends is stored unchanged; these answers are refused, so only the quarantine has them."""
    files = [path for path in used[0].rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 50
    leaks = [
        (name, form)
        for path in files
        for name, data in contents(str(path.relative_to(used[0])), path.read_bytes())
        for form in FORMS
        if form in data or form in name.encode()
    ]
    assert [leak for leak in leaks if "landing/quarantine/" not in leak[0]] == []
