"""The arithmetic of one score."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from benchmaker.record import Extraction, Run, Score, Setup, Trial, failure_words
from benchmaker.record.score import expectation_of
from benchmaker.record.trial import UNSENT
from benchmaker.redact import Redactor
from benchmaker.report.sentences.outcomes import NO_ANSWER, outcome_text
from benchmaker.report.sentences.transcript_words import call_lines
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.report.tables.trial_rows import flags, transcript_fields
from benchmaker.report.tables.width import wrap_lines
from benchmaker.scoring.build import build
from benchmaker.spec import Case, Parameters, ScorerSpec, profile

ANSWER = 2_000
"""Maximum number of characters of a question or answer shown."""

_EXTRACTED = "scored: "
"""The beginning of a step that repeats the extracted text."""

_LABEL = 11


@dataclass(frozen=True, slots=True)
class Explanation:
    """The complete derivation of one score.

    ``steps`` are lines of arithmetic. ``recomputed`` is the score as recomputed now, None if it was
    not; ``same_digits`` compares it with the stored one. ``judges`` holds the calibration of each
    judge of the run. ``setup`` is that of the trial, if it is more than a model.
    """

    trial: Trial
    question: str | None
    expected: str | None
    also_expected: tuple[str, ...]
    steps: tuple[str, ...]
    recomputed: Score | None = None
    judges: tuple[str, ...] = ()
    setup: Setup | None = None

    @property
    def expectation(self) -> str | None:
        """All right answers as one text; None if none is expected."""
        return expectation_of(self.expected, self.also_expected)

    @property
    def score(self) -> Score | None:
        """The stored score."""
        return self.trial.score

    @property
    def same_digits(self) -> bool | None:
        """True if rescoring gives exactly the stored score; None if it was not rescored."""
        if self.recomputed is None or self.score is None:
            return None
        return self.recomputed.score == self.score.score

    def to_dict(self, *, redactor: Redactor | None = None) -> dict[str, Any]:
        """Return plain data for JSON, with the whole answer and without secrets.

        It holds those fields of trial and score that explain the score.
        """
        score = self.score or Score(score=None)
        taken = score.extraction
        data = {
            "scale": "0-1",
            "run_id": self.trial.run_id,
            "model": self.trial.model,
            "case_id": self.trial.case_id,
            "outcome": self.trial.outcome.value,
            "question": self.question,
            "expected": self.expected,
            "also_expected": list(self.also_expected),
            "answer": self.trial.completion.text if self.trial.completion else None,
            "extraction": {"rule": taken.rule, "text": taken.text} if taken else None,
            "scorer": score.scorer,
            "scorer_version": score.scorer_version,
            "parameters": score.parameters,
            "profile": score.profile,
            "judges": list(self.judges),
            "steps": list(self.steps),
            "score": score.score,
            "raw_score": score.raw_score,
            "max_score": score.max_score,
            "confidence": score.confidence,
            "notes": score.notes,
            "flags": flags(self.trial),
            "weight": self.trial.weight,
            "score_version": self.trial.score_version,
            "recomputed": self.recomputed.score if self.recomputed else None,
            "same_digits": self.same_digits,
            "error": self.trial.error,
        }
        if self.trial.transcript is not None:
            made = transcript_fields(self.trial.transcript)
            data |= {"model_steps": made.pop("steps"), **made}  # steps are those of the scoring
        if self.setup is not None:
            data["setup"] = msgspec.to_builtins(self.setup)
        clean: dict[str, Any] = (redactor or Redactor()).tree(data)
        return clean

    def text(self, *, redactor: Redactor | None = None, width: int | None = None) -> str:
        """Return readable text, one fact per line; long texts are truncated.

        Lines over the width are wrapped, if there is one.
        """
        hide = redactor or Redactor()
        told = [(label, hide.text(value)) for label, value in self._facts() if value]
        return "".join(_fact(label, value, width) for label, value in told)

    def _facts(self) -> list[tuple[str, str]]:
        trial, score = self.trial, self.score
        answered = trial.completion is not None
        facts = [
            ("Case", trial.case_id),
            *self.setup_facts(),
            ("Run", trial.run_id),
            ("Question", self.question or ""),
            ("Expected", "nothing" if self.expectation is None else self.expectation),
            *self._call_facts(),
            ("Answer", (trial.text or "(empty)") if answered else NO_ANSWER),
            ("Outcome", outcome_text(trial)),
            ("Error", "" if answered else failure_words(trial.error_type, trial.error)),
        ]
        if score is None:
            return [*facts, ("Score", "none: the answer is unscored")]
        judges = [("Judge" if at == 0 else "", told) for at, told in enumerate(self.judges)]
        return [*facts, *_scoring_facts(score), *judges, *self._arithmetic(score)]

    def _call_facts(self) -> list[tuple[str, str]]:
        """The tool calls of the trial, one a line."""
        lines = call_lines(self.trial)
        return [("Tool calls" if at == 0 else "", line) for at, line in enumerate(lines)]

    def setup_facts(self) -> list[tuple[str, str]]:
        """The model, and the prompt, effort and parameters of its setup."""
        setup = self.setup
        if setup is None:
            return [("Model", self.trial.model)]
        unsent = {flag.removeprefix(UNSENT) for flag in flags(self.trial)}
        given = Parameters.of_record(setup.parameters)
        extras = {"extra_body": given.extra_body, "extra_headers": given.extra_headers}
        values = {**given.sent_values, **{name: it for name, it in extras.items() if it}}
        sent = {name: it for name, it in values.items() if name not in unsent}
        label = f" ({setup.label})" if setup.label else ""
        return [
            ("Model", f"{setup.model}{label}"),
            ("Prompt", setup.prompt_id or ""),
            ("Effort", setup.effort or ""),
            ("Sent", ", ".join(f"{name}={_plain_text(it)}" for name, it in sent.items())),
        ]

    def _arithmetic(self, score: Score) -> list[tuple[str, str]]:
        told = [one for one in self.steps if not (score.extraction and one.startswith(_EXTRACTED))]
        steps = [("Step" if at == 0 else "", step) for at, step in enumerate(told)]
        return [
            *steps,
            ("Score", _score_text(score)),
            ("Notes", score.notes if score.score is not None else ""),
            ("Flags", ", ".join(flags(self.trial))),
            ("Weight", f"{self.trial.weight:g}"),
            ("Recomputed", self._comparison()),
        ]

    def _comparison(self) -> str:
        match self.same_digits:
            case None:
                return ""
            case True:
                return "now: the same score"
            case False:
                now, again = self._recomputed_text(), self._rescore_command()
                return f"now: {now}, which differs from the stored score. Rescore with: {again}"

    def _recomputed_text(self) -> str:
        now = self.recomputed.score if self.recomputed else None
        return "none" if now is None else f"{now:.12g}"

    def _rescore_command(self) -> str:
        profile_name = self.score.profile.partition("/")[0] if self.score else ""
        chosen = f" --profile {profile_name}" if profile_name else ""
        return f"benchmaker rescore {self.trial.run_id}{chosen}"


def extraction_words(taken: Extraction) -> str:
    """The extracted text and the rule that found it."""
    return f"{taken.text!r} (rule {taken.rule})" if taken.text else "nothing"


def explain(
    trial: Trial,
    *,
    case: Case | None = None,
    recomputed: Score | None = None,
    run: Run | None = None,
) -> Explanation:
    """Return the derivation of a trial's latest score.

    The steps come from the scorer's own ``explain`` if its class can be loaded, otherwise from the
    figures stored with the score.

    Args:
        trial: the trial with its latest score.
        case: the case as it was sent, for the question, and for the expected answer if the score
            lacks it.
        recomputed: the score from rescoring.
        run: the run, for the setup, and for its judges and their calibrations.
    """
    score = trial.score
    stated = score is not None and score.expected is not None
    expected, also = (score.expected, score.also_expected) if score and stated else (None, ())
    if case is not None and not also:
        texts = case.expectations
        expected = next(iter(texts), None) if expected is None else expected
        also = tuple(text for text in texts if text != expected)
    return Explanation(
        trial=trial,
        question=_question(case),
        expected=expected,
        also_expected=also,
        steps=tuple(_steps(score)) if score else (),
        recomputed=recomputed,
        judges=tuple(_judges(score, run)) if score and run else (),
        setup=run.setup(trial.model) if run is not None and run.setups else None,
    )


def _plain_text(value: Any) -> str:  # noqa: ANN401  a parameter
    """A parameter's value as JSON."""
    return msgspec.json.encode(value, enc_hook=lambda it: it.model_dump()).decode()


def _judges(score: Score, run: Run) -> Sequence[str]:
    """Return the calibrations of the score's judges; empty without judges."""
    from benchmaker.report.sentences.judging import judge_calibration_lines  # noqa: PLC0415  loads numbers and judges

    asked = {one["judge"] for one in score.judgments}
    return judge_calibration_lines(run, asked)


def _question(case: Case | None) -> str | None:
    if case is None:
        return None
    if case.prompt is not None:
        return case.prompt
    return "\n".join(f"{turn.role}: {turn.content}" for turn in case.messages)


def _scoring_facts(score: Score) -> list[tuple[str, str]]:
    taken = score.extraction
    parameters = sorted(score.parameters.items())
    given = ", ".join(f"{key}={value!r}" for key, value in parameters if key != "checks")
    version = f" version {score.scorer_version}" if score.scorer_version else ""
    return [
        ("Extracted", extraction_words(taken) if taken else ""),
        ("Scorer", f"{score.scorer}{version}" if score.scorer else ""),
        ("Parameters", given),
        ("Profile", score.profile),
    ]


def _score_text(score: Score) -> str:
    if score.score is None:
        return f"none: {score.notes or 'no reason was recorded'}"
    parts = [f"{numbers.score(score.score)} of 100 ({numbers.plain_digits(score.score)})"]
    if score.raw_score is not None:
        of = "" if score.max_score is None else f" of {score.max_score:g}"
        parts.append(f"raw score {score.raw_score:g}{of}")
    if score.confidence is not None:
        parts.append(f"confidence {score.confidence:g}")
    return ", ".join(parts)


def _steps(score: Score) -> Sequence[str]:
    own = _scorer_steps(score)
    return own or [f"{key} = {_compact_json(value)}" for key, value in score.detail.items()]


def _scorer_steps(score: Score) -> Sequence[str]:
    """Return the scorer's own explanation; empty if unavailable or of another version."""
    if not score.scorer:
        return ()
    try:
        spec = ScorerSpec.model_validate({**score.parameters, "id": score.scorer})
        scorer: Any = build(spec, profile(score.profile))
        if scorer.version != score.scorer_version or not hasattr(scorer, "explain"):
            return ()
        return [str(line) for line in scorer.explain(score)]
    except Exception:  # noqa: BLE001  a plug-in may raise anything; the stored figures remain
        return ()


def _compact_json(value: Any) -> str:  # noqa: ANN401  plain data of any shape
    return json.dumps(value, ensure_ascii=False, default=str)


def _fact(label: str, value: str, width: int | None) -> str:
    shown = sanitise(truncate(value, ANSWER), lines=True)
    first, *more = wrap_lines(shown, None if width is None else width - _LABEL) or [""]
    indent = " " * _LABEL
    return "".join(
        f"{line.rstrip()}\n"
        for line in (f"{label:<{_LABEL}}{first}", *(f"{indent}{line}" for line in more))
    )
