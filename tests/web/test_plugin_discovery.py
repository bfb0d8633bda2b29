"""What is installed is looked up once in a process, whatever is opened how often."""

import sys
from importlib.metadata import DistributionFinder

import pytest

from tests.web.serving import serving
from tests.web.test_guard import ask

TEN = (
    "/",
    "/suites",
    "/suites/new",
    "/arena",
    "/runs",
    "/judges",
    "/agentic",
    "/settings/profiles",
    "/settings/about",
    "/api/v1/profiles",
)


class Counting(DistributionFinder):
    """Finds nothing, and counts how often all distributions are looked for."""

    times = 0

    def find_spec(self, *_):
        return None

    def find_distributions(self, context=None):
        self.times += context is not None and context.name is None
        return iter(())


@pytest.fixture
def counting(monkeypatch):
    made = Counting()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, made])
    return made


def test_entry_points_are_read_once_and_not_at_each_page(demo_home, counting):
    with serving(demo_home, works=False) as address:
        statuses = {path: ask(address, path=path)[0] for path in TEN}
        once = counting.times
        for path in TEN:
            ask(address, path=path)

    assert statuses == dict.fromkeys(TEN, 200)
    assert counting.times == once
