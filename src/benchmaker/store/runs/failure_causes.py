"""The reasons for failed and unscored trials, model by model, and tools that always fail."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, not_, select

from benchmaker.record import (
    INFRASTRUCTURE,
    Outcome,
    Score,
    Transcript,
    TranscriptMessage,
    UnfinishedConversation,
)
from benchmaker.record.failure import FailedTool, FailureCause
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import unescape, unescape_or_none
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import completions, run_models, runs, scores, trials

_UNSCORED = frozenset({Outcome.SCORER_ERROR, Outcome.UNSCORED})

EXPLAINED = INFRASTRUCTURE | _UNSCORED
"""Outcomes with reasons."""

_OF_MODEL = trials.join(runs, runs.c.seq == trials.c.run_seq).join(
    run_models,
    and_(run_models.c.run_seq == trials.c.run_seq, run_models.c.rank == trials.c.model_rank),
)


class FailureCauses(NamedTuple):
    """The most frequent reason of each model, for failed requests and for missing scores."""

    failed: tuple[FailureCause, ...] = ()
    unscored: tuple[FailureCause, ...] = ()


class _Reason(NamedTuple):
    """A reason with its number of trials; ``form`` is the message without its case."""

    model: str
    kind: str
    message: str
    form: str
    trials: int


class FailureCauseStore(Room):
    """Reasons for failed and unscored trials that can count in a mean."""

    @retry_reads
    def failure_causes(self, run_ids: Sequence[str]) -> FailureCauses:
        """Return the most frequent reason of each model of these runs, by model."""
        with self.database.read() as connection:
            failed = list(_errors(connection, run_ids, INFRASTRUCTURE))
            unscored = [
                *_errors(connection, run_ids, _UNSCORED),
                *_notes(connection, run_ids, _UNSCORED),
            ]
        return FailureCauses(_causes(failed), _causes(unscored))

    @retry_reads
    def failed_tools(self, run_ids: Sequence[str], tools: Collection[str]) -> list[FailedTool]:
        """Return those of ``tools`` that were called in these runs, and never without an error."""
        with self.database.read() as connection:
            failed: dict[str, list[str]] = {}
            sound = set[str]()
            for result in _tool_results(connection, run_ids, _HAS_ERROR):
                if result.is_error:
                    failed.setdefault(result.name or "", []).append(result.content)
                else:
                    sound.add(result.name or "")
            doubtful = {it for it in tools if it in failed and it not in sound}
            others = _tool_results(connection, run_ids, not_(_HAS_ERROR)) if doubtful else ()
            for result in others:
                doubtful.discard(result.name or "")
                if not doubtful:
                    break
        return [_failed_tool(tool, failed[tool]) for tool in tools if tool in doubtful]


_STEPS = func.coalesce(completions.c.transcript, trials.c.conversation)
"""The messages of a trial with tools, as far as it came."""

_HAS_ERROR = _STEPS.like('%"is_error":true%')
"""It may hold an error; a quotation mark inside a text is escaped."""

_ERROR = "Error: "
"""Begins each error that a model gets in place of a result."""

_TOGETHER = 200


def _tool_results(
    connection: Connection, run_ids: Sequence[str], condition: ColumnElement[bool]
) -> Iterator[TranscriptMessage]:
    """Yield the results of tool calls in these runs, in the order of the cases."""
    wanted = (
        select(completions.c.transcript, trials.c.conversation)
        .select_from(
            trials.join(runs, runs.c.seq == trials.c.run_seq).outerjoin(
                completions, completions.c.trial_seq == trials.c.seq
            )
        )
        .where(runs.c.id.in_(run_ids), condition)
        .order_by(trials.c.run_seq, trials.c.position, trials.c.model_rank)
        .execution_options(yield_per=_TOGETHER)
    )
    for transcript, conversation in connection.execute(wanted):
        made = (
            decode(transcript, Transcript)
            if transcript
            else decode(conversation, UnfinishedConversation).transcript
        )
        yield from (it for it in made.messages if it.role == "tool")


def _failed_tool(tool: str, errors: Sequence[str]) -> FailedTool:
    return FailedTool(tool=tool, calls=len(errors), reason=errors[0].removeprefix(_ERROR))


def _errors(
    connection: Connection, run_ids: Sequence[str], outcomes: Collection[Outcome]
) -> Iterator[_Reason]:
    """Yield the recorded errors; equal ones together, the earliest first."""
    kind = (run_models.c.model, trials.c.outcome, trials.c.error_type, trials.c.error)
    wanted = (
        select(*kind, func.min(trials.c.case_id).label("case_id"), func.count().label("number"))
        .select_from(_OF_MODEL)
        .where(
            runs.c.id.in_(run_ids),
            trials.c.outcome.in_([outcome.value for outcome in outcomes]),
            trials.c.weight > 0,
            trials.c.error.is_not(None),
        )
        .group_by(*kind)
        .order_by(func.min(trials.c.seq))
    )
    for row in connection.execute(wanted):
        message = unescape(row.error)
        error_type = unescape_or_none(row.error_type) or row.outcome
        form = message.replace(repr(unescape(row.case_id)), "")
        yield _Reason(unescape(row.model), error_type, message, form, row.number)


def _notes(
    connection: Connection, run_ids: Sequence[str], outcomes: Collection[Outcome]
) -> Iterator[_Reason]:
    """Yield the notes of missing scores."""
    newest = and_(scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version)
    wanted = (
        select(run_models.c.model, scores.c.body)
        .select_from(_OF_MODEL.join(scores, newest))
        .where(
            runs.c.id.in_(run_ids),
            trials.c.outcome.in_([outcome.value for outcome in outcomes]),
            trials.c.weight > 0,
            trials.c.error.is_(None),
        )
        .order_by(trials.c.seq)
    )
    for row in connection.execute(wanted):
        if notes := decode(row.body, Score).notes:
            yield _Reason(unescape(row.model), "", notes, notes, 1)


def _causes(reasons: Iterable[_Reason]) -> tuple[FailureCause, ...]:
    """Return the most frequent reason of each model."""
    by_model: dict[str, list[_Reason]] = {}
    for reason in reasons:
        by_model.setdefault(reason.model, []).append(reason)
    return tuple(_cause(model, found) for model, found in by_model.items())


def _cause(model: str, found: Sequence[_Reason]) -> FailureCause:
    counted = Counter[tuple[str, str]]()
    for reason in found:
        counted[reason.kind, reason.form] += reason.trials
    most, number = counted.most_common(1)[0]
    alike = [reason for reason in found if (reason.kind, reason.form) == most]
    return FailureCause(
        model=model,
        error_type=most[0],
        message=alike[0].message,
        trials=number,
        of=sum(counted.values()),
        is_example=len({reason.message for reason in alike}) > 1,
    )
