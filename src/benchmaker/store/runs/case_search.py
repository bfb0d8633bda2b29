"""Search in the cases of runs: in ids, questions and answers; and the beginnings of answers.

Answers are scanned in the order of the suite with LIKE, without an index: a scan takes about a
millisecond per megabyte, and an index would slow down every stored answer. A scan ends early after
a number of bytes, and can be continued. The letters A to Z match in either case; all others as
they are written, in both databases. Answers are searched in their stored form; a match in one with
escaped characters, which may consist of the digits of an escape, is checked in its original form.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    Row,
    case,
    cast,
    collate,
    func,
    literal,
    select,
)

from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import ESCAPE, escape, unescape
from benchmaker.store.database.json_values import MARK, decode, encode
from benchmaker.store.database.tables import completions, suite_cases, trials
from benchmaker.store.runs.runs import run_number
from benchmaker.store.suites.suites import suite_number

SCANNED_BYTES = 96_000_000
"""Number of bytes of answers after which a scan for a page ends."""

_TRIALS_TOGETHER = 24_000
_CASES_TOGETHER = 500
_WILD = re.compile("[%_/]")
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_POSSIBLE, _CERTAIN = 1, 2


class CaseMatches(NamedTuple):
    """The positions of matching cases in order; ``end`` is the first unsearched one, or None."""

    positions: tuple[int, ...]
    end: int | None = None


class CaseLabels(NamedTuple):
    """The category and the tags of a case, with its position in the suite."""

    position: int
    category: str | None
    tags: tuple[str, ...]


class AnswerText(NamedTuple):
    """A part of an answer; whether it begins with the answer, and ends with it."""

    text: str
    has_beginning: bool
    has_end: bool


class _Turn(msgspec.Struct, gc=False):
    content: str = ""


class _CaseText(msgspec.Struct, gc=False):
    """The parts of a stored case that are searched."""

    id: str
    prompt: str | None = None
    messages: tuple[_Turn, ...] = ()
    vars: dict[str, Any] = {}
    category: str | None = None
    tags: tuple[str, ...] = ()


class CaseSearch:
    """Finds cases by the texts of questions and answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def positions(
        self, run_ids: Sequence[str], text: str, *, first: int = 0, most_bytes: int | None = None
    ) -> CaseMatches:
        """Return the cases whose id, question or answer in one of these runs contains the text.

        The runs share one version of a suite.

        Args:
            run_ids: the runs.
            text: the text to find.
            first: the position at which the search starts.
            most_bytes: the number of bytes of answers after which it ends; None for no limit.

        Raises:
            StoreError: an unknown run.
        """
        with self._database.read() as connection:
            runs = [run_number(connection, self._database, run_id) for run_id in run_ids]
            step = max(1, _TRIALS_TOGETHER // max(1, sum(len(run.models) for run in runs)))
            seqs = [run.seq for run in runs]
            last = connection.scalar(
                select(func.max(trials.c.position)).where(trials.c.run_seq.in_(seqs))
            )
            suite = runs[0].suite_seq
            found = set(self._in_questions(connection, suite, text, first))
            scanned, at, end = 0, first, -1 if last is None else int(last)
            while at <= end:
                if most_bytes is not None and scanned >= most_bytes:
                    break
                matching, size = self._in_answers(connection, seqs, text, (at, at + step - 1))
                found |= matching
                scanned, at = scanned + size, at + step
        stop = at if at <= end else None
        kept = sorted(place for place in found if stop is None or place < stop)
        return CaseMatches(tuple(kept), stop)

    def labels(self, suite_hash: str) -> Iterator[CaseLabels]:
        """Yield the category and the tags of each case of a suite, in order."""
        wanted = select(suite_cases.c.position, suite_cases.c.body)
        with self._database.read() as connection:
            number = suite_number(connection, self._database, suite_hash)
            rows = connection.execute(
                wanted.where(suite_cases.c.suite_seq == number)
                .order_by(suite_cases.c.position)
                .execution_options(yield_per=_CASES_TOGETHER)
            )
            for position, body in rows:
                case = decode(body, _CaseText)
                yield CaseLabels(position, case.category, case.tags)

    def texts(
        self,
        run_ids: Sequence[str],
        positions: Collection[int],
        *,
        models: Collection[str],
        limit: int,
        around: str = "",
        before: int = 0,
    ) -> Mapping[tuple[int, str], AnswerText]:
        """Return parts of the answers to these cases by these models, by position and model.

        Of several runs, it is the answer of the first one that has one. A part has ``limit``
        characters, from the beginning of the answer or from ``before`` characters before its first
        match of ``around``.
        """
        found: dict[tuple[int, str], AnswerText] = {}
        start = self._start(around, before) if around else literal(1)
        with self._database.read() as connection:
            for run_id in run_ids:
                run = run_number(connection, self._database, run_id)
                ranks = [run.ranks[model] for model in models if model in run.ranks]
                of_run = (trials.c.run_seq == run.seq, trials.c.model_rank.in_(ranks))
                for row in self._parts(connection, of_run, sorted(positions), start, limit):
                    key = row.position, run.models[row.model_rank]
                    if row.is_escaped:
                        part = _part_of(unescape(row.text), limit, around=around, before=before)
                    else:
                        has_end = row.start - 1 + len(row.text) >= row.length
                        part = AnswerText(row.text, row.start <= 1, has_end)
                    found.setdefault(key, part)
        return found

    def _start(self, text: str, before: int) -> ColumnElement[int]:
        """The place before the first match in an answer, from 1."""
        lowered = func.lower(self._plain(completions.c.text))
        first = self._place(lowered, escape(text).translate(_LOWER))
        return case((first > before, first - before), else_=1)

    def _place(self, column: ColumnElement[str], text: str) -> ColumnElement[int]:
        """The place of the text in the column, from 1; 0 without it."""
        find = func.instr if self._database.is_sqlite else func.strpos
        return find(column, text, type_=Integer)

    def _is_escaped(self) -> ColumnElement[bool]:
        """True for an answer with escaped characters."""
        return self._place(self._plain(completions.c.text), ESCAPE) > 0

    def _parts(
        self,
        connection: Connection,
        of_run: Sequence[ColumnElement[bool]],
        positions: Sequence[int],
        start: ColumnElement[int],
        limit: int,
    ) -> Iterator[Row[Any]]:
        """Yield parts of answers, whole ones if they have escaped characters."""
        text, is_escaped = completions.c.text, self._is_escaped()
        wanted = (
            select(
                trials.c.position,
                trials.c.model_rank,
                start.label("start"),
                case((is_escaped, text), else_=func.substr(text, start, limit)).label("text"),
                func.length(text).label("length"),
                is_escaped.label("is_escaped"),
            )
            .join(completions, completions.c.trial_seq == trials.c.seq)
            .where(*of_run)
        )
        for at in range(0, len(positions), _CASES_TOGETHER):
            part = positions[at : at + _CASES_TOGETHER]
            yield from connection.execute(wanted.where(trials.c.position.in_(part)))

    def _in_answers(
        self, connection: Connection, runs: Sequence[int], text: str, place: tuple[int, int]
    ) -> tuple[set[int], int]:
        """Return the cases with a matching answer between two positions, and the scanned bytes."""
        said = completions.c.text
        kind = case((self._is_escaped(), _POSSIBLE), else_=_CERTAIN)
        match = func.max(case((self._contains(said, escape(text)), kind), else_=0))
        length = func.length if self._database.is_sqlite else func.octet_length
        rows = connection.execute(
            select(trials.c.position, match, func.sum(length(self._bytes(said))))
            .join(completions, completions.c.trial_seq == trials.c.seq)
            .where(trials.c.run_seq.in_(runs), trials.c.position.between(*place))
            .group_by(trials.c.position)
        ).all()
        found = {row[0] for row in rows if row[1] == _CERTAIN}
        possible = [row[0] for row in rows if row[1] == _POSSIBLE]
        found.update(self._check_originals(connection, runs, text, possible))
        return found, sum(int(row[2]) for row in rows)

    def _check_originals(
        self, connection: Connection, runs: Sequence[int], text: str, positions: Sequence[int]
    ) -> Iterator[int]:
        """Yield those of the cases that have an answer with the text in its original form."""
        wanted = (
            select(trials.c.position, completions.c.text)
            .join(completions, completions.c.trial_seq == trials.c.seq)
            .where(trials.c.run_seq.in_(runs), self._contains(completions.c.text, escape(text)))
            .execution_options(yield_per=_CASES_TOGETHER)
        )
        for at in range(0, len(positions), _CASES_TOGETHER):
            part = positions[at : at + _CASES_TOGETHER]
            for position, said in connection.execute(wanted.where(trials.c.position.in_(part))):
                if text.translate(_LOWER) in unescape(said).translate(_LOWER):
                    yield position

    def _in_questions(
        self, connection: Connection, suite: int, text: str, first: int
    ) -> Iterator[int]:
        """Yield the cases whose id or question contains the text, from a position on."""
        body = suite_cases.c.body
        spelt = encode(text)
        is_odd = body.startswith(MARK)
        is_match = is_odd if spelt.startswith(MARK) else self._contains(body, spelt[1:-1]) | is_odd
        rows = connection.execute(
            select(suite_cases.c.position, body).where(
                suite_cases.c.suite_seq == suite,
                suite_cases.c.position >= first,
                is_match,
            )
        )
        wanted = text.translate(_LOWER)
        for position, stored in rows:
            if any(wanted in one.translate(_LOWER) for one in _texts(decode(stored, _CaseText))):
                yield position

    def _contains(self, column: ColumnElement[str], text: str) -> ColumnElement[bool]:
        literally = _WILD.sub(r"/\g<0>", text)
        plain = self._plain(column)
        like = plain.like if self._database.is_sqlite else plain.ilike
        return like(f"%{literally}%", escape="/")

    def _plain(self, column: ColumnElement[str]) -> ColumnElement[str]:
        """The column with the case rules of ASCII, which are those of SQLite, and the fastest."""
        return column if self._database.is_sqlite else collate(column, "C")

    def _bytes(self, column: ColumnElement[str]) -> ColumnElement[Any]:
        return cast(column, LargeBinary) if self._database.is_sqlite else column


def _part_of(text: str, limit: int, *, around: str, before: int) -> AnswerText:
    """Return a part of a whole answer, cut as those that the database cuts."""
    start = max(0, text.translate(_LOWER).find(around.translate(_LOWER)) - before)
    return AnswerText(text[start : start + limit], start == 0, start + limit >= len(text))


def _texts(case_text: _CaseText) -> Iterator[str]:
    yield case_text.id
    yield case_text.prompt or ""
    yield from (turn.content for turn in case_text.messages)
    yield from (str(value) for value in case_text.vars.values())
