"""From where a server can be reached, and under which names."""

import re
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Final

from benchmaker.cli.context import Context
from benchmaker.errors import SpecError

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

_NAME: Final = re.compile(
    r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d{1,5})?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reach:
    """The addresses a server listens on, and the browsers' way to it.

    ``names`` are the Host headers of browsers on other machines; ``preview`` is the one for
    generated pages. The forwarded headers of ``proxies``, addresses or networks, are trusted.
    ``is_https`` is true if browsers only use HTTPS.
    """

    host: str = LOOPBACK[0]
    names: tuple[str, ...] = ()
    preview: str = ""
    proxies: tuple[str, ...] = ()
    is_https: bool = False

    @property
    def is_shared(self) -> bool:
        """True if other machines can reach it, directly or through a proxy."""
        return self.host not in LOOPBACK or bool(self.names or self.proxies)

    @property
    def is_in_the_clear(self) -> bool:
        """True if passwords could be intercepted in transit."""
        return self.is_shared and not self.is_https

    def hosts(self, port: int) -> tuple[str, ...]:
        """The values of the Host header that are answered."""
        here = tuple(f"{name}:{port}" for name in (LOOPBACK[0], "[::1]"))
        return tuple(dict.fromkeys([*here, *self._with_port(self.names, port)]))

    def preview_host(self, port: int) -> str:
        """Return the host name of generated pages; empty without previews.

        On other machines localhost is not ours, so a shared server needs a name.
        """
        return self.preview or ("" if self.is_shared else f"localhost:{port}")

    def url(self, port: int) -> str:
        """Return the address for users."""
        scheme = "https" if self.is_https else "http"
        if self.names:
            known = self.names[0]
            ends = known if self.is_https or _has_port(known) or self.proxies else f"{known}:{port}"
            return f"{scheme}://{ends}/"
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{shown}:{port}/"

    def refuse_odd(self, context: Context) -> None:
        """Refuse invalid settings, and other machines without accounts.

        Raises:
            SpecError: with the remedy.
        """
        for name in (*self.names, *filter(None, [self.preview])):
            if not _NAME.fullmatch(name):
                raise SpecError(
                    f"{name!r} is not a host name.", hint="Use a name such as bench.example.org."
                )
        for one in self.proxies:
            _refuse_unless_address(one)
        if not self.is_shared:
            return
        if self.preview and self.preview in self.hosts(0):
            raise SpecError(
                "previews need a separate host name.", hint="Choose another --preview-host."
            )
        if not _has_accounts(context):
            raise SpecError(
                f"{self._host_label} is reachable from other machines, but there are no accounts.",
                hint=f"Serve on {LOOPBACK[0]}, and reach it through a tunnel. Or create the first "
                "account with: benchmaker user add NAME",
            )
        if not self.names:
            raise SpecError(
                "no host name for other machines.",
                hint="Add the name that browsers use: --allow-host bench.example.org",
            )

    @property
    def _host_label(self) -> str:
        return self.host if self.host not in LOOPBACK else "the server"

    @staticmethod
    def _with_port(names: tuple[str, ...], port: int) -> list[str]:
        """Return each name, plus the name with our port if it has none."""
        given = [(name, () if _has_port(name) else (f"{name}:{port}",)) for name in names]
        return [each.lower() for name, more in given for each in (name, *more)]


def _has_port(name: str) -> bool:
    return bool(re.search(r":\d{1,5}$", name.rpartition("]")[2]))


def _refuse_unless_address(text: str) -> None:
    try:
        ip_network(text)
    except ValueError as exc:
        raise SpecError(
            f"{text!r} is not a proxy address.",
            hint="Use an IP address or network, such as 127.0.0.1 or 10.0.3.0/24.",
        ) from exc


def _has_accounts(context: Context) -> bool:
    from benchmaker.store.home import Home

    with Home.of(context.home, context.store_url).open_store() as store:
        return store.accounts.has_users()
