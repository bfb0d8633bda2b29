"""JUnit XML: a report that build servers read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from benchmaker.record import INFRASTRUCTURE, Trial
from benchmaker.redact import Redactor
from benchmaker.report.inert import clamped

# XML 1.0 forbids these, escaped ones included (W3C recommendation, section 2.2).
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ANSWER = 2_000


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
    threshold: float | None = None,
    redactor: Redactor | None = None,
) -> None:
    """Writes one testsuite per model with one testcase per trial.

    A trial fails below the threshold, is an error where infrastructure failed, and is skipped
    where it has no score. Answers are clamped; secrets are taken out, and so are the control
    characters that XML forbids.

    Args:
        trials: of one run or several; with several the run is part of the testcase's name.
        stream: text, written as UTF-8.
        name: of the whole, usually the suite's.
        threshold: the least score that passes, 0 to 1; None for exactly 1.
        redactor: knows further secrets.
    """
    write = _Writer(name, 1.0 if threshold is None else threshold, redactor or Redactor())
    suites: dict[str, _Suite] = {}
    for trial in trials:
        write.add(suites.setdefault(trial.model, _Suite()), trial)
    stream.writelines(write.document(suites))


class _Writer:
    def __init__(self, name: str, threshold: float, redactor: Redactor) -> None:
        self._name = name
        self._threshold = threshold
        self._hide = redactor.text
        self._first_run: str | None = None

    def add(self, suite: _Suite, trial: Trial) -> None:
        seconds = trial.completion.latency_s if trial.completion else None
        suite.time += seconds or 0.0
        classname = self._attribute(f"{self._name}.{trial.model}")
        head = f"<testcase name={self._attribute(self._case(trial))} classname={classname}"
        timed = "" if seconds is None else f' time="{seconds:.3f}"'
        verdict = self._verdict(suite, trial)
        end = f">{verdict}</testcase>" if verdict else "/>"
        suite.cases.append(f"{head}{timed}{end}\n")

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
        self._first_run = self._first_run or trial.run_id
        if trial.run_id == self._first_run:
            return trial.case_id
        return f"{trial.case_id} (run {trial.run_id})"

    def _verdict(self, suite: _Suite, trial: Trial) -> str:
        """The element inside the testcase; empty for a pass."""
        score = trial.score.score if trial.score else None
        notes = trial.score.notes if trial.score else ""
        if trial.outcome in INFRASTRUCTURE:
            suite.errors += 1
            text = trial.error or "failed by infrastructure"
            return self._element("error", text, kind=trial.outcome.value, body="")
        if score is None:
            suite.skipped += 1
            reason = notes or trial.error or trial.outcome.value
            return f"<skipped message={self._attribute(clamped(reason, 300))}/>"
        if score >= self._threshold:
            return ""
        suite.failures += 1
        found = f"score {score * 100:.1f}, needed {self._threshold * 100:.1f}"
        return self._element(
            "failure",
            f"{found}. {notes}" if notes else found,
            kind=trial.outcome.value,
            body=_both(trial),
        )

    def _element(self, tag: str, message: str, *, kind: str, body: str) -> str:
        head = f"<{tag} message={self._attribute(clamped(message, 300))} type={quoteattr(kind)}"
        return f"{head}>{escape(self._clean(body))}</{tag}>" if body else f"{head}/>"

    def _attribute(self, text: str) -> str:
        return quoteattr(self._clean(text))

    def _clean(self, text: str) -> str:
        return _FORBIDDEN.sub("�", self._hide(text))


def _both(trial: Trial) -> str:
    expected = trial.score.expected if trial.score else None
    shown = "not given" if expected is None else clamped(expected, _ANSWER)
    return f"expected: {shown}\nanswer: {clamped(trial.text, _ANSWER)}"
