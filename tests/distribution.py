"""Which worker runs what under ``pytest -n``: whole files, the longest of them first.

A file's server, store and browser are then started once, not once a worker, and no worker is left
with minutes of work when the others have none. Files are else in random order.
"""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

LONGEST = (
    "tests/engine/executors/test_cluster.py",
    "tests/web/test_every_page.py",
    "tests/web/test_hostile.py",
    "tests/live/test_catalogue.py",
    "tests/arenas/agentic/verify/test_hostile_workspaces.py",
    "tests/arenas/code/probe/",
    "tests/web/accounts/test_matrix.py",
    "tests/faults/",
    "docs/tutorial/",
)
"""Files and folders of files that take most of a minute, or more."""


class WholeFiles(LoadScopeScheduling):
    """Gives each worker a file at a time, in the order of the collection."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]


def longest_first(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files at the head; the others keep their order."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
