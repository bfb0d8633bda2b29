import asyncio
import gzip
import resource
import ssl
import time
from pathlib import Path

import pytest
from aiohttp import web

from benchmaker.errors import BadResponse, ProviderError, SpecError, Timeout
from benchmaker.providers.network.http import Http
from benchmaker.providers.network.transport import HttpLimits
from tests.providers.local import PATIENT, as_json, network, reply_of, serving, speaking

HEAD = {"Authorization": "Bearer secret"}
CERTIFICATES = Path(__file__).parents[1].joinpath("certificates")
OK = reply_of(b'"ok"')


async def get(http: Http, url: str, body: bytes | None = b"{}") -> bytes:
    async with http.request(url, headers=HEAD, body=body) as reply:
        return await reply.read()


def fails_with(kind: type[ProviderError], match: str, *replies, limits=PATIENT, **options):
    """Ask once; the error."""

    async def ask():
        async with speaking(*replies, **options) as (url, _), network(limits) as http:
            with pytest.raises(kind, match=match) as caught:
                await get(http, url)
            return caught.value

    return asyncio.run(ask())


def test_a_reply_is_read_whole_with_status_and_head():
    async def ask():
        async with serving(as_json({"a": 1}, status=418, **{"X-Name": "v"})) as seen:
            began = time.monotonic()
            async with network() as http, http.request(seen.url, headers=HEAD) as reply:
                assert reply.status == 418
                assert reply.headers["x-name"] == "v"
                assert await reply.read() == b'{"a": 1}'
                assert 0 < reply.elapsed_s() < time.monotonic() - began
            assert seen.heads[0]["authorization"] == "Bearer secret"

    asyncio.run(ask())


def test_a_connection_is_used_again():
    async def ask():
        async with speaking(OK, OK, OK) as (url, counts), network() as http:
            for _ in range(3):
                assert await get(http, url) == b'"ok"'
            return counts

    assert asyncio.run(ask()) == [3]


def test_a_kept_connection_that_was_closed_is_replaced_once():
    async def ask():
        async with speaking(OK, None, OK) as (url, counts), network() as http:
            await get(http, url)
            async with http.request(url, headers=HEAD, body=b"{}") as reply:
                assert reply.is_reconnected
                assert await reply.read() == b'"ok"'
            return counts

    assert asyncio.run(ask()) == [2, 1]


def test_it_is_replaced_only_once():
    async def ask():
        async with speaking(OK, None, None, OK) as (url, counts), network() as http:
            await get(http, url)
            with pytest.raises(ProviderError, match="without a reply") as caught:
                await get(http, url)
            assert caught.value.flags == ("reconnected",)
            return counts

    assert asyncio.run(ask()) == [2, 1]


def test_a_new_connection_that_is_closed_is_not_tried_again():
    error = fails_with(ProviderError, "closed the connection without a reply", None)
    assert error.is_retryable
    assert error.flags == ()


@pytest.mark.parametrize(
    "pieces",
    [
        [b"\x00\x01 nothing like HTTP\r\n\r\n"],
        [b"HTTP/9.9 abc\r\n\r\n"],
        [b"SSH-2.0-OpenSSH\r\n"],
        [b"HTTP/1.1 200 OK\r\nBad Header Name: x\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n"],
        reply_of(b"no gzip", more="Content-Encoding: gzip\r\nConnection: close\r\n"),
    ],
)
def test_what_is_no_http_is_a_bad_response(pieces):
    assert fails_with(BadResponse, "sent an invalid HTTP reply", pieces).is_retryable


@pytest.mark.parametrize(
    "pieces",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nConnection: close\r\n\r\nhalf"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nha"],
    ],
)
def test_half_a_reply_is_a_bad_response(pieces):
    assert fails_with(BadResponse, "was cut off", pieces).is_retryable


def test_a_bad_chunk_in_a_packet_of_its_own_is_seen_at_once():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
    limits = HttpLimits(idle_s=600)
    fails_with(BadResponse, "was cut off", [head, b"zz\r\nxx\r\n"], limits=limits, pause_s=0.1)


def test_a_refused_connection_can_be_tried_again():
    async def ask():
        async with speaking() as (url, _):
            pass
        async with network() as http:
            with pytest.raises(ProviderError, match=r"no connection to 127\.0\.0\.1") as caught:
                await get(http, url)
            return caught.value

    error = asyncio.run(ask())
    assert error.is_retryable
    assert not error.is_sent
    assert "(connection refused)" in error.message
    assert "running" in error.hint


def test_an_unknown_host_is_said():
    async def ask():
        async with network() as http:
            with pytest.raises(ProviderError, match=r"\.invalid not found|no connection"):
                await get(http, "http://no-such-host.invalid/")

    asyncio.run(ask())


def timed_out(handler, limits: HttpLimits, match: str, **options) -> float:
    """Ask a server that hangs; the seconds that it took to give up."""
    gone = []

    async def watched(request):
        try:
            return await handler(request)
        except asyncio.CancelledError:
            gone.append(True)
            raise

    async def ask():
        async with serving(watched) as seen, network(limits) as http:
            started = time.monotonic()
            with pytest.raises(Timeout, match=match) as caught:
                async with http.request(seen.url, headers=HEAD, body=b"{}", **options) as reply:
                    await reply.read()
            taken = time.monotonic() - started
            assert caught.value.is_retryable
            await asyncio.sleep(0.05)
            assert gone == [True]
            return taken

    return asyncio.run(ask())


async def hang(request):
    del request
    await asyncio.sleep(30)
    return web.Response()


async def hang_after_head(request):
    response = web.StreamResponse()
    await response.prepare(request)
    await asyncio.sleep(30)
    return response


async def drip(request):
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(1000):
        await response.write(b"x")
        await asyncio.sleep(0.05)
    return response


def test_a_reply_that_does_not_begin_is_given_up_and_the_server_sees_it():
    limits = HttpLimits(first_byte_s=0.2, idle_s=9, total_s=9)
    assert 0.2 <= timed_out(hang, limits, "first-byte limit") < 9


def test_the_first_byte_limit_can_be_replaced():
    limits = HttpLimits(first_byte_s=0.05, idle_s=9, total_s=0.3)
    assert timed_out(hang, limits, "total limit", first_byte_s=9) >= 0.3


def test_silence_after_the_head_is_given_up():
    limits = HttpLimits(first_byte_s=9, idle_s=0.2, total_s=9)
    assert 0.2 <= timed_out(hang_after_head, limits, "idle limit") < 9


def test_a_dripping_reply_ends_with_the_total_limit():
    limits = HttpLimits(first_byte_s=9, idle_s=5, total_s=0.4)
    assert 0.4 <= timed_out(drip, limits, "total limit") < 9


def test_a_slow_reply_within_the_limits_is_read():
    async def slow(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(4):
            await response.write(b"x")
            await asyncio.sleep(0.15)
        return response

    async def ask():
        async with serving(slow) as seen, network() as http:
            return await get(http, seen.url)

    assert asyncio.run(ask()) == b"xxxx"


def test_cancelling_closes_the_connection():
    gone = asyncio.Event()

    async def watched(request):
        try:
            return await hang(request)
        finally:
            gone.set()

    async def ask():
        async with serving(watched) as seen, network(HttpLimits()) as http:
            task = asyncio.ensure_future(get(http, seen.url))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(gone.wait(), 1)

    asyncio.run(ask())


def test_a_redirect_is_not_followed():
    async def ask():
        async with serving(as_json({})) as other:
            moved = as_json({}, status=307, Location=other.url)
            async with (
                serving(moved) as seen,
                network() as http,
                http.request(seen.url, headers=HEAD, body=b"{}") as reply,
            ):
                assert reply.status == 307
            assert other.heads == []

    asyncio.run(ask())


def test_cookies_are_not_kept():
    async def ask():
        cookie = as_json({}, **{"Set-Cookie": "a=b"})
        async with serving(cookie) as seen, network() as http:
            await get(http, seen.url)
            await get(http, seen.url)
            return seen.heads

    assert not any("cookie" in head for head in asyncio.run(ask()))


def test_a_body_beyond_the_limit_is_refused():
    error = fails_with(BadResponse, "larger than 1 MiB", reply_of(b"x" * (2**20 + 1)))
    assert not error.is_retryable


def test_a_gzip_bomb_is_stopped_at_the_limit():
    bomb = gzip.compress(bytes(2**28), compresslevel=9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    replies = reply_of(bomb, more="Content-Encoding: gzip\r\n")
    limits = HttpLimits(body_bytes=2**24)
    assert not fails_with(BadResponse, "larger than 16 MiB", replies, limits=limits).is_retryable
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kb < 4 * 2**14


def test_gzip_is_unpacked():
    async def ask():
        reply = reply_of(gzip.compress(b"plain"), more="Content-Encoding: gzip\r\n")
        async with speaking(reply) as (url, _), network() as http:
            return await get(http, url)

    assert asyncio.run(ask()) == b"plain"


def test_the_start_of_a_failure_is_had_though_it_breaks_off():
    async def ask():
        cut = [b"HTTP/1.1 500 X\r\nContent-Length: 99\r\nConnection: close\r\n\r\nhalf"]
        async with (
            speaking(cut) as (url, _),
            network() as http,
            http.request(url, headers=HEAD, body=b"{}") as reply,
        ):
            return reply.status, await reply.read_start()

    assert asyncio.run(ask()) == (500, b"half")


def test_of_a_failure_only_the_start_is_read():
    async def ask():
        limits = HttpLimits(error_bytes=100)
        async with (
            serving(as_json(b"x" * 100_000, status=500)) as seen,
            network(limits) as http,
            http.request(seen.url, headers=HEAD) as reply,
        ):
            return await reply.read_start()

    assert asyncio.run(ask()) == b"x" * 100


def test_one_transport_serves_several_event_loops():
    http = Http(PATIENT)

    async def ask():
        async with serving(as_json({})) as seen:
            try:
                return await get(http, seen.url)
            finally:
                await http.close()

    assert asyncio.run(ask()) == b"{}"
    assert asyncio.run(ask()) == b"{}"


def test_a_request_goes_through_the_proxy_that_the_environment_names():
    async def ask():
        async with serving(as_json({"by": "proxy"})) as proxy:
            environ = {"http_proxy": proxy.url, "no_proxy": "direct.example"}
            async with network(environ=environ) as http:
                assert await get(http, "http://api.example/v1/x") == b'{"by": "proxy"}'
                assert proxy.heads[0]["host"] == "api.example"

    asyncio.run(ask())


def test_certificates_are_those_that_the_environment_names():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATES / "cert.pem", CERTIFICATES / "key.pem")

    async def ask():
        async with serving(as_json({}), tls=tls) as seen:
            trusting = {"SSL_CERT_FILE": str(CERTIFICATES / "cert.pem")}
            async with network(environ=trusting) as http:
                assert await get(http, seen.url) == b"{}"
            async with network() as http:
                with pytest.raises(ProviderError, match="no secure connection") as caught:
                    await get(http, seen.url)
            assert len(seen.heads) == 1
            return caught.value

    error = asyncio.run(ask())
    assert not error.is_retryable
    assert "SSL_CERT_FILE" in error.hint


def test_certificates_that_cant_be_read_are_a_matter_of_the_environment(tmp_path):
    async def ask():
        async with network(environ={"SSL_CERT_FILE": str(tmp_path / "none.pem")}) as http:
            with pytest.raises(SpecError, match="can't be read"):
                http.request("https://api.example/v1", headers={})

    asyncio.run(ask())


def test_nothing_that_is_printed_holds_the_head():
    error = fails_with(BadResponse, "HTTP", [b"HTTP/9.9 abc\r\n\r\n"])
    seen: BaseException | None = error
    while seen is not None:
        assert "Bearer" not in repr(seen)
        seen = seen.__cause__
