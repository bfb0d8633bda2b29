"""A scorer, a provider and a report format that live outside of Benchmaker."""

from dataclasses import dataclass
from typing import ClassVar, TextIO

from benchmaker import Case, Completion, Score, Trial, provider, report_format, scorer
from benchmaker.providers.base import Request
from benchmaker.report import ReportSubject


@scorer(version="2")
@dataclass(frozen=True, slots=True)
class Mentions:
    """Full marks when the expected text occurs in the answer.

    Example:
        ``scorer: {id: mentions, ignore_case: false}``
    """

    ignore_case: bool = True

    def score(self, case: Case, trial: Trial) -> Score:
        """1 when it occurs, else 0."""
        expected = self._fold(case.expected or "")
        found = expected in self._fold(trial.text)
        return Score.of(float(found), notes="found" if found else f"{case.expected!r} is missing")

    def explain(self, score: Score) -> list[str]:
        """One line."""
        return [score.notes]

    def _fold(self, text: str) -> str:
        return text.casefold() if self.ignore_case else text


@scorer("polite")
def says_please(output: str, case: dict, *, word: str = "please") -> bool:  # noqa: ARG001
    """Whether the answer is polite.

    Example:
        ``scorer: {id: polite, word: thanks}``
    """
    return word in output.casefold()


@provider
class Parrot:
    """Answers with the question."""

    async def complete(self, request: Request) -> Completion:
        """The last message, repeated."""
        return Completion(text=request.messages[-1].content)


@report_format
class Outcomes:
    """Outcomes, a line a trial."""

    suffixes: ClassVar = (".csv", ".outcomes")
    media_type: ClassVar = "text/plain"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """The case and its outcome."""
        stream.writelines(f"{it.case_id} {it.outcome.value}\n" for it in subject.trials())
