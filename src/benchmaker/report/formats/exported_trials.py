"""The trials of a run with what other tools store beside each: the messages, the verdict."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmaker.record import Run, Score, Setup, Trial
from benchmaker.record.outcome import MODELS_DOING, Outcome
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.spec import Case
from benchmaker.spec.suites.case import Message

_SCORED = MODELS_DOING | {Outcome.SCORED}


@dataclass(frozen=True, slots=True)
class ExportedTrial:
    """A trial with its run, its setup, its case and the messages that were sent."""

    run: Run
    setup: Setup
    case: Case
    messages: tuple[Message, ...]
    trial: Trial

    @property
    def text(self) -> str:
        """The text of the answer; empty without one."""
        return self.trial.completion.text if self.trial.completion else ""

    @property
    def score(self) -> Score | None:
        """The score, if it has a value."""
        found = self.trial.score
        return found if found is not None and found.score is not None else None

    @property
    def is_failure(self) -> bool:
        """True if infrastructure failed, so that there is no answer to score."""
        return self.trial.outcome not in _SCORED and self.trial.outcome is not Outcome.UNSCORED

    @property
    def verdict(self) -> bool | None:
        """True if the answer passed its checks, or has full marks; None without a score."""
        score = self.score
        if score is None or score.score is None:
            return None
        passed = score.detail.get("passed")
        return passed if isinstance(passed, bool) else score.score >= 1.0

    @property
    def prompt(self) -> str:
        """The contents of the messages as one text."""
        return "\n\n".join(one.content for one in self.messages)


def exported_trials(subject: ReportSubject, *, setup: str | None = None) -> Iterator[ExportedTrial]:
    """Yield every trial of the runs, or of one setup, run by run, in the order of the cases."""
    from benchmaker.engine.runs.rescore import with_cases  # noqa: PLC0415  loads scorers
    from benchmaker.engine.trials.question import Questions  # noqa: PLC0415  as above

    for run in subject.result.runs:
        suite = subject.store.suite(run.suite_hash)
        questions = Questions(run, suite)
        trials = subject.store.trials(run.id)
        wanted = (it for it in trials if setup is None or it.model == setup)
        for trial, case in with_cases(wanted, suite.cases):
            messages = questions.question_for(case, trial.model).messages
            yield ExportedTrial(run, run.setup(trial.model), case, messages, trial)
