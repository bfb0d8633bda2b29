"""A proxy to listed hosts: what it admits, and every way around the list."""

import socket
import threading
from contextlib import contextmanager, suppress

import pytest

from benchmaker.providers.network.allowed_hosts import AllowedHosts, serve_allowed_hosts
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.spec.tasks.hosts import check_host

PUBLIC = "93.184.216.34"
"""Found beside an address out of reach, so never connected to."""

METADATA = "169.254.169.254"


@contextmanager
def a_server(serve):
    """A server on loopback, by its port; each connection is served by a function of its bytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        seen = []

        def accept():
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        data = connection.recv(65536)
                        seen.append(data)
                        connection.sendall(serve(data))

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield port, seen
        finally:
            server.shutdown(socket.SHUT_RDWR)


def ask(path, data, *, after=b""):
    """Send a request to the proxy, and what comes after its answer; all that came back."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(str(path))
        client.sendall(data)
        received = b""
        if after:
            while b"\r\n\r\n" not in received:
                received += client.recv(65536)
            client.sendall(after)
        while chunk := client.recv(65536):
            received += chunk
        return received


def on_loopback(*hosts, names=None):
    """Hosts that resolve to loopback, which is within reach of these tests alone."""
    known = names or {}
    return AllowedHosts(
        hosts, policy=EgressPolicy.NETWORK, resolve=lambda host: known.get(host, ["127.0.0.1"])
    )


def connect(target):
    return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()


def get(url, *headers):
    return "\r\n".join((f"GET {url} HTTP/1.1", *headers, "", "")).encode()


def status(reply):
    return int(reply.split()[1])


class TestAdmission:
    @pytest.mark.parametrize(
        ("entry", "host", "port"),
        [
            ("own.example", "own.example", 443),
            ("own.example", "own.example", 80),
            ("*.example.org", "a.b.example.org", 443),
            ("example.org:8443", "example.org", 8443),
        ],
    )
    def test_listed_hosts_are_admitted(self, entry, host, port):
        assert AllowedHosts((entry,)).admits(host, port)

    @pytest.mark.parametrize(
        ("entry", "host", "port"),
        [
            ("own.example", "own.example", 22),
            ("own.example", "files.own.example", 443),
            ("own.example", "notown.example", 443),
            ("own.example", "own.example.evil.net", 443),
            ("*.example.org", "example.org", 443),
            ("*.example.org", "badexample.org", 443),
            ("*.example.org", ".example.org", 443),
            ("example.org:8443", "example.org", 443),
        ],
    )
    def test_others_are_not(self, entry, host, port):
        assert not AllowedHosts((entry,)).admits(host, port)

    @pytest.mark.parametrize(
        "entry",
        ["127.0.0.1", "[::1]", "::1", "localhost", "https://own.example", "own.example/simple", "*",
         "*.org:0", "10.0.0.1:80", "2130706433", "0x7f.1", "own..example", "a b.org", "*.*.org",
         "own.example:99999", "user@own.example", "", "own.example\r\nx"],
    )  # fmt: skip
    def test_a_list_has_names_alone(self, entry):
        with pytest.raises(ValueError, match="is no host"):
            check_host(entry)


class TestPassing:
    def test_a_tunnel_carries_bytes_both_ways(self):
        with (
            a_server(lambda data: data[::-1]) as (port, _),
            serve_allowed_hosts(on_loopback(f"own.example:{port}")) as path,
        ):
            reply = ask(path, connect(f"own.example:{port}"), after=b"ping")
        head, _, body = reply.partition(b"\r\n\r\n")
        assert (status(head), body) == (200, b"gnip")

    def test_a_plain_request_reaches_its_host_in_its_own_form(self):
        answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        with (
            a_server(lambda _: answer) as (port, seen),
            serve_allowed_hosts(on_loopback(f"own.example:{port}")) as path,
        ):
            url = f"http://own.example:{port}/a?b=1"
            reply = ask(path, get(url, "Host: other.example", "Proxy-Authorization: x", "A: 1"))
        assert reply == answer
        assert seen == [
            f"GET /a?b=1 HTTP/1.1\r\nHost: own.example:{port}\r\nA: 1\r\n"
            "Connection: close\r\n\r\n".encode()
        ]

    def test_names_are_compared_without_case_and_final_dot(self):
        with (
            a_server(lambda data: data) as (port, _),
            serve_allowed_hosts(on_loopback(f"own.example:{port}")) as path,
        ):
            reply = ask(path, connect(f"OWN.example.:{port}"), after=b"x")
        assert reply.endswith(b"x")


class TestHostile:
    """Each try is refused, and no connection is made."""

    @pytest.mark.parametrize(
        "target",
        ["127.0.0.1:443", "[::1]:443", "2130706433:443", "0x7f000001:443", "0177.0.0.1:443",
         f"{METADATA}:80", "[::ffff:169.254.169.254]:80", "other.example:443",
         "own.example:22", "own.example:0", "own.example.:25"],
    )  # fmt: skip
    def test_literals_other_hosts_and_other_ports(self, target):
        calls = []

        def resolve(host):
            calls.append(host)
            raise OSError

        with serve_allowed_hosts(AllowedHosts(("own.example",), resolve=resolve)) as path:
            assert status(ask(path, connect(target))) in (400, 403)
            assert status(ask(path, get(f"http://{target}/"))) in (400, 403)
        assert calls == []

    @pytest.mark.parametrize(
        "address",
        ["127.0.0.1", "10.1.2.3", "192.168.0.7", "172.16.0.1", METADATA, "0.0.0.0",  # noqa: S104  no server
         "::1", "fe80::1", "fd00:ec2::254", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe",
         "100.100.100.200"],
    )  # fmt: skip
    def test_a_listed_name_that_resolves_to_a_private_address(self, address):
        with a_server(lambda data: data) as (port, seen):
            for found in ([address], [PUBLIC, address]):
                entry = f"own.example:{port}"
                allowed = AllowedHosts((entry,), resolve=lambda _, found=found: found)
                with serve_allowed_hosts(allowed) as path:
                    reply = ask(path, connect(entry))
                    assert status(reply) == 403
                    assert address.encode() not in reply
            assert seen == []

    def test_a_name_is_resolved_once_and_the_checked_address_is_used(self):
        """A name that changes its address after the check leads nowhere else."""
        answers = [["127.0.0.1"], ["127.0.0.2"]]
        with a_server(lambda _: b"first") as (port, _):
            allowed = AllowedHosts(
                (f"own.example:{port}",),
                policy=EgressPolicy.NETWORK,
                resolve=lambda _: answers.pop(0),
            )
            with serve_allowed_hosts(allowed) as path:
                reply = ask(path, connect(f"own.example:{port}"), after=b"x")
        assert reply.endswith(b"first")
        assert answers == [["127.0.0.2"]]

    def test_a_redirect_is_not_followed_and_its_target_is_checked(self):
        away = b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n"
        with (
            a_server(lambda _: away) as (port, _),
            serve_allowed_hosts(on_loopback(f"own.example:{port}")) as path,
        ):
            assert ask(path, get(f"http://own.example:{port}/")) == away
            assert status(ask(path, get("http://169.254.169.254/"))) == 403

    @pytest.mark.parametrize(
        "data",
        [
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET https://own.example/ HTTP/1.1\r\n\r\n",
            b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
            b"CONNECT own.example HTTP/1.1\r\n\r\n",
            b"CONNECT own.example:99999 HTTP/1.1\r\n\r\n",
            b"CONNECT user@own.example:443 HTTP/1.1\r\n\r\n",
            b"GET http://other.example@own.example/ HTTP/1.1\r\n\r\n",
            b"\x16\x03\x01\r\n\r\n",
            b"\xff\xfe\r\n\r\n",
        ],
    )
    def test_what_is_no_request_for_a_proxy(self, data):
        allowed = AllowedHosts(("own.example",), resolve=lambda _: [])
        with serve_allowed_hosts(allowed) as path:
            assert status(ask(path, data)) == 400

    def test_an_endless_head_is_cut_off(self):
        with serve_allowed_hosts(AllowedHosts(("own.example",))) as path:
            reply = b""
            with suppress(ConnectionError):
                reply = ask(path, b"GET http://own.example/ HTTP/1.1\r\nA: " + b"x" * 200_000)
        assert reply == b""

    def test_an_unknown_name_is_no_reason_to_wait(self):
        def resolve(_):
            raise OSError

        with serve_allowed_hosts(AllowedHosts(("own.example",), resolve=resolve)) as path:
            assert status(ask(path, connect("own.example:443"))) == 502

    def test_nothing_is_left_behind(self):
        with serve_allowed_hosts(AllowedHosts(("own.example",))) as path:
            assert path.is_socket()
        assert not path.parent.exists()
        assert not [it for it in threading.enumerate() if it.name == "allowed-hosts"]
