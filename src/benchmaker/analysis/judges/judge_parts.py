"""Each judge's part in the current scores: its judgments, and the missing ones.

A panel scores an answer by the available judgments, so that losses are not visible in scores.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmaker.documents import Document
from benchmaker.errors import NotEnoughData
from benchmaker.record import Score

if TYPE_CHECKING:
    from benchmaker.stats.agreement import Coefficient

_PAIR = 2
_KINDS: Final = {"JudgeUnparsable": "unreadable", "JudgeRefused": "refused"}
_OLDER: Final = (
    ("no judgment can be read", "JudgeUnparsable"),
    ("the judge says that it can't judge", "JudgeRefused"),
)
"""How failures began before their kind was stored."""


@dataclass(frozen=True, slots=True)
class JudgePart:
    """One judge's part in the current scores, in judgments.

    Of the ``requested`` ones, ``unreadable`` are replies without a judgment, ``refused`` replies
    that declined to judge, and ``failed`` have no reply.
    """

    judge: str
    requested: int
    unreadable: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def missing_judgments(self) -> int:
        """The number of requested judgments that are missing."""
        return self.unreadable + self.refused + self.failed


@dataclass(frozen=True, slots=True)
class JudgeShare(Document):
    """The number of answers whose current score is by these judges, which score them together."""

    judges: tuple[str, ...]
    answers: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha over the answers scored by several judges, or the reason why not.

    ``weighting`` is the basis of the judges' weights.
    """

    alpha: "Coefficient | None" = None
    reason: str = ""
    weighting: str = ""


class JudgeTally:
    """Adds up the newest scores of runs, one at a time."""

    def __init__(self) -> None:
        self._judgments: Counter[str] = Counter()
        self._missing: Counter[tuple[str, str]] = Counter()
        self._panels: Counter[frozenset[str]] = Counter()
        self._medians: dict[str, list[tuple[int, Mapping[str, float]]]] = {}
        self._weightings: dict[str, dict[str, None]] = {}

    def add(self, scores: Iterable[tuple[int, Score]]) -> "JudgeTally":
        """The same tally with these scores, each with the position of its case."""
        for position, score in scores:
            for one in score.judgments:
                self._count(one)
            if score.score is not None and score.judgments:
                self._panels[_panel_of(score)] += 1
            for check, part in score.judged_parts:
                medians = _medians_of(part)
                if len(medians) >= _PAIR:
                    self._medians.setdefault(check, []).append((position, medians))
                    weightings = self._weightings.setdefault(check, {})
                    weightings.setdefault(str(part.get("weighting", "")))
        return self

    @property
    def judges(self) -> tuple[str, ...]:
        """Those whose judgments count, in order of first appearance."""
        return tuple(self._judgments)

    @property
    def deciding_judges(self) -> tuple[str, ...]:
        """Those of them with at least one judgment that could be used."""
        parts = map(self.part, self.judges)
        return tuple(it.judge for it in parts if it.missing_judgments < it.requested)

    def shares(self, judges: Iterable[str]) -> tuple[JudgeShare, ...]:
        """Return the number of scored answers by each set of judges; ``judges`` is the order.

        A judge without a judgment of an answer is not in the set that scored it.
        """
        order = {name: place for place, name in enumerate(judges)}

        def place(name: str) -> tuple[int, str]:
            return order.get(name, len(order)), name

        made = (JudgeShare(tuple(sorted(it, key=place)), n) for it, n in self._panels.items())
        return tuple(sorted(made, key=lambda it: [place(name) for name in it.judges]))

    def part(self, judge: str) -> JudgePart:
        """Return one judge's requested and missing judgments."""
        missing = {kind: self._missing[judge, kind] for kind in ("unreadable", "refused", "failed")}
        return JudgePart(judge, self._judgments[judge], **missing)

    def agreement(self, judges: Iterable[str], clusters: Mapping[int, int]) -> Agreement:
        """Return the agreement of these judges, over their medians for each answer.

        ``clusters`` is each case's cluster by position; answers to one case, by several
        models or in several runs, are not independent. Checks are different questions: with
        several of them there is one agreement for each, see :meth:`agreement_by_check`.
        """
        if len(self._medians) == 1:
            return self._agreement_on(next(iter(self._medians)), judges, clusters)
        weightings = dict.fromkeys(it for one in self._weightings.values() for it in one)
        reason = (
            f"{len(self._medians)} checks are judged, each of which has its own"
            if self._medians
            else "no answer has scores by two judges"
        )
        return Agreement(None, reason, "; ".join(weightings))

    def agreement_by_check(
        self, judges: Iterable[str], clusters: Mapping[int, int]
    ) -> dict[str, Agreement]:
        """Return the agreement of these judges on each check with scores by two of them."""
        order = tuple(judges)
        return {it: self._agreement_on(it, order, clusters) for it in self._medians if it}

    def _agreement_on(
        self, check: str, judges: Iterable[str], clusters: Mapping[int, int]
    ) -> Agreement:
        """Return the agreement on the answers to one question: a check, or the whole answer."""
        from benchmaker.stats.agreement import krippendorff_alpha  # noqa: PLC0415  7 MB, for panels

        order, weighting = tuple(judges), "; ".join(self._weightings[check])
        rows = [[medians.get(name) for name in order] for _, medians in self._medians[check]]
        taken = [clusters.get(position, position) for position, _ in self._medians[check]]
        try:
            found = krippendorff_alpha(rows, scale="interval", clusters=taken)
        except NotEnoughData as exc:
            return Agreement(None, exc.message, weighting)
        return Agreement(found, found.reason, weighting)

    def _count(self, one: Mapping[str, Any]) -> None:
        judge = str(one["judge"])
        self._judgments[judge] += 1
        if failure := str(one.get("failure", "")):
            self._missing[judge, _KINDS.get(_kind(one, failure), "failed")] += 1


def _panel_of(score: Score) -> frozenset[str]:
    """The judges with a judgment of the answer; those of its scorer if there is none."""
    decided = frozenset(str(it["judge"]) for it in score.judgments if not it.get("failure"))
    return decided or frozenset(_models_in(score.parameters))


def _medians_of(part: Mapping[str, Any]) -> dict[str, float]:
    """Each judge's median on an answer, of a page from its judgments of looks and code."""
    if judges := part.get("judges"):
        return {name: it["median"] for name, it in judges.items()}
    units: dict[str, list[float]] = {}
    for one in part.get("singles", ()):
        if "unit" in one and not one.get("failure"):
            units.setdefault(str(one["judge"]), []).append(one["unit"])
    return {name: median(values) for name, values in units.items()}


def _models_in(parameters: object) -> Iterator[str]:
    """Yield the names of judges in the parameters of a scorer, and of the scorers within it."""
    if isinstance(parameters, Mapping):
        for name, value in parameters.items():
            if name == "models" and isinstance(value, (list, tuple)):
                yield from (_judge_name(one) for one in value)
            else:
                yield from _models_in(value)
    elif isinstance(parameters, (list, tuple)):
        for one in parameters:
            yield from _models_in(one)


def _judge_name(juror: object) -> str:
    return str(juror["model"] if isinstance(juror, Mapping) else juror)


def _kind(one: Mapping[str, Any], failure: str) -> str:
    """The name of the error for which a judgment is missing."""
    stored = str(one.get("kind", ""))
    return stored or next((name for begun, name in _OLDER if failure.startswith(begun)), "")
