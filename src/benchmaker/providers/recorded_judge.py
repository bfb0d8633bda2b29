"""Replies of judges that were recorded before."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from benchmaker.errors import Finding, ProviderError, SpecError
from benchmaker.providers.recordings.answer_index import RecordedAnswerIndex
from benchmaker.providers.recordings.answer_lines import AnswerLines
from benchmaker.record import Completion, Judgment, Run, Trial
from benchmaker.spec import AnswerFields
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, read_rows
from benchmaker.spec.documents.source_map import SourceLocation, as_text

UNNAMED = "recorded"
"""The name of a judge whose lines don't name it."""

NAME_THE_RUN = (
    'Give each reply the run whose answer it is to, as in "run": 2, or the answer itself, as in '
    '"answer": "…".'
)
"""The field to add to replies that fit several answers."""

_ORDERS = ("", "ab", "ba")


class JudgedAnswer(NamedTuple):
    """The answer that was judged: the number of its run, the run's label in a file, its text."""

    run: int | None = None
    label: str | None = None
    answer: str | None = None

    @classmethod
    def of(cls, trial: Trial, run: Run) -> "JudgedAnswer":
        """The answer of a trial."""
        labels = run.provider.get("run_labels") or ()
        label = labels[run.number - 1] if run.number <= len(labels) else None
        return cls(run.number, label, trial.text)


class RecordedJudge:
    """Replies from a file of JSON lines, a JSON array, or CSV, plain or gzipped.

    A line holds ``model`` (the author of the judged answer), ``id`` (of the case) and ``output``
    (the whole reply), and if there are several: ``run`` (of the judged answer), ``answer`` (its
    text), ``judge``, ``repeat`` (from 1) and ``order`` (``ab`` if the judged answer was shown
    first, ``ba`` if second). ``judges`` are those of the file in order of first appearance, and
    ``repeats`` is the number of each one's replies to an answer. Memory grows by 32 bytes per
    reply, and by about 100 more for a reply without a run once it was used.

    A reply that names neither run nor answer applies to one answer: those of all runs, if they are
    equal.
    """

    kind: ClassVar[str] = "recorded_judge"

    def __init__(self, path: Path, index: RecordedAnswerIndex, found: "_ReplyFile") -> None:
        self.judges = tuple(found.repeats)
        self.repeats: Mapping[str, int] = found.repeats
        self._found = found
        self._served: dict[int, int] = {}
        self._index = index
        self._path = path
        with path.open("rb") as file:
            self._sha256 = hashlib.file_digest(file, "sha256").hexdigest()

    @classmethod
    def open(cls, path: str | Path, *, limits: Limits | None = None) -> Self:
        """Read a file of replies.

        Raises:
            SpecError: all faults together: unreadable lines or missing fields, and two replies with
                one key.
        """
        limits = limits or Limits()
        index = RecordedAnswerIndex()
        try:
            return cls(Path(path), index, _read(Path(path), index, limits))
        except BaseException:
            index.close()
            raise

    def __len__(self) -> int:
        return len(self._index)

    def find(self, judgment: Judgment, judged: JudgedAnswer | None = None) -> Completion:
        """Return the recorded reply to a question about an answer.

        Raises:
            ProviderError: the file has none, records a failed request, or does not identify one of
                several answers.
        """
        judged = judged or JudgedAnswer()
        if judgment.purpose == "judge":
            for key in self._found.keys(judgment, judged):
                found = self._index.find(judgment.model, judgment.case_id, key.label)
                if found is not None:
                    self._serve_one(judgment, key, judged)
                    return found
        order = f", order {judgment.order}" if judgment.order else ""
        run = f", run {judged.run}" if judged.run and self._found.runs else ""
        raise ProviderError(
            f"no recorded reply of {judgment.judge} ({judgment.purpose}, repeat {judgment.repeat}"
            f"{order}{run}) to the answer of {judgment.model!r} to case {judgment.case_id!r}."
        )

    def are_shared(self, model: str, case_id: str) -> bool:
        """True if a reply to a model's answer to a case names neither its run nor the answer."""
        labels = (_Key(judge, 1, order).label for judge, order in product(self.judges, _ORDERS))
        return any(self._index.get(model, case_id, label) is not None for label in labels)

    def _serve_one(self, judgment: Judgment, key: "_Key", judged: JudgedAnswer) -> None:
        """Refuse to serve a second, different answer by a reply that does not say which it is to.

        Raises:
            ProviderError: it would.
        """
        if key.run or key.answer or judged.answer is None:
            return
        place, answer = (
            hash((judgment.model, judgment.case_id, key.label)),
            hash(judged.answer.strip()),
        )
        if self._served.setdefault(place, answer) != answer:
            raise ProviderError(
                f"the recorded reply of {judgment.judge} to the answer of {judgment.model!r} to "
                f"case {judgment.case_id!r} has no run, but the answers of the runs differ.",
                hint=NAME_THE_RUN,
            )

    def description(self) -> dict[str, Any]:
        """Return the description of the judges for a run's record: the file, and its hash."""
        return {
            "kind": self.kind,
            "path": str(self._path.absolute()),
            "sha256": self._sha256,
            "replies": len(self._index),
        }

    def close(self) -> None:
        """Let go of the temporary file."""
        self._index.close()


class _Key(NamedTuple):
    """The key that distinguishes replies to a model's answer to a case."""

    judge: str
    repeat: int
    order: str
    run: str = ""
    answer: str = ""

    @property
    def label(self) -> str:
        """The key as one text."""
        return "\n".join((str(self.repeat), self.order, self.run, self.answer, self.judge))


@dataclass(slots=True)
class _ReplyFile:
    """The content of a file of replies: repeats per judge, and the fields of its lines."""

    repeats: dict[str, int] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)
    names: set[tuple[bool, bool]] = field(default_factory=set)

    def note(self, key: _Key) -> None:
        """Count a line."""
        self.repeats[key.judge] = max(key.repeat, self.repeats.get(key.judge, 1))
        self.names.add((bool(key.run), bool(key.answer)))
        if key.run:
            self.runs.add(key.run)

    def keys(self, judgment: Judgment, judged: JudgedAnswer) -> Iterator[_Key]:
        """Yield the possible keys of a reply, most specific first."""
        run = judged.label if judged.label in self.runs else str(judged.run or "")
        answer = "" if judged.answer is None else _digest(judged.answer)
        for has_run, has_answer in sorted(self.names, reverse=True):
            if (has_run and not run) or (has_answer and not answer):
                continue
            named = (run if has_run else "", answer if has_answer else "")
            yield _Key(judgment.judge, judgment.repeat, judgment.order, *named)


def _digest(answer: str) -> str:
    text = answer.strip().encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _read(path: Path, index: RecordedAnswerIndex, limits: Limits) -> _ReplyFile:
    findings = Findings(limits.findings)
    lines = AnswerLines(AnswerFields())
    found = _ReplyFile()
    try:
        for row in read_rows(path, limits=limits, report=findings.take):
            try:
                for answer in lines.answers(row, frozenset()):
                    key = _key(row, answer.run)
                    index.add(answer._replace(run=key.label), row.number)
                    found.note(key)
            except SpecError as exc:
                findings.put(Finding(str(path), row.number, 1, exc.message, exc.hint))
    except SpecError as exc:
        findings.take(exc.findings)
    findings.raise_if_any()
    if not found.repeats:
        findings.add(SourceLocation(str(path)), "the file has no replies.")
    index.sort()
    for answer, first, again in index.duplicates():
        message = f"duplicate reply to {answer.model!r}, case {answer.case_id!r}; first at {first}."
        hint = "Distinguish them by run, answer, judge, repeat (from 1) and order (ab, ba)."
        findings.add(SourceLocation(str(path), again, 1), message, hint)
    findings.raise_if_any()
    return found


def _key(row: DataRow, run: str | None) -> _Key:
    judge = row.values.get("judge") or UNNAMED
    order = row.values.get("order") or ""
    answer = row.values.get("answer")
    if not isinstance(judge, str):
        raise SpecError(f"{judge!r} is not a judge.")
    if order not in _ORDERS:
        raise SpecError(f"{order!r} is not an order.", hint="Use ab or ba, or remove it.")
    if isinstance(answer, (dict, list)):
        raise SpecError("the answer is not text.", hint="Give the judged answer as text.")
    is_given = answer is not None and (answer != "" or row.text is not None)
    digest = _digest(as_text(answer)) if is_given else ""
    return _Key(judge, _repeat(row.values.get("repeat")), order, run or "", digest)


def _repeat(given: object) -> int:
    number = 1 if given in (None, "") else given
    if isinstance(number, str) and number.isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise SpecError(f"{given!r} is not a repeat.", hint="Count from 1.")
    return number
