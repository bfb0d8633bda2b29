"""One server for all tests; each asks with a key of its own."""

from uuid import uuid4

import pytest

from tests.live.faulty import FaultyServer
from tests.live.server.pace import MIB, Pace


@pytest.fixture(scope="session")
def server():
    with FaultyServer(Pace(bomb_bytes=4 * MIB, hang_s=600.0)) as started:
        yield started


@pytest.fixture
def key():
    """A key that nobody else uses, so that the journal can be asked for it."""
    return f"sk-proj-{uuid4().hex}"
