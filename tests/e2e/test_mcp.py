"""`accelmart mcp`, spoken to by the protocol's own client."""

import asyncio
import inspect
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import duckdb
import pytest
from mcp import Client, StdioServerParameters
from published_place import FIRST, SECOND

import accelmart as reader
from accelmart.agents.access import Access
from accelmart.agents.server import server
from accelmart.agents.tools import Tools
from accelmart.errors import CommandFailedError

COMMAND = os.path.join(os.path.dirname(sys.executable), "accelmart")

# what must not be possible: to write, to read files or networks, to change settings, to use up machine or answer
HOSTILE = [
    "drop table mart_tco",
    "insert into mart_tco select * from mart_tco",
    "create table mine as select 1",
    "create or replace macro tco(a) as 1",
    "copy mart_tco to '{folder}/stolen.csv'",
    "export database '{folder}/stolen'",
    "attach '{folder}/mine.duckdb' as mine",
    "install httpfs",
    "set enable_external_access = true",
    "select 1; drop table mart_tco",
    "from '/etc/passwd'",
    "from glob('/etc/*')",
    "from read_parquet('https://127.0.0.1/x.parquet')",
    "from read_blob('{folder}/home/published.json')",
    "select getenv('HOME')",
    "select * from (copy mart_tco to '{folder}/stolen.csv')",
    "select list(i) from range(100000000000) as t(i)",
    "",
]


@contextmanager
def served(home, *arguments):
    """A server of a home behind HTTP; yield its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [COMMAND, "mcp", "--http", "--port", str(port), *arguments]
    process = subprocess.Popen(words, env={**os.environ, "ACCELMART_HOME": str(home)})
    try:
        for _ in range(300):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(30)


@asynccontextmanager
async def connected(home):
    """The client with a server behind standard input and output."""
    parameters = StdioServerParameters(
        command=COMMAND, args=["mcp"], env={**os.environ, "ACCELMART_HOME": str(home)}
    )
    async with Client(parameters) as client:
        yield client


async def ask(client, tool, **arguments):
    """Return the answer of a tool, which must be no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


PAGE = (Path(__file__).resolve().parents[2] / "docs/agents.md").read_text(encoding="utf-8")
TEN = re.findall(r"^\| (.*\?) \| `(\w+)` \| `(\{.*\})` \| `(.*)` \|$", PAGE, flags=re.MULTILINE)
SUMMARY_BYTES = 2_000


def test_the_ten_questions_of_the_page_are_answered_in_short(built_home):
    async def talk():
        async with connected(built_home) as client:
            return [await client.call_tool(tool, json.loads(arguments)) for _, tool, arguments, _ in TEN]

    assert len(TEN) == 10
    for (question, tool, _, words), result in zip(TEN, asyncio.run(talk()), strict=True):
        text = result.content[0].text
        assert not result.is_error and words in text, (question, text)
        answer = result.structured_content
        assert json.loads(text) == answer and (answer.get("rows") or answer.get("figures")), question
        assert ": null" not in text and answer["prices_as_of"] == "2026-10-24", question
        assert "not verified by MLCommons" in answer["standing"], question
        assert tool == "query" or len(text.encode()) <= SUMMARY_BYTES, (question, len(text))


def test_details_are_what_python_answers(built_home):
    asked = {
        "rank": {"model": "llama3.1-405b", "limit": 5},
        "choose": {"model": "llama3.1-405b", "tokens_per_day": 1e8, "budget": 1e6, "limit": 12},
        "tokens": {"model": "deepseek-r1", "limit": 100},
        "electricity": {"model": "deepseek-r1", "places": "Germany, Sweden"},
        "compare": {"a": "B200", "b": "H100", "limit": 1000},
        "alternatives": {"accelerator": "TPU", "limit": 1000},
        "prices": {"accelerator": "H100", "quoted": 3.2},
        "estimate_ownership": {"accelerator": "H100", "gpus": 64, "months": 18},
        "keep_or_sell": {"model": "llama3.1-405b", "have": "A100-80GB:64"},
        "power_budget": {"model": "deepseek-r1", "megawatts": 5},
        # the published case of docs/figures: 15e12 tokens at US$ 1.42 are US$ 29.2M
        "estimate_training": {
            "params": 405e9, "tokens": 15e12, "accelerator": "nvidia-h100-sxm-80gb", "gpus": 2304, "price": 1.42, "mfu": 54,
        },
        "estimate_serving": {"model": "llama3.1-405b", "tokens_per_day": 1e9, "scenario": "hyperscaler"},
    }  # fmt: skip

    async def talk():
        async with connected(built_home) as client:
            tools = {t.name: t for t in (await client.list_tools()).tools}
            answers = {name: await ask(client, name, details=True, **given) for name, given in asked.items()}
            answers["evidence"] = await ask(client, "evidence", id=answers["estimate_serving"]["rests_on"][0])
            answers["search"] = await ask(client, "search", words="usd_per_output_mtok_median")
            answers["query"] = await ask(client, "query", sql="from mart_tco order by all", limit=3)
            texts = {}
            for resource in ("dictionary", "dictionary/mart_tco", "methodology"):
                texts[resource] = (await client.read_resource(f"accelmart://{resource}")).contents[0].text
            return tools, answers, texts

    tools, answers, texts = asyncio.run(talk())
    assert set(tools) == set(answers)
    for name, tool in tools.items():
        assert tool.annotations.read_only_hint and len(tool.description) > 100, name
    for name, given in asked.items():
        question = getattr(reader, name)
        arguments = set(inspect.signature(question).parameters) - {"database"} | {"details", "limit"}
        assert set(tools[name].input_schema["properties"]) == arguments, name
        expected = question(**{n: v for n, v in given.items() if n != "limit"}, database=built_home)
        if isinstance(expected, reader.Table):
            rows = [{n: v for n, v in r.items() if v is not None} for r in expected.records()][
                : given.get("limit", 20)
            ]
            assert json.loads(json.dumps(rows, default=str)) == answers[name]["rows"], name
        else:
            figures = {n: v for n, v in expected.figures.items() if v is not None}
            assert answers[name]["figures"] == figures and answers[name]["basis"] == expected.basis, name
    assert answers["rank"]["has_more_rows"]
    assert answers["rank"]["units"]["usd_per_output_mtok"].startswith("USD")
    assert answers["estimate_training"]["figures"]["rental_usd"] == pytest.approx(29.2e6, rel=0.01)
    columns = {r["name"]: r["unit"] for r in answers["search"]["rows"] if r["kind"] == "column"}
    assert columns["usd_per_output_mtok_median"] == "USD per million tokens"
    assert answers["query"]["has_more_rows"] and len(answers["query"]["rows"]) == 3
    assert "MLPerf v" in answers["evidence"]["citation"]
    assert "`mart_tco`" in texts["dictionary"] and "`pue`" in texts["dictionary/mart_tco"]
    assert "`tco(accelerator" in texts["methodology"]


def test_hostile_queries_are_refused_and_the_next_one_is_answered(built_home, tmp_path):
    before = (built_home / "accelmart.duckdb").stat()

    async def talk():
        async with connected(built_home) as client:
            for statement in HOSTILE:
                result = await client.call_tool("query", {"sql": statement.format(folder=tmp_path)})
                assert result.is_error, statement
                text = result.content[0].text
                assert "Traceback" not in text and "root:" not in text, statement
            # one value that DuckDB's own limit of memory does not count
            result = await client.call_tool("query", {"sql": "select repeat('x', 3000000000)"})
            assert result.is_error and "Out of Memory" in result.content[0].text, result.content[0].text
            # what was asked is not repeated at any length
            for tool, arguments in (
                ("query", {"sql": f"select 1 as {'y' * 90_000} from nowhere"}),
                ("query", {"sql": "select cast(repeat('x', 2000000) as integer)"}),
                ("evidence", {"id": "w" * 90_000}),
                ("rank", {"model": "v" * 10**6}),
            ):
                result = await client.call_tool(tool, arguments)
                assert result.is_error and len(result.content[0].text) < 1_200, tool
            named_alike = await ask(client, "query", sql="select 1 as it_power_w, 2 as it_power_w")
            assert named_alike["rows"] == [{"it_power_w": 1, "it_power_w_2": 2}]
            assert named_alike["units"] == {"it_power_w": "W", "it_power_w_2": "W"}
            for tool, arguments, words in (
                ("query", {"sql": "select 1", "limit": 10**6}, "limit"),
                ("rank", {"model": "lama3.1"}, 'no model matches "lama3.1"; near: llama3.1-'),
                (
                    "rank",
                    {"modell": "x"},
                    "there is no argument modell; model is missing. Arguments: model, ",
                ),
                ("estimate_training", {"params": "many"}, "tokens is missing"),
            ):
                result = await client.call_tool(tool, arguments)
                assert result.is_error and words in result.content[0].text, result.content[0].text
            return await ask(client, "query", sql="select count(*) as n from mart_tco")

    assert asyncio.run(talk())["rows"][0]["n"] > 50
    assert list(tmp_path.iterdir()) == [], "nothing was written"
    after = (built_home / "accelmart.duckdb").stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)


def test_an_empty_text_is_an_argument_that_is_not_given(built_home):
    """As clients fill forms; an argument that a tool needs is still missed."""
    asked = {
        "rank": ({"model": "deepseek-r1"}, {"region": "", "provider": " ", "limit": ""}),
        "choose": ({"model": "405b", "tokens_per_day": 1e8, "budget": 1e6}, {"region": "", "max_ttft_ms": "", "as_of": "null"}),
        "estimate_ownership": ({"accelerator": "H100", "gpus": 8, "months": 12}, {"price_each": "", "interest_pct": "", "details": ""}),
        "power_budget": ({"model": "deepseek-r1", "megawatts": 5}, {"machines": "", "owner": ""}),
    }  # fmt: skip

    async def talk():
        async with connected(built_home) as client:
            for tool, (needed, empty) in asked.items():
                assert await ask(client, tool, **needed, **empty) == await ask(client, tool, **needed), tool
            return await client.call_tool("rank", {"model": "", "region": ""})

    refused = asyncio.run(talk())
    assert refused.is_error and 'no model matches ""' in refused.content[0].text


def test_over_http_it_listens_here_alone(built_home):
    async def talk(url):
        async with Client(url) as client:
            return await ask(client, "compare", a="B200", b="H100")

    with served(built_home) as url:
        assert asyncio.run(talk(url))["rows"]
        # a page in a browser that was led here under another name is refused
        for header in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            request = urllib.request.Request(
                url, b"{}", {"Content-Type": "application/json", "Accept": "*/*", **header}
            )
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=10)
            assert refused.value.code in (403, 421)


# one step of DuckDB that no interrupt reaches, and a join that takes long
SLOW = [
    "select levenshtein(repeat('a', 200000), repeat('b', 200000))",
    "select count(*) from range(1000000) as a, range(100000000) as b where a.range = b.range * 3 + 1",
]


# a sort of 12 GB of text, which DuckDB would write to the disk beside the file
SPILLING = """
    select sum(length(s) * (n % 7)) from (
        select s, row_number() over (order by h) as n
        from (select hash(i) as h, i::varchar || repeat(chr(97 + (i % 26)::int), 100) as s from range(100000000) as t(i))
    )
"""


def served_for(seconds, home, folder):
    """A server behind standard input and output whose answers take at most so long; its files go to a folder."""
    script = folder / "serve.py"
    script.write_text(
        "from accelmart.agents.access import Limits\nfrom accelmart.agents.server import server\n"
        f"if __name__ == '__main__':\n    server({str(home)!r}, Limits(seconds={seconds}, memory_mb=100)).run('stdio')\n"
    )
    temporary = folder / "temporary"
    temporary.mkdir()
    return StdioServerParameters(
        command=sys.executable,
        args=[str(script)],
        env={**os.environ, "TMPDIR": str(temporary)},
        cwd=temporary,
    )


def processes_of(folder):
    """Ids of the processes that a server of `served_for` and its questions run in."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"TMPDIR={folder / 'temporary'}".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def none_is_left(folder):
    """Whether all of them end within ten seconds."""
    for _ in range(100):
        if not processes_of(folder):
            return True
        time.sleep(0.1)
    return False


async def refusal(client, statement):
    """Seconds that a question was refused after, and why."""
    started = time.monotonic()
    result = await client.call_tool("query", {"sql": statement})
    assert result.is_error, result.content[0].text
    return time.monotonic() - started, result.content[0].text


def test_what_takes_long_is_stopped_and_the_next_question_is_answered(built_home, tmp_path):
    async def talk():
        async with Client(served_for(3, built_home, tmp_path)) as client:
            refusals = await asyncio.gather(*(refusal(client, s) for s in SLOW for _ in range(50)))
            return refusals, await ask(client, "query", sql="select 1 as one")

    refusals, answer = asyncio.run(talk())
    assert answer["rows"] == [{"one": 1}]
    assert max(seconds for seconds, _ in refusals) < 5, (
        "two seconds more for what 100 questions take by themselves"
    )
    assert all("no answer within 3 s" in why for _, why in refusals)
    # a running question gets "ask for less", a waiting one "try again"
    assert sum("busy: 4 questions are answered at once" in why for _, why in refusals) > 80
    assert none_is_left(tmp_path)


@pytest.mark.parametrize("n", [1, 4])
def test_a_question_that_needs_too_much_memory_writes_nothing_and_gets_an_error(copied_home, tmp_path, n):
    def files():
        return {
            p: p.stat().st_size for root in (copied_home, tmp_path) for p in root.rglob("*") if p.is_file()
        }

    async def talk():
        async with Client(served_for(30, copied_home, tmp_path)) as client:
            before, seen = files(), []
            asked = asyncio.gather(*(refusal(client, SPILLING) for _ in range(n)))
            while not asked.done():
                seen.append(files())
                await asyncio.sleep(0.02)
            return before, seen, await asked

    before, seen, refusals = asyncio.run(talk())
    assert all("needs too much memory: Out of Memory" in why and "\n" not in why for _, why in refusals)
    assert len(seen) > n and all(now == before for now in [*seen, files()])


def test_a_question_ends_with_the_server_that_nobody_could_stop(built_home, tmp_path):
    parameters = served_for(4, built_home, tmp_path)

    async def talk():
        async with Client(parameters) as client:
            asked = asyncio.create_task(refusal(client, SLOW[0]))
            for _ in range(200):
                if len(found := processes_of(tmp_path)) == 2:
                    break
                await asyncio.sleep(0.05)
            await asyncio.sleep(2)
            os.kill(min(found), signal.SIGKILL)
            asked.cancel()

    with suppress(Exception):  # the client of a server that is gone
        asyncio.run(talk())
    assert none_is_left(tmp_path)


def test_another_generation_is_opened_when_it_is_published(tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    for generation_id in (FIRST, SECOND):
        new = folder / "new.duckdb"
        with duckdb.connect(str(new)) as db:
            db.execute(
                "create table ops_generation as select ? as generation_id, now() as built_at", [generation_id]
            )
            db.execute("create macro newest_price_day() as date '2026-01-01'")
        new.replace(folder / "accelmart.duckdb")
        if generation_id == FIRST:
            tools = Tools(Access(folder))
        assert tools.query("select 1")["generation_id"] == generation_id


def test_without_the_sdk_it_says_what_to_install(monkeypatch, built_home, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(CommandFailedError, match=r"pip install 'accelmart\[mcp\]'"):
        server(None)
