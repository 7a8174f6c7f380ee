"""Fetch plans carried out over real sockets, against upstreams that behave and upstreams that do not."""

from __future__ import annotations

import gzip
import io
import json
import logging
import random
import tarfile
import tracemalloc
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import replay_server as replay
from made import fetch_one, make_offer, make_source
from replay_server import ReplayServer, Reply, as_json, page
from urllib3.util import Retry

from accelmart.http import HttpClient
from ingest.core.errors import FetchFailed, LayoutChanged, PayloadRejected
from ingest.core.fetch import fetch_payload
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.landing import Landing
from ingest.core.payloads import members_of
from ingest.core.records import Parsed
from ingest.core.source import Source, plan_of
from ingest.prices.offers import PriceOffer, settled

LIST = "https://api.cloud.test/v1/offers"
PAGE = "https://www.cloud.test/pricing"
RETRY = Retry(3, retry_after_max=0)
KEY = "sk-live/9f8e7d6c+5b4a"


def offers(*prices: float, **more) -> Reply:
    return as_json({"offers": [{"type": f"gpu{i}", "price": p} for i, p in enumerate(prices)], **more})


def parse_offers(members, *, key):
    parsed = Parsed(remedy="ask")
    for member, file in members:
        found = json.load(file)
        if "offers" not in found:
            raise PayloadRejected(payload=member, problem="it has no offers", remedy="look")
        for i, offer in enumerate(found["offers"]):
            parsed.read()
            if offer["price"]:
                parsed.add(offer_row(f"{member}{offer['type']}", offer["price"], member, f"[{i}]"))
            else:
                parsed.reject(f"[{i}]", "it is free", payload=member)
    return settled(parsed, key)


def parse_page(members, *, key):
    ((member, file),) = members
    found = file.read().decode().partition("<b>GPU</b> $")[2].partition("<")[0]
    if not found:
        raise LayoutChanged(url=PAGE, expected="a price behind a bold GPU")
    return Parsed([offer_row("gpu", float(found), member, "only")], records_in=1)


def read_through(members, *, key):
    """A parser of any bytes: one row a member."""
    rows = [offer_row(f"of {len(file.read())} bytes", 1.0, member, "all") for member, file in members]
    return Parsed(rows, records_in=len(rows))


def offer_row(name, price, member, record) -> PriceOffer:
    return make_offer(
        price, source="cloud", instance_type=name, source_url=PAGE, member=member, record=record
    )


def source(**change) -> Source:
    given = {
        "name": "cloud",
        "title": "Cloud",
        "home_url": PAGE,
        "parse": parse_offers,
        "limit_bytes": 100_000,
    }
    return make_source(**(given | change))


def next_page(request: Request, body: bytes) -> Request | None:
    link = json.loads(body).get("next")
    number = int(request.member.removeprefix("page")) + 1
    return replace(request, url=link, member=f"page{number}") if link else None


SINGLE = Fetch(key="all", first=Request(url=LIST))
CHAIN = Fetch(key="all", first=Request(url=LIST, member="page1"), follow=next_page, max_requests=5)
A_PAGE = Fetch(key="page", first=Request(url=PAGE))


def paged(pages: int, endless: bool = False):
    """Offers on so many pages; each leads to the next by its number in the query."""

    def answer(asked):
        number = int(asked.query.get("page", "1"))
        more = {"next": f"{LIST}?page={number + 1}"} if endless or number < pages else {}
        return offers(number + 0.5, **more)

    return answer


@pytest.fixture
def upstream(upstream) -> ReplayServer:
    upstream.on(LIST, offers(1.5, 2.5))
    upstream.on(PAGE, page("<html><title>Prices</title><b>GPU</b> $3.25</html>"))
    return upstream


@pytest.fixture
def client(upstream) -> HttpClient:
    return client_of(upstream)


def client_of(upstream, retry=RETRY, **change) -> HttpClient:
    return HttpClient(mirror=upstream.url, retry=retry, min_interval_seconds=0, **change)


def content(landing, of, payload) -> dict[str, bytes]:
    with members_of(landing, of, payload) as members:
        return {name: file.read() for name, file in members}


def test_a_post_is_never_conditional(upstream, landing, client):
    upstream.on(LIST, lambda asked: offers(len(asked.json["query"])))
    post = Fetch(key="all", first=Request(url=LIST, json={"query": "12345"}), content_type="text/x-offers")
    landed = [fetch_one(landing, source(), post, client) for _ in range(2)]
    assert [p.outcome for p in landed] == ["landed", "unchanged"]
    assert landed[0].etag and landed[0].content_type == "text/x-offers"
    assert [(a.method, a.headers.get("if-none-match")) for a in upstream.requests] == [("POST", None)] * 2
    assert content(landing, source(), landed[0]) == {"": offers(5).body}


def test_a_chain_is_one_tar_of_its_answers(upstream, landing, client):
    upstream.on(LIST, paged(3))
    first, (part,) = fetch_payload(landing, source(), CHAIN, client)
    assert [a.url for a in upstream.requests] == [LIST, f"{LIST}?page=2", f"{LIST}?page=3"]
    assert (first.content_type, first.url) == ("application/x-tar", LIST)
    with tarfile.open(fileobj=io.BytesIO(landing.read(first))) as archive:
        assert archive.getnames() == ["page1", "page2", "page3"]
    found = content(landing, source(), first)
    assert [json.loads(body)["offers"][0]["price"] for body in found.values()] == [1.5, 2.5, 3.5]
    rows = part.parsed.rows
    assert [(row.member, row.price) for row in rows] == [("page1", 1.5), ("page2", 2.5), ("page3", 3.5)]
    assert fetch_one(landing, source(), CHAIN, client).outcome == "unchanged"


def test_a_chain_of_posts_may_ask_one_url_for_different_things(upstream, landing, client):
    upstream.on(LIST, lambda asked: offers(1.0 + asked.json["page"]))

    def follow(request, body):
        return replace(request, json={"page": 2}) if request.json["page"] == 1 else None

    fetch = Fetch(key="all", first=Request(url=LIST, json={"page": 1}), follow=follow, max_requests=2)
    found = content(landing, source(), fetch_one(landing, source(), fetch, client))
    assert list(found) == ["0001", "0002"] and len(set(found.values())) == 2


def test_robots_are_asked_before_a_page_and_not_before_data(upstream, landing, client):
    of = source(parse=parse_page, is_page=True)
    assert fetch_one(landing, source(), SINGLE, client).outcome == "landed"
    assert fetch_one(landing, of, A_PAGE, client).outcome == "landed"
    assert [a.path for a in upstream.requests] == ["/v1/offers", "/robots.txt", "/pricing"]
    upstream.on("https://www.cloud.test/robots.txt", Reply(b"User-agent: *\nAllow: /\nDisallow: /pri"))
    with pytest.raises(FetchFailed, match=r"robots\.txt does not allow accelmart"):
        fetch_one(landing, of, A_PAGE, client_of(upstream))
    assert [a.path for a in upstream.requests[3:]] == ["/robots.txt"] and len(landing.history()) == 2


def test_a_long_chain_is_not_held_in_memory(upstream, landing, client):
    noise = [random.Random(number).randbytes(1 << 20) for number in range(16)]

    def follow(request, body):
        number = int(request.member) + 1
        return Request(url=f"{LIST}?{number}", member=f"{number:02d}") if number < len(noise) else None

    upstream.on(LIST, lambda asked: Reply(noise[int(asked.url.partition("?")[2])]))
    fetch = Fetch(key="all", first=Request(url=f"{LIST}?0", member="00"), follow=follow, max_requests=16)
    tracemalloc.start()
    kept = fetch_one(landing, source(parse=read_through, limit_bytes=1 << 25), fetch, client)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20 < kept.bytes
    with members_of(landing, source(limit_bytes=1 << 25), kept) as members:
        assert [file.read() for _, file in members] == noise


def test_passing_trouble_within_a_chain_is_sat_out(upstream, landing, client):
    upstream.on(LIST, paged(3))
    upstream.fault("api.cloud.test", "/v1", replay.server_error(503).for_first(2).after(1))
    payload = fetch_one(landing, source(), CHAIN, client)
    assert [a.query.get("page") for a in upstream.requests] == [None, "2", "2", "2", "3"]
    assert list(content(landing, source(), payload)) == ["page1", "page2", "page3"]


LASTING = {
    "503": replay.server_error(503),
    "reset": replay.reset_mid_body(),
    "redirects": replay.redirect_loop(),
    "refused": replay.refusal(403),
}


@pytest.mark.parametrize("name", LASTING)
def test_a_chain_that_fails_in_the_middle_stores_nothing(upstream, landing, client, tmp_path, name):
    upstream.on(LIST, paged(3))
    upstream.fault("api.cloud.test", "/v1", LASTING[name].after(1))
    with pytest.raises(FetchFailed, match=r"https://api\.cloud\.test/v1/offers\?page=2: .*\. To fix: "):
        fetch_one(landing, source(), CHAIN, client)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_paging_that_always_has_more_is_refused(upstream, landing, client):
    upstream.on(LIST, paged(5))
    good = fetch_one(landing, source(), CHAIN, client)
    upstream.on(LIST, paged(3, endless=True))
    with pytest.raises(FetchFailed, match=r"\?page=6: its paging does not end: after 5 requests"):
        fetch_one(landing, source(), CHAIN, client)
    assert len(upstream.requests) == 10 and landing.history() == [good]


def kept_bytes(message: str, landing: Landing) -> bytes:
    """What the message's address leads to."""
    (payload,) = landing.quarantined()
    address = landing.address(payload)
    assert address in message
    return gzip.decompress(Path(address).read_bytes())


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        (replay.html_instead(), 'an HTML page titled "Please log in" in place of'),
        (replay.changed_layout(), "it has no offers"),
        (replay.altered(lambda asked, reply: offers()), "not one row is in it: 0 records, 0 rejected"),
        (
            replay.altered(lambda asked, reply: offers(0)),
            "not one row is in it: 1 records, 1 rejected, the first at [0] (it is free)",
        ),
        (replay.altered(lambda asked, reply: as_json({"offers": [{"type": "x"}]})), "KeyError: 'price'"),
        (replay.altered(lambda asked, reply: offers(*[1.0] * 9000)), "larger than its limit of 100000 bytes"),
    ],
    ids=["html", "layout", "no-rows", "free", "key-error", "too-large"],
)
@pytest.mark.parametrize("fetch", [SINGLE, CHAIN], ids=["single", "chain"])
def test_what_is_wrong_is_quarantined_and_reported_with_its_place(
    upstream, landing, client, fetch, fault, problem
):
    good = fetch_one(landing, source(), fetch, client)
    upstream.fault("api.cloud.test", "/v1", fault)
    with pytest.raises(PayloadRejected) as rejected:
        fetch_one(landing, source(), fetch, client)
    message = str(rejected.value)
    assert not isinstance(rejected.value, LayoutChanged)
    assert f"cloud all from {LIST}: " in message and message.count("To fix: ") == 1
    if fetch is CHAIN and "larger" in problem:
        problem = "the answers are larger than their limit of 100000 bytes"
    assert problem in message
    kept_bytes(message, landing)
    assert landing.latest("cloud", "all") == good
    upstream.heal()
    assert fetch_one(landing, source(), fetch, client).outcome == "unchanged"


def test_half_a_chain_is_kept_to_look_at_when_an_answer_is_none(upstream, landing, client):
    upstream.on(LIST, paged(3))
    upstream.fault("api.cloud.test", "/v1", replay.html_instead().after(1))
    with pytest.raises(PayloadRejected, match="Please log in") as rejected:
        fetch_one(landing, source(), CHAIN, client)
    with tarfile.open(fileobj=io.BytesIO(kept_bytes(str(rejected.value), landing))) as archive:
        assert archive.getnames() == ["page1", "page2"]


def test_a_changed_layout_is_reported_with_url_expectation_and_saved_page(upstream, landing, client):
    of = source(parse=parse_page, is_page=True)
    good = fetch_one(landing, of, A_PAGE, client)
    upstream.fault("www.cloud.test", "/pricing", replay.changed_layout())
    with pytest.raises(LayoutChanged) as changed:
        fetch_one(landing, of, A_PAGE, client)
    assert (changed.value.url, changed.value.expected) == (PAGE, "a price behind a bold GPU")
    assert b"A fresh new look" in gzip.decompress(Path(changed.value.saved).read_bytes())
    assert changed.value.saved in str(changed.value)
    assert landing.latest("cloud", "page") == good


def test_a_source_may_have_no_rows_where_it_has_records(upstream, landing, client):
    of = source(may_have_no_rows=True)
    upstream.on(LIST, offers(0))
    assert fetch_one(landing, of, SINGLE, client).outcome == "landed"
    upstream.on(LIST, offers())
    with pytest.raises(PayloadRejected, match="not one row is in it: 0 records"):
        fetch_one(landing, of, SINGLE, client)


def test_xml_and_binary_answers_are_no_html(upstream, landing, client):
    for body in (b'<?xml version="1.0"?><rates/>', b"PK\x03\x04\0\0", b"\xef\xbb\xbf<rates/>"):
        upstream.on(LIST, Reply(body, content_type="x/y"))
        assert fetch_one(landing, source(parse=read_through), SINGLE, client).outcome == "landed"


FORMS = (KEY.encode(), b"sk-live%2F9f8e7d6c%2B5b4a", b"sk-live\\/9f8e7d6c", b"9f8e7d6c", b"5b4a")


def everything_kept(folder: Path) -> bytes:
    """Every byte below a folder, names included, compressed objects as they are and unpacked."""
    parts = []
    for path in folder.rglob("*"):
        parts.append(str(path.relative_to(folder)).encode())
        if path.is_file():
            raw = path.read_bytes()
            parts.append(raw)
            if path.suffix == ".gz":
                parts.append(gzip.decompress(raw))
    return b"\0".join(parts)


@pytest.mark.parametrize("json_body", [None, {"query": "all"}], ids=["get", "post"])
@pytest.mark.parametrize("is_chain", [False, True], ids=["single", "chain"])
def test_keys_are_never_kept_or_printed(upstream, landing, tmp_path, caplog, capfd, json_body, is_chain):
    caplog.set_level(logging.DEBUG)
    headers = {"Authorization": f"Bearer {KEY}"}
    first = Request(url=LIST, json=json_body, headers=headers, member="page1")
    fetch = replace(CHAIN if is_chain else SINGLE, first=first)
    client = client_of(upstream, retry=Retry(1), total_timeout_seconds=2)
    outputs = [repr(first), repr(fetch)]

    def login(asked: replay.Asked, _: Reply) -> Reply:
        quoted = asked.url.replace("?", "%3F").replace("=", "%3D")
        location = f"/v1/offers/login?next={quoted}&hop={len(upstream.requests)}"
        return Reply(b"", 302, "text/plain", {"Location": location}, etag="")

    faults = {
        None: "landed",
        **dict.fromkeys((replay.refusal(401), replay.refusal(400), replay.server_error()), "StatusRefused"),
        replay.html_instead(): "PayloadRejected",
        replay.changed_layout(): "PayloadRejected",
        replay.not_json(): "PayloadRejected",
        **dict.fromkeys((replay.redirect_loop(), replay.altered(login)), "FetchFailed"),
        **dict.fromkeys((replay.reset_mid_body(), replay.dropped(), replay.truncated_gzip()), "NoAnswer"),
    }
    upstream.on(LIST, offers(1.5))
    outcomes = []
    for fault in faults:
        upstream.heal()
        if fault:
            upstream.fault("api.cloud.test", "/v1", fault)
        try:
            outcomes.append(fetch_one(landing, source(), fetch, client).outcome)
        except (FetchFailed, PayloadRejected) as error:
            outcomes.append(type(error).__name__)
            outputs += [str(error), repr(error.args), str(vars(error))]
    with upstream.down(), pytest.raises(FetchFailed) as refused:
        fetch_one(landing, source(), fetch, client)
    outputs.append(str(refused.value))
    assert outcomes == [*faults.values()]
    assert upstream.requests[0].headers["authorization"] == headers["Authorization"]
    kept = everything_kept(tmp_path) + "".join([*outputs, caplog.text, *capfd.readouterr()]).encode()
    assert [form for form in FORMS if form in kept] == []


def test_a_plan_waits_for_its_keys():
    def plan(environment):
        return [Fetch(key="all", first=Request(url=LIST, headers={"X-Api-Key": environment["CLOUD_KEY"]}))]

    of = source(plan=plan, needs=("CLOUD_KEY", "CLOUD_USER"))
    for environment in ({}, {"CLOUD_KEY": " "}, {"CLOUD_KEY": "k", "CLOUD_USER": ""}):
        fetches, reason = plan_of(of, environment)
        assert fetches == [] and "set CLOUD_" in reason
    fetches, reason = plan_of(of, {"CLOUD_KEY": "k\n", "CLOUD_USER": "u"})
    assert (fetches[0].first.headers, reason) == ({"X-Api-Key": "k"}, None)
    assert plan_of(source(), {})[0] == []


def test_the_query_reaches_the_upstream_as_planned(upstream, landing, client):
    asked = f"{LIST}?$filter=serviceName eq 'VM' and contains(name, 'H100')&q=%7B%22a%22%3A1%7D"
    fetch_one(landing, source(), replace(SINGLE, first=Request(url=asked)), client)
    assert upstream.requests[0].query == dict(parse_qsl(urlsplit(asked).query))
