"""Egress limits of a shared server: permitted addresses, and no programs.

A user who can name a model can name any address, and a server is inside networks that the user is
not. So a shared server runs no user programs, and contacts no address that only it can reach.
"""

import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from benchmaker.errors import ProviderError, SpecError
from benchmaker.spec.documents.suggestions import did_you_mean

VARIABLE: Final = "BENCHMAKER_REACH"
"""The environment variable that limits the hosts a process may reach."""

Resolve = Callable[[str], Iterable[str]]
"""Returns the addresses of a host; OSError if there are none."""


class EgressPolicy(StrEnum):
    """The permitted reach of models.

    ``ANYTHING``: any address, and programs and functions of this machine. ``NETWORK``: any host,
    including this machine and private networks, but no metadata services with credentials.
    ``INTERNET``: publicly reachable hosts.
    """

    ANYTHING = "anything"
    NETWORK = "network"
    INTERNET = "internet"

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "EgressPolicy":
        """Return the policy in the environment; by default anything.

        Raises:
            SpecError: an unknown value.
        """
        said = environ.get(VARIABLE, "").strip().lower()
        try:
            return cls(said) if said else cls.ANYTHING
        except ValueError as exc:
            known = tuple(map(str, cls))
            hint = did_you_mean(said, known) or f"Choose {', '.join(known)}."
            raise SpecError(f"{VARIABLE} can't be {said!r}.", hint=hint) from exc

    @property
    def is_narrow(self) -> bool:
        """True if any address is out of reach."""
        return self is not EgressPolicy.ANYTHING

    def covers(self, address: str) -> bool:
        """True if this IP address is within reach.

        >>> EgressPolicy.INTERNET.covers("192.168.0.7"), EgressPolicy.NETWORK.covers("192.168.0.7")
        (False, True)
        """
        if self is EgressPolicy.ANYTHING:
            return True
        try:
            meant = list(_embedded_addresses(ip_address(address.partition("%")[0])))
        except ValueError:
            return False
        return all(self._covers(one) for one in meant)

    def _covers(self, address: IPv4Address | IPv6Address) -> bool:
        if address.is_multicast or address.is_unspecified or address.is_link_local:
            return False
        if any(address in network for network in _METADATA):
            return False
        return self is EgressPolicy.NETWORK or address.is_global

    def check(self, host: str, addresses: Iterable[str]) -> None:
        """Refuse a host with an address out of reach.

        Raises:
            ProviderError: it has such an address, or none at all; the message does not show the
                address, since private networks are confidential.
        """
        found = list(addresses)
        if self.is_narrow and not (found and all(map(self.covers, found))):
            raise ProviderError(f"{host} {_OUT}.", hint=_HINT, is_sent=False)

    def check_literal(self, url: str) -> None:
        """Refuse a URL whose literal host is out of reach, without a lookup.

        Raises:
            SpecError: the host is out of reach.
        """
        host = _host(url)
        is_own = host == "localhost" or host.endswith(".localhost")
        if self.is_narrow and (is_own or (_is_literal(host) and not self.covers(host))):
            raise SpecError(f"{host} {_OUT}.", hint=_HINT)

    def check_url(self, url: str, *, resolve: Resolve | None = None) -> None:
        """Refuse a URL if any current address of its host is out of reach.

        A name without addresses passes: later addresses are checked on each request.

        Raises:
            SpecError: an address is out of reach.
        """
        self.check_literal(url)
        host = _host(url)
        if not self.is_narrow or _is_literal(host):
            return
        try:
            found = list((resolve or resolve_host)(host))
        except (OSError, UnicodeError):
            return
        if not all(map(self.covers, found)):
            raise SpecError(f"{host} {_OUT}.", hint=_HINT)


def resolve_host(host: str) -> list[str]:
    """The addresses that this machine finds for a name.

    Raises:
        OSError: it finds none.
    """
    return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None)})


_OUT: Final = "resolves to an address that this server does not connect to"
_HINT: Final = "Use a public host, or ask the administrator of the server."

_METADATA: Final = tuple(
    ip_network(one)
    for one in ("169.254.0.0/16", "fd00:ec2::254/128", "100.100.100.200/32", "168.63.129.16/32",
                "192.0.0.192/32", "0.0.0.0/8")
)  # fmt: skip
"""At which clouds tell a machine its credentials; and what stands for no address."""

_NAT64: Final = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
_COMPATIBLE: Final = IPv6Network("::/96")


def _embedded_addresses(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    """The address and every other one that is written within it, as tunnels and gateways do."""
    yield address
    if isinstance(address, IPv4Address):
        return
    within = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _NAT64) or (
        address in _COMPATIBLE and int(address) > 1
    ):
        within.append(IPv4Address(int(address) & 0xFFFFFFFF))
    yield from filter(None, within)


def _is_literal(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _host(url: str) -> str:
    """The host of an address, in small letters, without brackets and without a dot at its end."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""
