"""Filters of runs by any part of a name, by tag, state and date."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, not_, or_, select

from benchmaker.record import INFRASTRUCTURE, RunState
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import run_models, runs, series, suite_cases, suites, trials
from benchmaker.store.runs.trials import is_ended

STOPPED, FAILED = "stopped", "failed"
LISTED_STATES = (*map(str, RunState), STOPPED, FAILED)
"""The states of runs in lists, which split finished ones by the outcomes of their trials."""

_IMPORTED, _NOT_RUN = '%"imported_from":"%', '%"not_run":["%'
_TAGGED = '"tags":['


class RunFilter(NamedTuple):
    """The runs that a list shows; an empty value is no filter.

    ``suite`` is the whole name of the suite.
    ``text`` is any part of the name of the suite, of a model, of a tag of its cases, or of the id
    of the run or its series; ``model`` and ``tag`` are parts of these alone. ``state`` is one of
    :data:`LISTED_STATES`. ``since`` and ``until`` are times in UTC, the second is excluded.
    """

    text: str = ""
    model: str = ""
    tag: str = ""
    state: str = ""
    since: str = ""
    until: str = ""
    suite: str = ""

    def conditions(
        self, connection: Connection, lost: frozenset[str]
    ) -> Iterator[ColumnElement[bool]]:
        """Yield the conditions on runs joined with their suites."""
        if self.suite:
            yield suites.c.name == self.suite
        if self.text:
            yield or_(*_name_conditions(connection, self.text))
        if self.model:
            yield runs.c.seq.in_(_runs_of_models(self.model))
        if self.tag:
            yield runs.c.suite_seq.in_(_suites_with_tag(connection, self.tag))
        if self.state:
            yield listed_state(lost) == self.state
        if self.since:
            yield runs.c.started_at >= self.since
        if self.until:
            yield runs.c.started_at < self.until


def _name_conditions(connection: Connection, text: str) -> Iterator[ColumnElement[bool]]:
    yield suites.c.name.icontains(text, autoescape=True)
    yield runs.c.id.icontains(text, autoescape=True)
    found = select(series.c.seq).where(series.c.id.icontains(text, autoescape=True))
    yield runs.c.series_seq.in_(found)
    yield runs.c.seq.in_(_runs_of_models(text))
    if tagged := _suites_with_tag(connection, text):
        yield runs.c.suite_seq.in_(tagged)


def _runs_of_models(text: str) -> Any:  # noqa: ANN401  a select of one column
    return select(run_models.c.run_seq).where(run_models.c.model.icontains(text, autoescape=True))


class _Tagged(msgspec.Struct):
    tags: list[str] = []


def _suites_with_tag(connection: Connection, text: str) -> frozenset[int]:
    """Return the numbers of the suites with a case that has such a tag.

    The database finds the cases that may have one; their tags decide.
    """
    body, part = suite_cases.c.body, escape(msgspec.json.encode(text).decode()[1:-1])
    wanted = select(suite_cases.c.suite_seq, body).where(
        body.contains(_TAGGED, autoescape=True), body.icontains(part, autoescape=True)
    )
    found: set[int] = set()
    for row in connection.execute(wanted):
        if row.suite_seq not in found and _has_tag(row.body, text.casefold()):
            found.add(row.suite_seq)
    return frozenset(found)


def _has_tag(body: str, text: str) -> bool:
    return any(text in tag.casefold() for tag in decode(body, _Tagged).tags)


def count_trials(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return the number of a run's trials for which the condition holds."""
    counted = select(func.count()).where(trials.c.run_seq == runs.c.seq, condition)
    return counted.scalar_subquery()


def listed_state(lost: frozenset[str]) -> ColumnElement[str]:
    """Return the state of a run in lists, one of :data:`LISTED_STATES`.

    ``lost`` are the runs that are stored as running without a process.
    """
    is_lost = and_(runs.c.state == RunState.RUNNING, runs.c.id.in_(lost))
    is_ours = and_(runs.c.body.not_like(_IMPORTED), runs.c.body.not_like(_NOT_RUN))
    done = count_trials(is_ended())
    failed = count_trials(trials.c.outcome.in_(INFRASTRUCTURE))
    return case(
        (is_lost, literal(str(RunState.INTERRUPTED))),
        (or_(runs.c.state != RunState.FINISHED, not_(is_ours)), runs.c.state),
        (done < runs.c.planned, STOPPED),
        (and_(failed > 0, failed >= done), FAILED),
        else_=runs.c.state,
    )
