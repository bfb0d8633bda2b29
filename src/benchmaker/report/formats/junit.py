"""JUnit XML: a report that build servers read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, TextIO
from xml.sax.saxutils import escape, quoteattr

from benchmaker.analysis.summary.decisions import Decision, GateVerdict
from benchmaker.analysis.summary.gate import gate_of
from benchmaker.plugins import report_format
from benchmaker.record import INFRASTRUCTURE, Trial, failure_words, outcome_words
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.formats.xml_text import FORBIDDEN
from benchmaker.report.runs.gate import decision_words
from benchmaker.report.sentences.check_words import failed_check_lines
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import truncate

_ANSWER = 2_000
_LEFT_TO_GATE = "; the threshold decides"
_WEIGHT_ZERO = "; the case has weight 0 and cannot fail"
_TAGS = {GateVerdict.FAILED: "failure", GateVerdict.UNDECIDED: "error"}


@report_format
class Junit:
    """JUnit XML."""

    suffixes: ClassVar = (".xml",)
    media_type: ClassVar = "application/xml"
    takes_threshold: ClassVar = True

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write a testsuite for each model, with the gate's decisions if there is a gate."""
        result, run = subject.result, subject.result.runs[0]
        gate = subject.gate or gate_of(run)
        write_junit(
            subject.trials(),
            stream,
            name=run.suite_name,
            decisions=gate.decisions(result.summary, result.columns) if gate else (),
            numbers=subject.run_numbers,
            redactor=subject.redactor,
        )


@dataclass(slots=True)
class _Suite:
    failures: int = 0
    errors: int = 0
    skipped: int = 0
    time: float = 0.0
    cases: list[str] = field(default_factory=list)


def write_junit(
    trials: Iterable[Trial],
    stream: TextIO,
    *,
    name: str = "benchmaker",
    decisions: Iterable[Decision] = (),
    numbers: Mapping[str, int] = MappingProxyType({}),
    redactor: Redactor | None = None,
) -> None:
    """Write one testsuite per model with one testcase per trial.

    Without a gate a trial fails below a score of 1, unless its checks passed; it is an error where
    its requests failed, and is skipped where it has no score or its case has weight 0. The failure
    lists the checks that did not pass. With a gate its decision alone fails: a further testcase
    ``threshold`` of each model passes, fails, or is an error where it is undecided, and every trial
    that is no pass is skipped, with what is wrong with it. Where trials have no score, or weights
    and groups make the cases worth fewer, the testcase says so, also where it passes. Answers are
    clamped; secrets are taken out, and so are the control characters that XML forbids.

    Args:
        trials: the trials of one or several runs.
        stream: text, written as UTF-8.
        name: the overall name, usually the suite's.
        decisions: a gate's decision on each model.
        numbers: the number of each run in its series, which is part of the names of testcases from
            the second run on. Names contain no ids, so that they are the same in every pipeline.
        redactor: removes further secrets.
    """
    gate = {one.model: one for one in decisions}
    write = _Writer(name, numbers, is_gated=bool(gate), redactor=redactor or Redactor())
    suites: dict[str, _Suite] = {model: _Suite() for model in gate}
    for model, decision in gate.items():
        write.decide(suites[model], decision)
    for trial in trials:
        write.add(suites.setdefault(trial.model, _Suite()), trial)
    stream.writelines(write.document(suites))


class _Writer:
    def __init__(
        self, name: str, numbers: Mapping[str, int], *, is_gated: bool, redactor: Redactor
    ) -> None:
        self._name = name
        self._numbers = numbers if len(numbers) > 1 else {}
        self._is_gated = is_gated
        self._hide = redactor.text

    def decide(self, suite: _Suite, decision: Decision) -> None:
        """The testcase of a model's gate."""
        words, tag = decision_words(decision), _TAGS.get(decision.verdict)
        suite.failures += tag == "failure"
        suite.errors += tag == "error"
        element = self._element(tag, words, kind="threshold", body="") if tag else ""
        if (decision.is_partial or decision.is_discounted) and not tag:
            element = f"<system-out>{escape(self._clean(words))}</system-out>"
        suite.cases.append(f"{self._head('threshold', decision.model)}{_close_testcase(element)}")

    def add(self, suite: _Suite, trial: Trial) -> None:
        seconds = trial.latency_s
        suite.time += seconds or 0.0
        timed = "" if seconds is None else f' time="{seconds:.3f}"'
        verdict = self._verdict(suite, trial)
        head = self._head(self._case(trial), trial.model)
        suite.cases.append(f"{head}{timed}{_close_testcase(verdict)}")

    def _head(self, case: str, model: str) -> str:
        classname = self._attribute(f"{self._name}.{model}")
        return f"<testcase name={self._attribute(case)} classname={classname}"

    def document(self, suites: dict[str, _Suite]) -> Iterator[str]:
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f"<testsuites name={self._attribute(self._name)}>\n"
        for model, suite in suites.items():
            yield (
                f'<testsuite name={self._attribute(model)} tests="{len(suite.cases)}" '
                f'failures="{suite.failures}" errors="{suite.errors}" '
                f'skipped="{suite.skipped}" time="{suite.time:.3f}">\n'
            )
            yield from suite.cases
            yield "</testsuite>\n"
        yield "</testsuites>\n"

    def _case(self, trial: Trial) -> str:
        number = self._numbers.get(trial.run_id, 1)
        return trial.case_id if number == 1 else f"{trial.case_id} (run {number})"

    def _verdict(self, suite: _Suite, trial: Trial) -> str:
        """The element inside the testcase; empty for a pass."""
        score = trial.score.score if trial.score else None
        notes = trial.score.notes if trial.score else ""
        uncounted = _LEFT_TO_GATE if self._is_gated else "" if trial.weight else _WEIGHT_ZERO
        if trial.outcome in INFRASTRUCTURE:
            text = failure_words(trial.error_type, trial.error) or outcome_words(trial.outcome)
            if uncounted:
                return self._add_skipped(suite, f"{trial.outcome.value}: {text}{uncounted}")
            suite.errors += 1
            return self._element("error", text, kind=trial.outcome.value, body="")
        if score is None:
            return self._add_skipped(suite, notes or trial.error or outcome_words(trial.outcome))
        if trial.score is not None and trial.score.is_right:
            return ""
        found = f"score {numbers.score(score)} of 100"
        sentence = f"{found}. {notes}" if notes else found
        if uncounted:
            return self._add_skipped(suite, f"{sentence}{uncounted}")
        suite.failures += 1
        return self._element(
            "failure", sentence, kind=trial.outcome.value, body=_expected_and_answer(trial)
        )

    def _add_skipped(self, suite: _Suite, reason: str) -> str:
        suite.skipped += 1
        return f"<skipped message={self._attribute(truncate(reason, 300))}/>"

    def _element(self, tag: str, message: str, *, kind: str, body: str) -> str:
        head = f"<{tag} message={self._attribute(truncate(message, 300))} type={quoteattr(kind)}"
        return f"{head}>{escape(self._clean(body))}</{tag}>" if body else f"{head}/>"

    def _attribute(self, text: str) -> str:
        return quoteattr(self._clean(text))

    def _clean(self, text: str) -> str:
        return FORBIDDEN.sub("�", self._hide(text))


def _close_testcase(verdict: str) -> str:
    return f">{verdict}</testcase>\n" if verdict else "/>\n"


def _expected_and_answer(trial: Trial) -> str:
    expected = trial.score.expectation if trial.score else None
    shown = "not given" if expected is None else truncate(expected, _ANSWER)
    checks = "".join(f"{truncate(line, _ANSWER)}\n" for line in failed_check_lines(trial.score))
    return f"{checks}expected: {shown}\nanswer: {truncate(trial.text, _ANSWER)}"
