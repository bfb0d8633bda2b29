"""A provider, and servers that let people sign in there."""

import shutil
import time
from pathlib import Path

import pytest

from benchmaker.accounts.identities import identity, pending_identity
from benchmaker.record.account import Role
from benchmaker.store import Store
from benchmaker.web.accounts.throttle import Throttle
from tests.web.accounts.conftest import MANY
from tests.web.accounts.oidc.browsers import (
    BACK,
    OLGA,
    settings,
)
from tests.web.accounts.oidc.provider import (
    Conduct,
    providing,
)
from tests.web.serving import apps, serving


class Clock:
    """A clock that a test turns."""

    def __init__(self):
        self.ahead_s, self.stopped_at = 0.0, None

    def __call__(self):
        now = time.time() if self.stopped_at is None else self.stopped_at
        return now + self.ahead_s

    def stop(self):
        """Stand still, so that what a test does takes no time, however long that is."""
        self.stopped_at = time.time()


@pytest.fixture(scope="module")
def provider_server():
    with providing() as found:
        yield found


@pytest.fixture
def provider(provider_server):
    """The provider, as it should be."""
    provider_server.conduct = Conduct(person=dict(OLGA))
    return provider_server


@pytest.fixture(scope="module")
def home(signed_home, provider_server, tmp_path_factory):
    """A data folder in which olga is known there, and pia is awaited."""
    own = Path(shutil.copytree(signed_home[0], tmp_path_factory.mktemp("oidc") / "home"))
    with Store.open(own / "benchmaker.db") as store:
        accounts = store.accounts
        olga = accounts.add_user("olga", None, oidc=identity(provider_server.issuer, OLGA["sub"]))
        accounts.set_role("main", olga.id, Role.MEMBER)
        pia = accounts.add_user("pia", None, oidc=pending_identity("pia@example.org"))
        accounts.set_role("main", pia.id, Role.VIEWER)
    return own


@pytest.fixture(scope="module")
def shared_address(home, provider_server):
    clock = Clock()
    oidc = settings(provider_server)
    options = {"works": False, "clock": clock, "requests_a_minute": MANY, "oidc": oidc}
    with serving(home, **options) as address:
        yield address


@pytest.fixture
def address(shared_address, provider):
    """A server whose data no attack changes; nothing is held against anybody."""
    state = apps[shared_address].state
    state.bench.settings.clock.__init__()
    state.sign_ins.throttle = Throttle(state.bench.settings.clock)
    state.oidc_sign_in.provider._known = state.oidc_sign_in.provider._failed = None
    provider.conduct.redirect_uris.append(f"{shared_address}{BACK}")
    return shared_address


@pytest.fixture
def own(home, provider, tmp_path):
    """Opens a server of one test alone, with settings of its own."""
    with_own = []

    def opened(**more):
        copy = Path(shutil.copytree(home, tmp_path / f"home-{len(with_own)}"))
        oidc = settings(provider, **more)
        manager = serving(copy, works=False, requests_a_minute=MANY, oidc=oidc)
        found = manager.__enter__()
        with_own.append(manager)
        provider.conduct.redirect_uris.append(f"{found}{BACK}")
        return found, copy

    yield opened
    for manager in with_own:
        manager.__exit__(None, None, None)
