import asyncio
import contextlib
import ssl
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from benchmaker.providers.network.connections import Pool, Target, is_new
from tests.providers.local import as_json, network, reply_of, serving, speaking

CERTIFICATES = Path(__file__).parents[1].joinpath("certificates")
OK = reply_of(b'"ok"')
HEAD = {"Authorization": "Bearer secret", "User-Agent": "benchmaker"}


@asynccontextmanager
async def pool():
    made = Pool(connect_s=60.0)
    try:
        yield made
    finally:
        await made.close()


def target(url: str) -> Target:
    return Target(url, "host", None, trust=True)


@asynccontextmanager
async def listening():
    """A server that keeps what it is sent, and the address of it."""
    heard = bytearray()

    async def hear(reader, writer):
        heard.extend(await reader.readuntil(b"\r\n\r\n"))
        writer.write(OK[0])
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard
    finally:
        server.close()


@asynccontextmanager
async def tunnelling():
    """A proxy that hands bytes on once it was told where to, and what it was told."""
    told, tasks = [], []

    async def carry(reader, writer):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(2**16):
                writer.write(data)
            writer.close()
            await writer.wait_closed()

    async def connect(reader, writer):
        tasks.append(asyncio.current_task())
        head = await reader.readuntil(b"\r\n\r\n")
        told.append(head.decode())
        host, port = head.split()[1].decode().rsplit(":", 1)
        there, back = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(carry(reader, back), carry(there, writer))

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], told
    finally:
        server.close()
        await asyncio.gather(*tasks)


async def sent(url: str, body: bytes | None, *, method: str = "POST", keep: bool = True) -> None:
    async with pool() as connections:
        line = connections.line(target(url), HEAD, method=method, keep=keep)
        connection = await line.connect()
        await line.ask(connection, body)
        connection.release()


def test_a_request_is_its_head_and_its_length():
    async def ask():
        async with listening() as (url, heard):
            await sent(f"{url}/v1/x?y=1", b"{}")
            return url, heard.decode()

    url, heard = asyncio.run(ask())
    first, *fields = heard.removesuffix("\r\n\r\n").split("\r\n")
    assert first == "POST /v1/x?y=1 HTTP/1.1"
    assert f"Host: {url.removeprefix('http://')}" in fields
    assert {"Authorization: Bearer secret", "User-Agent: benchmaker"} < set(fields)
    assert fields[-1] == "Content-Length: 2"
    assert len({field.split(":")[0].lower() for field in fields}) == len(fields)


def test_a_get_has_no_length():
    async def ask():
        async with listening() as (url, heard):
            await sent(url, None, method="GET")
            return heard.decode()

    heard = asyncio.run(ask())
    assert heard.startswith("GET / HTTP/1.1\r\n")
    assert "content-length" not in heard.lower()


def test_a_connection_for_one_request_says_so():
    async def ask():
        async with listening() as (url, heard):
            await sent(url, b"{}", keep=False)
            return heard.decode()

    assert "Connection: close\r\n" in asyncio.run(ask())


@pytest.mark.parametrize("evil", ["a\r\nX-More: 1", "a\nb", "a\0b"])
def test_a_field_that_would_begin_another_is_refused(evil):
    async def ask():
        async with speaking(OK) as (url, _), pool() as connections:
            line = connections.line(target(url), {"Authorization": evil}, method="GET")
            connection = await line.connect()
            try:
                await line.ask(connection, None)
            finally:
                connection.close()

    with pytest.raises(ValueError, match="control character") as caught:
        asyncio.run(ask())
    assert evil not in str(caught.value)


def test_it_is_known_whether_a_connection_is_new():
    async def ask():
        async with speaking(OK, OK) as (url, _), pool() as connections:
            line = connections.line(target(url), HEAD, method="POST")
            for expected in (True, False):
                connection = await line.connect()
                assert is_new() is expected
                _, content = await line.ask(connection, b"{}")
                assert await content.read() == b'"ok"'
                connection.release()

    asyncio.run(ask())


def test_the_way_to_a_target_is_made_once_for_each_head():
    async def ask():
        async with pool() as connections:
            here = target("http://127.0.0.1:1/x")
            line = connections.line(here, HEAD, method="POST")
            assert connections.line(here, dict(HEAD), method="POST") is line
            assert connections.line(here, {}, method="POST") is not line
            assert connections.line(here, HEAD, method="GET") is not line

    asyncio.run(ask())


def test_what_a_server_says_before_its_answer_is_passed_over():
    hint = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"

    async def ask():
        async with (
            speaking([hint, *OK], pause_s=0.02) as (url, _),
            network() as http,
            http.request(url, headers=HEAD, body=b"{}") as reply,
        ):
            assert reply.status == 200
            return await reply.read()

    assert asyncio.run(ask()) == b'"ok"'


def test_an_encrypted_request_goes_through_the_proxy_unread():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATES / "cert.pem", CERTIFICATES / "key.pem")

    async def ask():
        async with (
            serving(as_json({"by": "tunnel"}), tls=tls) as seen,
            tunnelling() as (port, told),
        ):
            environ = {
                "https_proxy": f"http://me:word@127.0.0.1:{port}",
                "SSL_CERT_FILE": str(CERTIFICATES / "cert.pem"),
            }
            async with network(environ=environ) as http:
                for _ in range(2):
                    async with http.request(seen.url, headers=HEAD, body=b"{}") as reply:
                        assert await reply.read() == b'{"by": "tunnel"}'
            return told, seen.heads

    told, heads = asyncio.run(ask())
    assert len(told) == 1
    assert told[0].startswith("CONNECT 127.0.0.1:")
    assert "Proxy-Authorization: Basic " in told[0]
    assert "Bearer" not in told[0]
    assert all("proxy-authorization" not in head for head in heads)


def test_a_plain_request_to_a_proxy_names_the_whole_address_and_who_asks():
    async def ask():
        async with serving(as_json({})) as proxy:
            environ = {"http_proxy": proxy.url.replace("//", "//me:word@")}
            async with network(environ=environ) as http:
                for _ in range(2):
                    url = "http://api.example/v1/x?y=1"
                    async with http.request(url, headers=HEAD, body=b"{}") as reply:
                        await reply.read()
            return proxy.heads

    for head in asyncio.run(ask()):
        assert head["host"] == "api.example"
        assert head["proxy-authorization"].startswith("Basic ")
        assert head["authorization"] == "Bearer secret"
