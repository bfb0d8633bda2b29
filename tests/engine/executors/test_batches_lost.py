"""Batches on a cluster that loses a worker and a node; it has this process to itself."""

import threading

import pytest

from benchmaker.engine.executors.task import TaskRunner
from tests.engine.executors.rays import killed_worker, two_nodes
from tests.engine.executors.test_batches import busy_since, in_thread, rescored, stored_twice


@pytest.mark.long
def test_ten_thousand_trials_are_rescored_though_a_worker_and_a_node_go(tmp_path):
    here, there = stored_twice(tmp_path, 5_000)
    with two_nodes() as (cluster, second):
        killing = in_thread(lambda: killed_worker(busy_since(3.0), TaskRunner.__name__))
        timer = threading.Timer(6.0, lambda: cluster.remove_node(second))
        timer.start()
        found = rescored(there, cluster.address)
        killing.join()
        timer.join()

    assert found == rescored(here)
