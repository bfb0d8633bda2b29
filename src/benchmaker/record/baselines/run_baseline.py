"""The baseline of a run: the scores of its cases with hashes of questions and answers."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from benchmaker.record.setup import Setup
from benchmaker.spec.suites.profile import Metric

SCHEMA: Final = "benchmaker.baseline/1"
"""The name of the format, with its version."""

NOT_RUN: Final = "not run"
"""In place of an outcome: the case has no trial, since the run ended before it or goes on."""


class BaselineAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer: the SHA-256 of its text, its score and the metrics of its checks.

    ``judged`` is true if a judge took part in the score. ``text`` is only in baselines with
    answers.
    """

    sha256: str
    score: float | None
    metrics: dict[str, float | None] = {}
    judged: bool = False
    text: str | None = None

    def value(self, metric: str) -> float | None:
        """Return the answer's value of a metric: mean, strict, or one of checks."""
        if metric in {"mean", "strict"} and self.score is not None:
            return self.score if metric == "mean" else float(self.score == 1.0)
        return None if metric in {"mean", "strict"} else self.metrics.get(metric)


class BaselineScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A setup's answers to a case over ``runs`` runs, with the mean of their scores.

    ``unscored`` is the outcome of a trial without a score, or "not run"; empty if all have one.
    """

    score: float | None
    runs: int
    metrics: dict[str, float | None]
    answers: tuple[BaselineAnswer, ...]
    unscored: str = ""

    @classmethod
    def of(
        cls, answers: Iterable[BaselineAnswer], runs: int, *, unscored: str = ""
    ) -> "BaselineScores":
        """Return the answers with their means."""
        kept = tuple(answers)
        names = dict.fromkeys(name for one in kept for name in one.metrics)
        return cls(
            score=mean_of_answers(kept, "mean"),
            runs=runs,
            metrics={name: mean_of_answers(kept, name) for name in names},
            answers=kept,
            unscored=unscored,
        )


class BaselineCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case: hashes of its question and of its scoring, and the scores of each setup by name.

    ``scoring_sha256`` covers the expected answer, the scorer and the checks, ``sha256`` all of the
    case.
    """

    id: str
    sha256: str
    scoring_sha256: str
    weight: float
    group: str | None
    setups: dict[str, BaselineScores]


class RunBaseline(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run or a series as a baseline; scores from 0 to 1.

    ``profile`` are the scoring rules with their version, ``metric`` the default metric. ``judges``
    are the models that judged. ``unfinished`` says of a run that did not end what became of it,
    such as "was interrupted"; it is empty for a finished one.
    """

    schema_version: str
    package_version: str
    suite: str
    suite_sha256: str
    run_ids: tuple[str, ...]
    profile: str
    metric: Metric
    judges: tuple[str, ...]
    setups: tuple[Setup, ...]
    cases: tuple[BaselineCase, ...]
    unfinished: str = ""

    @property
    def n_missing(self) -> int:
        """The number of pairs of a case of positive weight and a setup without a score."""
        return sum(
            (scores := case.setups.get(name)) is None or scores.score is None
            for case in self.cases
            if case.weight > 0
            for name in self.setup_names
        )

    @property
    def setup_names(self) -> tuple[str, ...]:
        """The names of its setups, in the order of its tables."""
        return tuple(one.name for one in self.setups)

    @property
    def noun(self) -> str:
        """The word for a setup: "model" where none has a prompt or an effort."""
        has_dimensions = any(one.prompt_id is not None or one.effort for one in self.setups)
        return "setup" if has_dimensions else "model"

    @property
    def has_answers(self) -> bool:
        """True if it has the texts of answers."""
        return any(one.text is not None for one in _answers(self))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it has values of."""
        named = dict.fromkeys(name for one in _answers(self) for name in one.metrics)
        return ("mean", "strict", *named)


def _answers(baseline: RunBaseline) -> Iterator[BaselineAnswer]:
    for case in baseline.cases:
        for scores in case.setups.values():
            yield from scores.answers


def mean_of_answers(answers: Iterable[BaselineAnswer], metric: str) -> float | None:
    """Return the mean of a metric over the answers that have one; None without any.

    The order of the answers changes no digit.
    """
    return mean_of_values([one.value(metric) for one in answers])


def mean_of_values(values: Sequence[float | None]) -> float | None:
    """Return the mean of the known values, added from the smallest on; None without any."""
    known = sorted(value for value in values if value is not None)
    total = 0.0
    for value in known:
        total += value
    return total / len(known) if known else None


def hash_answer(text: str) -> str:
    """Return the SHA-256 of an answer's text.

    >>> hash_answer("Paris")[:8]
    '5dd272b4'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def faults_of(baseline: RunBaseline) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what contradicts itself in a baseline, each with the path of its field."""
    if len(set(baseline.setup_names)) < len(baseline.setups):
        yield ("setups",), "two setups have the same name."
    seen: set[str] = set()
    for at, case in enumerate(baseline.cases):
        if case.id in seen:
            yield ("cases", at, "id"), f"case {case.id!r} is there twice."
        seen.add(case.id)
        if not (math.isfinite(case.weight) and case.weight >= 0):
            yield ("cases", at, "weight"), f"the weight is {case.weight:g}; weights are at least 0."
        for name, scores in case.setups.items():
            yield from _faults_of_scores(("cases", at, "setups", name), scores, baseline)


def _faults_of_scores(
    path: tuple[str | int, ...], scores: BaselineScores, baseline: RunBaseline
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if path[-1] not in baseline.setup_names:
        yield path, f"setup {path[-1]!r} is not in the list of setups."
    for at, answer in enumerate(scores.answers):
        if answer.score is not None and not 0.0 <= answer.score <= 1.0:
            yield (*path, "answers", at, "score"), "a score must be from 0 to 1."
        if answer.text is not None and hash_answer(answer.text) != answer.sha256:
            yield (*path, "answers", at, "text"), "the text does not match its sha256."
    if scores.score != mean_of_answers(scores.answers, "mean"):
        yield (*path, "score"), "the score is not the mean of the answers."


def without_texts(baseline: RunBaseline) -> RunBaseline:
    """Return the baseline without the texts of answers."""
    return msgspec.structs.replace(
        baseline, cases=tuple(_case_without_texts(case) for case in baseline.cases)
    )


def _case_without_texts(case: BaselineCase) -> BaselineCase:
    kept = {
        name: msgspec.structs.replace(
            scores,
            answers=tuple(msgspec.structs.replace(one, text=None) for one in scores.answers),
        )
        for name, scores in case.setups.items()
    }
    return msgspec.structs.replace(case, setups=kept)


def baseline_schema() -> dict[str, Any]:
    """The JSON Schema of baselines, draft 2020-12."""
    (_,), parts = msgspec.json.schema_components((RunBaseline,), ref_template="#/$defs/{name}")
    body = parts.pop("RunBaseline")
    body["properties"]["schema_version"] = {"const": SCHEMA}
    _bound_score(parts["BaselineAnswer"]["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        **body,
        "$defs": parts,
    }


def _bound_score(fields: Mapping[str, Any]) -> None:
    for kind in fields["score"].get("anyOf", (fields["score"],)):
        if kind.get("type") == "number":
            kind.update(minimum=0, maximum=1)
