"""Patience with clusters: a worker of Ray starts late where other tests want the processors."""

import pytest

from benchmaker.engine.executors import dispatch, workers

PATIENCE_S = 900.0
"""Only ends a test that hangs."""


@pytest.fixture(autouse=True)
def workers_may_start_late(monkeypatch):
    for module in (workers, dispatch):
        monkeypatch.setattr(module, "START_S", PATIENCE_S)
