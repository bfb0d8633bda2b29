"""The faulty server itself: what it answers, what it notes, how it limits."""

import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.faulty import FaultyServer
from tests.live.server.app import FAULTS
from tests.live.server.bucket import Bucket
from tests.live.server.journal import IN_FLIGHT
from tests.live.server.pace import Pace
from tests.live.server.reply import answer_to, tokens_of
from tests.live.wire import PROMPT, ask, body_for, connected, headers_for, said
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
EVERY_WAY = [(protocol, stream) for protocol in ("openai", "anthropic") for stream in (False, True)]
CATALOGUE = """
1 http_429_after http_429_ms http_429_date
2 http_429
3 http_429_huge
4 http_429_bad
5 http_429_quota http_402
6 http_500 http_502_html http_503 http_503_after http_504 http_529 http_408
7 http_400 http_404 http_422 http_413
8 http_400_context
9 http_400_filter finish_filter refusal sse_filter_mid
10 http_401 http_403
11 http_302_loop http_307_metadata
12 http_200_error http_200_html http_200_empty http_204
13 reset_at_once close_no_reply garbage_http
14 reset_after_headers truncated_body bad_chunking gzip_truncated
15 hang hang_after_headers
16 slow_body slow_ok sse_slow
17 stale_keepalive
18 gzip_bomb huge_body sse_huge_line sse_endless
19 malformed_json json_trailing json_dupkeys json_deep invalid_utf8
20 json_bom extra_fields json_nan
21 empty_completion null_content whitespace
22 missing_choices empty_choices choice_no_message
23 content_parts two_choices
24 missing_usage zero_usage negative_usage huge_usage float_usage string_usage wrong_usage
25 wrong_model same_id
26 finish_length reasoning_only
27 finish_unknown tool_call
28 nul lone_surrogate bidi crlf ansi
29 xss csv_formula inject_judge
30 sse_truncated sse_reset sse_no_finish
31 sse_no_done
32 sse_hang
33 sse_error_event
34 sse_bad_chunk
35 sse_dup_chunks
36 sse_usage_twice sse_usage_growing sse_usage_none
37 sse_split_utf8 bytewise sse_crlf sse_comments sse_multiline sse_empty_choices
38 sse_after_done
39 sse_json_instead
"""


def test_every_fault_of_the_catalogue_can_be_asked_for():
    rows = [line.split() for line in CATALOGUE.strip().splitlines()]
    named = {name: int(row) for row, *names in rows for name in names}
    assert named.items() <= {name: fault.row for name, fault in FAULTS.items()}.items()


@pytest.mark.parametrize(("protocol", "stream"), EVERY_WAY)
def test_without_a_fault_the_answer_is_right_and_its_tokens_are_known(server, protocol, stream):
    reply = ask(server, "plain", protocol=protocol, stream=stream)
    told = said(reply, protocol=protocol)
    assert (reply.status, told.text, told.model, told.is_ended) == (200, "42", "plain", True)
    assert told.finish == ("end_turn" if protocol == "anthropic" else "stop")
    given, made = tokens_of(PROMPT, "42")
    assert told.usage is not None
    assert {given, made} <= set(told.usage.values())


def test_a_prompt_without_a_sum_has_an_answer_of_its_own():
    assert answer_to("Why?") == answer_to("Why?") != answer_to("Who?")


def test_usage_is_streamed_only_when_it_is_asked_for(server):
    asked = {**json.loads(body_for("plain", stream=True)), "stream_options": None}
    connection = connected(server)
    connection.request("POST", "/v1/chat/completions", json.dumps(asked), headers_for("openai"))
    assert b'"usage": {' not in connection.getresponse().read()
    connection.close()


def test_a_fault_may_end_after_so_many_requests_for_each_case(server, key):
    model = "fault:http_500:2"
    statuses = [
        ask(server, model, key=key, prompt=f"[{case}] 40 + 2?").status
        for case in ("a", "a", "b", "a", "b", "b")
    ]
    assert statuses == [500, 500, 500, 200, 500, 200]


def test_a_fault_of_streams_is_none_without_one(server):
    assert said(ask(server, "fault:sse_bad_chunk"), protocol="openai").text == "42"


@pytest.mark.parametrize("model", ["fault:no_such", "fault:two_choices"])
def test_a_fault_that_does_not_exist_is_told_apart_from_all_others(server, model):
    assert ask(server, model, protocol="anthropic").status == 418


@pytest.mark.parametrize(
    ("protocol", "change", "status"),
    [
        ("openai", {"Authorization": ""}, 401),
        ("anthropic", {"x-api-key": ""}, 401),
        ("anthropic", {"anthropic-version": ""}, 400),
        ("openai", {"Content-Type": "text/plain"}, 400),
    ],
)
def test_a_request_against_the_protocol_is_refused(server, protocol, change, status):
    path = "/v1/messages" if protocol == "anthropic" else "/v1/chat/completions"
    connection = connected(server)
    connection.request("POST", path, body_for("plain"), headers_for(protocol) | change)
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_models_are_listed_in_the_words_of_the_protocol(server, protocol):
    connection = connected(server)
    connection.request("GET", "/v1/models", headers=headers_for(protocol))
    listed = json.loads(connection.getresponse().read())
    connection.close()
    assert [model["id"] for model in listed["data"]] == ["plain-large", "plain-small"]
    assert ("has_more" in listed) == (protocol == "anthropic")


def test_the_journal_says_who_asked_what_and_how_it_ended(server, key):
    ask(server, "plain", key=key, prompt="[c7] 20 + 3?", stream=True)
    [entry] = server.settled(key=key)
    assert (entry.model, entry.case, entry.fault, entry.ordinal) == ("plain", "c7", "", 1)
    assert (entry.end, entry.status, entry.is_streamed) == ("answered", 200, True)
    assert (entry.given_tokens, entry.made_tokens) == tokens_of("[c7] 20 + 3?", "23")
    assert entry.ended_s is not None
    assert entry.ended_s >= entry.at_s


def test_the_journal_holds_no_key(server, key):
    ask(server, "plain", key=key)
    connection = connected(server)
    connection.request("GET", "/_log")
    log = connection.getresponse().read().decode()
    connection.close()
    assert key not in log
    assert server.journal.entries(key=key)[0].key in log


def test_a_failure_is_not_billed(server, key):
    for model in ("fault:http_500", "fault:http_200_error"):
        ask(server, model, key=key)
    ask(server, "fault:sse_error_event", key=key, stream=True)
    assert {entry.made_tokens for entry in server.settled(key=key)} == {None}


class Hands:
    """A clock that stands still until somebody sets it."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def __call__(self) -> float:
        return self.at_s


def test_a_retry_before_the_promised_time_is_noted_as_early(key):
    clock = Hands()
    with FaultyServer(clock=clock) as server:
        ask(server, "fault:http_429_ms", key=key)
        clock.at_s = 0.19
        ask(server, "fault:http_429_ms", key=key)
        clock.at_s = 0.39
        ask(server, "fault:http_429_ms", key=key)
        entries = server.settled(key=key)
    assert [entry.is_early_retry for entry in entries] == [False, True, False]
    assert [entry.promised_s for entry in entries] == [0.2, 0.2, 0.2]


def test_another_question_of_the_same_key_is_early_when_it_was_not_in_flight(key):
    other = f"{key}-of-another"  # nobody told it to wait
    with FaultyServer(clock=Hands()) as server:
        ask(server, "fault:http_429_ms", key=key, prompt="[a] 1 + 1?")
        for number in range(IN_FLIGHT):
            ask(server, "plain", key=key, prompt=f"[b{number}] 1 + 1?")
        ask(server, "plain", key=key, prompt="[c] 1 + 1?")
        ask(server, "plain", key=other, prompt="[d] 1 + 1?")
        early = [entry.case for entry in server.settled() if entry.is_early]
    assert early == ["c"]


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate():
    bucket = Bucket(rate=20.0, burst=20.0)
    assert [bucket.take(5.0) for _ in range(20)] == [0.0] * 20
    assert bucket.take(5.0) == pytest.approx(0.05)
    assert bucket.take(5.05) == pytest.approx(0.0)
    assert sum(bucket.take(5.05 + n / 100) == 0.0 for n in range(1, 101)) == 20


@pytest.mark.parametrize("header", ["retry-after-ms", "retry-after"])
def test_a_rate_limit_holds_for_each_key_and_says_how_long_to_wait(header):
    clock = Hands()
    with FaultyServer(Pace(rate=20.0, burst=3.0, rate_header=header), clock=clock) as server:
        replies = [ask(server, "plain", key="first") for _ in range(4)]
        assert [reply.status for reply in replies] == [200, 200, 200, 429]
        assert ask(server, "plain", key="second").status == 200
        unit = 1000 if header == "retry-after-ms" else 1
        wait_s = int(replies[-1].headers[header]) / unit
        clock.at_s += wait_s
        assert ask(server, "plain", key="first").status == 200
        assert not any(entry.is_early_retry for entry in server.settled())


def test_a_redirect_to_another_server_names_it_and_carries_nothing_by_itself(key):
    with FaultyServer() as other:
        elsewhere = f"{other.url}/v1/chat/completions"
        with FaultyServer(Pace(elsewhere=elsewhere)) as server:
            reply = ask(server, "fault:http_redirect_other", key=key)
        assert (reply.status, reply.headers["Location"]) == (307, elsewhere)
        assert other.journal.entries() == []
        ask(other, "plain", key=key)  # what a client that follows would do
        assert other.settled(key=key)[0].status == 200


@pytest.mark.parametrize("fault", ["http_400_echo", "http_401_echo", "http_500_echo"])
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_an_echo_repeats_the_key_in_body_and_header(server, key, fault, protocol):
    reply = ask(server, f"fault:{fault}", key=key, protocol=protocol)
    assert key.encode() in reply.body
    assert reply.headers["x-request-key"] == key


def test_many_requests_are_served_at_the_same_time():
    with FaultyServer(Pace(latency_s=600.0)) as server:
        connections = [connected(server) for _ in range(50)]
        for connection in connections:
            connection.request(
                "POST", "/v1/chat/completions", body_for("plain"), headers_for("openai")
            )
        until(lambda: len(server.journal.entries(model="plain")) == 50, 120)
        assert {entry.end for entry in server.journal.entries()} == {"open"}
        for connection in connections:
            connection.close()


def test_as_a_program_it_says_where_it_listens():
    words = [sys.executable, "-m", "tests.live.faulty"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().removeprefix("ready http://").strip()
            connection = http.client.HTTPConnection(url, timeout=120)
            connection.request("POST", "/v1/messages", body_for("plain"), headers_for("anthropic"))
            assert connection.getresponse().read().startswith(b'{"id": "msg_')
            connection.request("GET", "/_log")
            assert json.loads(connection.getresponse().read())[0]["model"] == "plain"
            connection.close()
        finally:
            process.kill()


def test_a_server_that_ends_lets_nobody_hang():
    with FaultyServer(Pace(hang_s=3600.0)) as server:  # which fails where it does not end
        connection = connected(server)
        connection.request(
            "POST", "/v1/chat/completions", body_for("fault:hang"), headers_for("openai")
        )
        until(lambda: server.journal.entries(model="fault:hang"), 120)
    with pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    connection.close()
