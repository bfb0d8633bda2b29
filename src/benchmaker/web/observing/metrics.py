"""The metrics of a server in Prometheus' text format: its requests, and its store's content.

Labels come from closed lists: routes and kinds of jobs in the code, methods, states, outcomes. They
never contain text of people or models, or names of runs, suites or models.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from benchmaker.errors import BenchmakerError
from benchmaker.record import Outcome
from benchmaker.record.job import JobState
from benchmaker.store.runs.sums import Totals
from benchmaker.version import __version__
from benchmaker.web.observing.requests import OTHER

if TYPE_CHECKING:
    from benchmaker.web.workbench import Workbench

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST

Values = dict[tuple[str, ...], float]
"""A figure for each combination of labels."""

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LEAST_S: Final = 5.0
_COSTLY: Final = 20.0
"""Sums over the store may take a twentieth of the time."""

_LOG = logging.getLogger("benchmaker.web.metrics")


class ServerMetrics:
    """Counts the requests of one server, and collects the rest on demand."""

    def __init__(self, bench: "Workbench") -> None:
        # Else there is a series more for each one, which nobody asks for.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # theirs
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "benchmaker_http_requests",
            "Requests answered, by route template.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "benchmaker_http_request_seconds",
            "Seconds until the response started.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._open = Gauge(
            "benchmaker_http_requests_open",
            "Requests in flight, event streams included.",
            registry=self._registry,
        )
        self._registry.register(_StoreCollector(bench))
        ProcessCollector(registry=self._registry)

    def request_started(self) -> None:
        """A request came."""
        self._open.inc()

    def request_finished(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """It is over; ``seconds`` passed until its answer began."""
        self._open.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it; looks at the store, so not for the event loop."""
        return generate_latest(self._registry)


class _StoreCollector(Collector):
    """The content of the store; read rarely, so that scraping costs little."""

    def __init__(self, bench: "Workbench") -> None:
        self._bench = bench
        self._lock = Lock()
        self._totals: Totals | None = None
        self._next = 0.0
        self._is_up = False
        self._kinds = frozenset(bench.standard.job_handlers())

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: the store is not read until somebody asks."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The families, the last sums again where the store can't be read."""
        found = self._read_totals()
        yield _gauge("benchmaker_up", "1 if the store is readable, else 0.", float(self._is_up))
        yield _labelled_gauge(
            "benchmaker_info", "Version of the running server.", ("version",), {(__version__,): 1.0}
        )
        yield _gauge(
            "benchmaker_sse_listeners",
            "Clients that follow a run.",
            sum(len(tail.listeners) for tail in tuple(self._bench.watch.tails.values())),
        )
        if found is not None:
            yield from _families(found, self._kinds)

    def _read_totals(self) -> Totals | None:
        with self._lock:
            began = time.monotonic()
            if began < self._next:
                return self._totals
            try:
                self._totals = self._bench.store.totals()
                self._is_up = True
            except BenchmakerError as exc:
                _LOG.warning("the store could not be read: %s", exc)
                self._is_up = False
            took = time.monotonic() - began
            self._next = time.monotonic() + max(_LEAST_S, _COSTLY * took)
            return self._totals


def _families(found: Totals, kinds: frozenset[str]) -> Iterator[Metric]:
    jobs = _jobs(found.jobs, kinds)
    yield _labelled_gauge("benchmaker_jobs", "Jobs in the store.", ("kind", "state"), jobs)
    yield _labelled_gauge(
        "benchmaker_trials", "Trials in the store.", ("outcome",), _outcomes(found.trials)
    )
    tokens: Values = {("models", kind): float(n) for kind, n in found.tokens.items()}
    tokens |= {("judges", kind): float(n) for kind, n in found.judge_tokens.items()}
    tokens |= {("embeddings", kind): float(n) for kind, n in found.embedding_tokens.items()}
    yield _labelled_gauge(
        "benchmaker_tokens", "Tokens, as reported by providers.", ("of", "kind"), tokens
    )
    costs: Values = {
        ("models",): found.cost_usd,
        ("judges",): found.judge_cost_usd,
        ("embeddings",): found.embedding_cost_usd,
    }
    yield _labelled_gauge("benchmaker_cost_usd", "Known cost in dollars.", ("of",), costs)
    queued = sum(n for (_, state), n in found.jobs.items() if state == JobState.QUEUED.value)
    queues: Values = {("jobs",): float(queued), ("notices",): float(found.notices)}
    yield _labelled_gauge(
        "benchmaker_queue_length", "Jobs and notices that wait.", ("queue",), queues
    )
    yield _gauge("benchmaker_store_bytes", "Size of the database in bytes.", found.size_bytes)


def _jobs(found: Mapping[tuple[str, str], int], kinds: frozenset[str]) -> Values:
    counts: Values = {(kind, state.value): 0.0 for kind in kinds for state in JobState}
    for (kind, state), n in found.items():
        place = (kind if kind in kinds else OTHER, state)
        counts[place] = counts.get(place, 0.0) + n
    return counts


def _outcomes(found: Mapping[str, int]) -> Values:
    return {(one.value,): float(found.get(one.value, 0)) for one in Outcome}


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=value)


def _labelled_gauge(name: str, words: str, labels: tuple[str, ...], values: Values) -> Metric:
    family = GaugeMetricFamily(name, words, labels=labels)
    for of, value in sorted(values.items()):
        family.add_metric(of, value)
    return family
