"""Discovery against a server that behaves like GitHub, and against one that does not."""

import dataclasses
import time

import pytest
import replay_server as replay
from github import HOST, GitHub
from urllib3.util import Retry

from accelmart.http import HttpClient
from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.mlperf.discovery import Head, RateLimited, State, discover

A, B, C = "a" * 40, "b" * 40, "c" * 40


@pytest.fixture
def server():
    with replay.ReplayServer() as upstream:
        yield upstream


@pytest.fixture
def github(server):
    hub = GitHub(server)
    hub.push("inference_results_v5.1", A)
    hub.push("training_results_v5.0", B)
    hub.push("inference_results_v0.5", C)
    hub.push("inference_results_visualization_template", C)
    return hub


@pytest.fixture
def client(server):
    return HttpClient(mirror=server.url, retry=Retry(1), min_interval_seconds=0)


def look(client, found=None, token=""):
    """What is discovered, after the state of an earlier look was written and read."""
    state = State.from_json(found.state.to_json()) if found else State()
    return discover(client, state, token=token)


def test_rounds_are_found_on_every_page_and_nothing_else(client, github, server):
    found = look(client)
    assert found.heads == [
        Head("mlperf-inference", "v0.5", C),
        Head("mlperf-inference", "v5.1", A),
        Head("mlperf-training", "v5.0", B),
    ]
    assert found.is_whole and not found.problems
    # 102 repositories are two pages, and three have a head worth asking for
    assert found.requests == len(server.requests) == 5
    assert found.heads[0].key == f"inference_results_v0.5@{C}"


def test_what_has_not_changed_is_not_sent_again_and_costs_nothing(client, github, server):
    first = look(client)
    github.left = 0
    second = look(client, first)
    assert second.heads == first.heads
    # two pages, no head: nothing was pushed to
    assert (second.requests, second.unchanged) == (2, 2)
    assert second.state == first.state


def test_only_what_was_pushed_to_is_asked_and_a_push_to_a_branch_is_no_news(client, github, server):
    first = look(client)
    github.push("inference_results_v5.1", B)
    github.push("training_results_v5.0", B)  # to some other branch: the head stays
    second = look(client, first)
    assert {h.key for h in second.heads} - {h.key for h in first.heads} == {f"inference_results_v5.1@{B}"}
    asked = [a.path for a in server.asked(HOST, "/repos/")][3:]
    assert sorted(asked) == [
        "/repos/mlcommons/inference_results_v5.1/commits/main",
        "/repos/mlcommons/training_results_v5.0/commits/main",
    ]
    assert second.state.first["inference_results_v5.1"] == A
    # a commit that was known stays when the new one cannot be read
    github.push("training_results_v5.0", C)
    server.fault(HOST, "/repos/mlcommons/training_results_v5.0", replay.server_error())
    broken = look(client, second)
    assert broken.heads == second.heads and broken.problems
    server.heal()
    assert Head("mlperf-training", "v5.0", C) in look(client, broken).heads


def test_the_token_goes_to_github_and_into_no_state(client, github, server):
    token = "github_pat_0123456789"
    found = look(client, token=token)
    assert {a.headers.get("authorization") for a in server.requests} == {f"Bearer {token}"}
    assert token not in found.state.to_json()
    look(client)
    assert server.requests[-1].headers.get("authorization") is None


def test_a_used_up_limit_says_until_when_and_nothing_is_lost(client, github, server):
    github.left = 3  # the list and one head
    with pytest.raises(RateLimited, match=r"until 20\d\d-.* UTC; set GITHUB_TOKEN") as limited:
        look(client)
    assert limited.value.until == github.reset_at
    asked = len(server.requests)
    with pytest.raises(RateLimited):
        discover(client, State(not_before=limited.value.until))
    assert len(server.requests) == asked  # not before that time
    github.left = 60
    assert len(discover(client, State(not_before=time.time() - 1)).heads) == 3
    github.left = 0
    with pytest.raises(RateLimited, match="nothing is to be done"):
        look(client, token="github_pat_0123456789")


@pytest.mark.parametrize("answered", [2, 3, 4])  # the list alone, and one or two heads
def test_a_look_that_meets_the_limit_is_gone_on_with(client, github, server, answered):
    github.left = answered
    with pytest.raises(RateLimited) as limited:
        look(client)
    kept = State.from_json(limited.value.state.to_json())
    assert len(kept.heads) == answered - 2 and kept.not_before == github.reset_at
    github.left = 5 - answered  # the heads that are left; an unchanged list is free here
    found = discover(client, dataclasses.replace(kept, not_before=0))
    assert len(found.heads) == 3 and found.is_whole and github.left == 0


def test_what_is_pushed_between_a_limit_and_the_next_look_is_news(client, github, server):
    """The first sight of a round is the commit that was found before the limit."""
    github.left = 3
    with pytest.raises(RateLimited) as limited:
        look(client)
    ((repository, (_, commit)),) = limited.value.state.heads.items()
    github.left = 60
    github.push(repository, "d" * 40)
    found = discover(client, dataclasses.replace(limited.value.state, not_before=0))
    assert found.state.first[repository] == commit != found.state.heads[repository][1] == "d" * 40


def test_a_secondary_limit_is_waited_for_as_long_as_it_says(client, github, server):
    reply = replay.Reply(b"secondary", 403, headers={"Retry-After": "0"}, etag="")
    server.fault(HOST, "/", replay.altered(lambda asked, _: reply))
    with pytest.raises(RateLimited) as limited:
        look(client)
    assert abs(limited.value.until - time.time()) < 60


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (replay.changed_layout(), PayloadRejected),
        (replay.server_error(), FetchFailed),
        # a plain refusal is no rate limit
        (replay.refusal(403), FetchFailed),
    ],
)
def test_trouble_at_the_list_is_an_error(client, github, server, fault, error):
    server.fault(HOST, "/orgs/", fault)
    with pytest.raises(error):
        look(client)


@pytest.mark.parametrize("fault", [replay.server_error(), replay.not_json()], ids=["500", "no-commit"])
def test_trouble_at_one_repository_holds_up_no_other(client, github, server, fault):
    server.fault(HOST, "/repos/mlcommons/training_results_v5.0", fault)
    found = look(client)
    assert [h.release for h in found.heads] == ["v0.5", "v5.1"]
    assert list(found.problems) == ["training_results_v5.0"]
    server.heal()
    mended = look(client, found)
    assert Head("mlperf-training", "v5.0", B) in mended.heads and not mended.problems
    assert mended.requests == 3  # two pages, and what was still missing


def test_what_there_was_no_time_for_is_found_the_next_time(client, github):
    found = discover(client, State(), budget_seconds=-1)
    assert found.heads == [] and not found.is_whole
    assert len(look(client, found).heads) == 3


def test_an_empty_repository_is_waited_for(client, github, server):
    def unpushed(asked, reply):
        return replay.Reply(reply.body.replace(b'"2026-11-01T00:00:01Z"', b"null"), etag="")

    server.fault(HOST, "/orgs/", replay.altered(unpushed))
    assert look(client).heads == []
    server.heal()
    assert len(look(client).heads) == 3


def test_a_cursor_of_another_version_is_begun_anew():
    assert State.from_json('{"version": 0}') == State() == State.from_json("") == State.from_json(None)
