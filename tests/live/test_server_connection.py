"""Faults below HTTP and in the status: each does what its name says."""

import http.client
import json
import time
import zlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import pytest

from tests.live.server.pace import MIB
from tests.live.server.status_faults import HUGE_S, METADATA
from tests.live.wire import KEY, ask, connected, hear, said
from tests.waiting import until

PROTOCOLS = ["openai", "anthropic"]
STATUSES = {
    "http_429_after": 429, "http_429_ms": 429, "http_429_date": 429, "http_429": 429,
    "http_429_huge": 429, "http_429_bad": 429, "http_402": 402, "http_500": 500,
    "http_502_html": 502, "http_503": 503, "http_503_after": 503, "http_504": 504,
    "http_529": 529, "http_408": 408, "http_400": 400, "http_404": 404, "http_422": 422,
    "http_413": 413, "http_400_context": 400, "http_400_filter": 400, "http_401": 401,
    "http_403": 403, "http_302_loop": 302, "http_307_metadata": 307, "http_200_error": 200,
    "http_200_html": 200, "http_200_empty": 200, "http_204": 204,
}  # fmt: skip
NO_ERROR = {"http_502_html", "http_302_loop", "http_307_metadata", "http_200_html",
            "http_200_empty", "http_204"}  # fmt: skip


@pytest.fixture(params=PROTOCOLS)
def protocol(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def stream(request):
    return request.param


@pytest.mark.parametrize("fault", STATUSES)
def test_a_status_comes_with_an_error_in_the_words_of_the_protocol(server, protocol, stream, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    assert reply.status == STATUSES[fault]
    if fault not in NO_ERROR:
        assert reply.json["error"]["message"]
        assert (reply.json.get("type") == "error") == (protocol == "anthropic")


def test_a_used_up_quota_is_told_as_each_provider_tells_it(server):
    openai = ask(server, "fault:http_429_quota")
    assert (openai.status, openai.json["error"]["code"]) == (429, "insufficient_quota")
    anthropic = ask(server, "fault:http_429_quota", protocol="anthropic")
    assert anthropic.status == 400
    assert "credit balance" in anthropic.json["error"]["message"]


def test_a_limit_says_how_long_in_every_way(server):
    headers = {
        fault: ask(server, f"fault:{fault}").headers
        for fault in ("http_429_after", "http_429_ms", "http_429_huge", "http_429_bad", "http_429")
    }
    assert headers["http_429_after"]["Retry-After"] == "1"
    assert headers["http_429_ms"]["retry-after-ms"] == "200"
    assert headers["http_429_huge"]["Retry-After"] == str(HUGE_S)
    assert headers["http_429_bad"]["Retry-After"] == "soon, we hope"
    assert headers["http_429"]["Retry-After"] is None


def test_a_date_to_wait_for_lies_one_or_two_seconds_ahead(server, key):
    told = ask(server, "fault:http_429_date", key=key).headers["Retry-After"]
    assert 0 < (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds() <= 2
    [entry] = server.settled(key=key)
    assert entry.promised_s == pytest.approx(1.5, abs=0.5)


def test_redirects_lead_in_a_circle_or_to_the_metadata_of_a_cloud(server):
    assert ask(server, "fault:http_302_loop").headers["Location"] == "/_loop"
    connection = connected(server)
    connection.request("GET", "/_loop")
    assert connection.getresponse().headers["Location"] == "/_loop"
    connection.close()
    assert ask(server, "fault:http_307_metadata").headers["Location"] == METADATA


def test_bodies_that_are_no_answer(server, stream):
    assert ask(server, "fault:http_200_html", stream=stream).body.startswith(b"<html>")
    assert ask(server, "fault:http_200_empty", stream=stream).body == b""
    assert ask(server, "fault:http_204", stream=stream).body == b""


@pytest.mark.parametrize(
    ("fault", "end"), [("reset_at_once", "reset"), ("close_no_reply", "closed")]
)
def test_a_connection_ends_without_a_reply(server, protocol, stream, fault, end):
    heard = hear(server, f"fault:{fault}", protocol=protocol, stream=stream)
    assert (heard.end, heard.data) == (end, b"")


def test_garbage_is_no_http(server):
    heard = hear(server, "fault:garbage_http")
    assert heard.data.startswith(b"SSH-2.0")
    with pytest.raises(http.client.BadStatusLine):
        ask(server, "fault:garbage_http")


def test_a_reset_after_the_headers_leaves_the_headers_alone(server, stream):
    heard = hear(server, "fault:reset_after_headers", stream=stream)
    assert heard.data.startswith(b"HTTP/1.1 200 OK\r\n")
    assert (heard.end, heard.body) == ("reset", b"")


def test_a_truncated_body_is_shorter_than_promised(server, protocol, stream):
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask(server, "fault:truncated_body", protocol=protocol, stream=stream)
    assert caught.value.partial
    assert caught.value.expected
    assert hear(server, "fault:truncated_body", stream=stream).end == "closed"


@pytest.mark.parametrize("fault", ["bad_chunking", "bad_chunking_late"])
def test_bad_chunking_has_a_size_that_is_no_number(server, stream, fault):
    heard = hear(server, f"fault:{fault}", stream=stream)
    assert b"Transfer-Encoding: chunked" in heard.data
    assert b"\r\nZZZ\r\n" in heard.data
    with pytest.raises(http.client.IncompleteRead):
        ask(server, f"fault:{fault}", stream=stream)


def test_a_truncated_gzip_looks_whole_to_http(server, protocol, stream):
    reply = ask(server, "fault:gzip_truncated", protocol=protocol, stream=stream)
    unpacker = zlib.decompressobj(wbits=31)
    assert unpacker.decompress(reply.body)
    assert not unpacker.eof


def test_a_hang_says_nothing_and_notices_that_the_client_left(server, stream):
    before = len(server.journal.entries(model="fault:hang"))
    heard = hear(server, "fault:hang", stream=stream, within_s=0.1)
    assert (heard.end, heard.data) == ("silent", b"")
    assert server.settled()
    assert {each.end for each in server.journal.entries(model="fault:hang")[before:]} == {"gone"}


def test_a_hang_after_the_headers_has_no_body(server, protocol, stream):
    heard = hear(server, "fault:hang_after_headers", protocol=protocol, stream=stream, within_s=0.1)
    assert heard.end == "silent"
    assert heard.data.startswith(b"HTTP/1.1 200 OK")
    assert heard.body.strip() == b""


def test_a_stream_hangs_after_the_first_piece_of_text(server, protocol):
    heard = hear(server, "fault:sse_hang", protocol=protocol, stream=True, within_s=0.1)
    assert heard.end == "silent"
    assert b'"4"' in heard.data
    assert b'"2"' not in heard.data


def test_a_drip_never_ends_and_never_pauses_for_long(server, stream):
    heard = hear(server, "fault:drip", stream=stream, within_s=0.3)
    assert heard.end == "silent"
    assert heard.first_s is not None
    assert heard.first_s < 0.2
    assert heard.data.count(b"still here" if stream else b" \r\n") >= 3


@pytest.mark.parametrize("fault", ["slow_body", "sse_slow"])
def test_a_slow_body_begins_at_once_and_takes_its_time(server, protocol, fault):
    heard = hear(server, f"fault:{fault}", protocol=protocol, stream=True)
    assert heard.end == "closed"
    assert heard.first_s is not None
    assert heard.seconds - heard.first_s > 0.08
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=True)
    assert said(reply, protocol=protocol).text == "42"


def test_a_late_answer_is_right(server, protocol, stream):
    started = time.monotonic()
    reply = ask(server, "fault:slow_ok", protocol=protocol, stream=stream)
    assert time.monotonic() - started >= 0.2
    assert said(reply, protocol=protocol).text == "42"


def test_a_kept_connection_is_closed_under_the_second_request(server, stream):
    connection = connected(server)
    first = ask(server, "fault:stale_keepalive", stream=stream, connection=connection)
    assert said(first, protocol="openai").text == "42"
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        ask(server, "fault:stale_keepalive", stream=stream, connection=connection)
    connection.close()
    again = ask(server, "fault:stale_keepalive", stream=stream)
    assert said(again, protocol="openai").text == "42"


@pytest.mark.parametrize("fault", ["bytewise", "split_headers"])
def test_however_the_bytes_are_cut_the_answer_is_right(server, protocol, stream, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    assert said(reply, protocol=protocol).text == "42"


def test_bytewise_chunks_hold_one_byte_each(server):
    heard = hear(server, "fault:bytewise")
    assert heard.body.count(b"\r\n") > 2 * 200
    assert heard.body.startswith(b"1\r\n{\r\n1\r\n")


def test_a_bomb_is_small_on_the_wire_and_huge_when_unpacked(server, stream):
    reply = ask(server, "fault:gzip_bomb", stream=stream)
    assert reply.headers["Content-Encoding"] == "gzip"
    assert len(reply.body) < MIB / 16
    assert len(zlib.decompress(reply.body, wbits=31)) > 4 * MIB


def test_a_huge_body_is_huge_in_ordinary_lines(server, protocol):
    body = ask(server, "fault:huge_body", protocol=protocol, stream=True).body
    assert len(body) > 4 * MIB
    assert max(map(len, body.splitlines())) < 1000
    whole = ask(server, "fault:huge_body", protocol=protocol).body
    assert len(whole) > 4 * MIB
    assert json.loads(whole)["model"] == "fault:huge_body"


def test_a_huge_line_is_one_line(server, protocol):
    body = ask(server, "fault:sse_huge_line", protocol=protocol, stream=True).body
    assert max(map(len, body.splitlines())) > 4 * MIB


def test_a_client_that_leaves_in_the_middle_of_a_huge_body_is_noted(server):
    before = len(server.journal.entries(model="fault:huge_body"))

    def come():
        return server.journal.entries(model="fault:huge_body")[before:]

    hear(server, "fault:huge_body", within_s=0.001)
    until(come)
    server.settled()
    # Where the buffers of the system hold all of it, it was answered.
    assert [entry.end for entry in come()] in (["gone"], ["answered"])


def test_no_fault_shows_the_key(server):
    for fault in STATUSES:
        reply = ask(server, f"fault:{fault}", key=KEY)
        assert KEY.encode() not in reply.body + str(reply.headers).encode()
