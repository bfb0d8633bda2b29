"""A server over a store with people in it."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.web.accounts.people import Asker, settle, sign_in, with_token
from tests.web.serving import serving

MANY = 1_000_000


@dataclass(frozen=True)
class SignedServer:
    """Where it is, its data folder, and the secrets of tokens by name."""

    address: str
    home: Path
    secrets: dict[str, str]

    def browser(self, name: str) -> Asker:
        """A new sign-in."""
        asker, answer = sign_in(self.address, name)
        assert answer.status == 303, answer.text
        return asker

    def program(self, name: str) -> Asker:
        """A program with the token of that name."""
        return with_token(self.address, self.secrets[name])

    @property
    def nobody(self) -> Asker:
        """A browser in which nobody is signed in."""
        return Asker(self.address)


def peopled(home: Path) -> dict[str, str]:
    """Put people into a data folder; away from this thread, in which Playwright may run a loop."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(settle, home).result()


@pytest.fixture(scope="session")
def signed_home(demo_home, tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """The demo's data folder with people, and their tokens; nobody writes to it."""
    home = Path(shutil.copytree(demo_home, tmp_path_factory.mktemp("signed") / "home"))
    return home, peopled(home)


@pytest.fixture(scope="session")
def signed_server(signed_home, tmp_path_factory) -> Iterator[SignedServer]:
    """A server with ada, max, vi and eve; its data stay as they are, but for sign-ins."""
    home, secrets = signed_home
    own = Path(shutil.copytree(home, tmp_path_factory.mktemp("signed-served") / "home"))
    with serving(own, works=False, requests_a_minute=MANY) as address:
        yield SignedServer(address, own, secrets)


@pytest.fixture
def own_signed_home(signed_home, tmp_path) -> Path:
    """A copy that a test may change; the tokens are those of ``signed_home``."""
    return Path(shutil.copytree(signed_home[0], tmp_path / "home"))


@pytest.fixture
def own_server(own_signed_home, signed_home) -> Iterator[SignedServer]:
    """A server of one test alone."""
    with serving(own_signed_home, works=False, requests_a_minute=MANY) as address:
        yield SignedServer(address, own_signed_home, signed_home[1])
