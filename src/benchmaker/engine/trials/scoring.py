"""From an answer to its outcome and score: the boundary where a scorer's failure becomes data."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, assert_never

import msgspec
from msgspec.structs import replace

from benchmaker import plugins
from benchmaker.errors import ScorerError
from benchmaker.record import (
    AWAITING_JUDGE,
    INFRASTRUCTURE,
    NO_END,
    POLICY_ZERO,
    FinishReason,
    Outcome,
    Run,
    Score,
    Trial,
    failure_words,
)
from benchmaker.redact import Redactor
from benchmaker.scoring.base import Ask, Scorer, is_asking, scores_refusals
from benchmaker.scoring.build import build, edition, parameters_of
from benchmaker.scoring.checks.checks import Checks
from benchmaker.scoring.checks.nested import map_scorers
from benchmaker.scoring.score import apply, stamp
from benchmaker.spec import Case, JudgeSpec, Message, Policies, Profile, ScorerSpec, Suite
from benchmaker.spec.suites.check_spec import locate_scorer
from benchmaker.spec.suites.rendering import case_with_prompt

Treatment = Literal["score", "zero", "leave_out"]

NO_SCORER = "no scorer set for the case or its suite"

_BY_FINISH = {
    FinishReason.FILTER: Outcome.FILTERED,
    FinishReason.REFUSAL: Outcome.REFUSED,
    FinishReason.LENGTH: Outcome.TRUNCATED,
    FinishReason.CONTEXT_OVERFLOW: Outcome.CONTEXT_OVERFLOW,
    FinishReason.TOOL_CALLS: Outcome.TRUNCATED,
}
_encode = msgspec.json.Encoder().encode
_UNTOUCHED = INFRASTRUCTURE | NO_END


class CaseScoring(NamedTuple):
    """The scoring of a case: the scorer, its spec, and the profile."""

    scorer: Scorer
    spec: ScorerSpec
    profile: Profile


class TrialScorer:
    """Scores the trials of one suite under one profile; each distinct scorer is built once.

    ``scorer`` replaces the suite's own default; a case with its own scorer keeps it. ``redactor``
    removes keys from scorers' errors before storage. ``judge`` takes precedence over the suite's
    and the scorer's judges, and ``weights`` are those of calibrated judges in a panel without its
    own. ``run`` has the setups of the trials, with whose prompts the scorer sees the case.
    """

    def __init__(
        self,
        suite: Suite,
        profile: Profile,
        *,
        scorer: ScorerSpec | None = None,
        redactor: Redactor | None = None,
        judge: JudgeSpec | None = None,
        weights: Mapping[str, float] = MappingProxyType({}),
        run: Run | None = None,
    ) -> None:
        self._run = run if run is not None and run.has_dimensions else None
        self._profile = profile
        self._judge = judge
        self._weights = weights
        self._suite = suite
        self._asking: dict[str, CaseScoring] = {}
        self._redactor = redactor or Redactor()
        self._policies = suite.policies
        self._overrides = scorer is not None
        default = scorer or suite.fixed_scorer
        folder = Path() if scorer else suite.folder
        self._default_judgement = self._scoring_by(default, folder) if default else None

    async def score(
        self,
        trial: Trial,
        case: Case,
        ask: Ask | None = None,
        *,
        sent: tuple[Message, ...] | None = None,
    ) -> Trial:
        """Return the trial with its outcome and, if it has one, its score.

        A trial with a judging scorer keeps waiting if ``ask`` is missing. ``case`` is the suite's;
        the scorer sees it with the messages that were ``sent``, rendered again if missing.
        """
        judgement = self.case_scoring(case)
        case = self.case_with_prompt(trial, case, sent)
        if ask is None and self._awaits(trial, judgement):
            return replace(trial, flags=(*trial.flags, AWAITING_JUDGE), outcome=Outcome.UNSCORED)
        return await score_trial(
            trial, case, judgement, policies=self._policies, redactor=self._redactor, ask=ask
        )

    def case_with_prompt(
        self, trial: Trial, case: Case, sent: tuple[Message, ...] | None = None
    ) -> Case:
        """Return the case as it was sent for a trial.

        It has the messages of its prompt, and the variables of the suite beside its own.
        """
        prompt_id = self._run.setup(trial.model).prompt_id if self._run else None
        case = case_with_prompt(self._suite, case, prompt_id, sent)
        if not self._suite.vars:
            return case
        return case.model_copy(update={"vars": {**self._suite.vars, **case.vars}})

    def _awaits(self, trial: Trial, judgement: CaseScoring | None) -> bool:
        """True if a judge must be queried: not if a policy decides."""
        if judgement is None or not is_asking(judgement.scorer):
            return False
        outcome = outcome_of(trial)
        chosen = treatment(outcome, trial, self._policies, judgement.scorer)
        return outcome not in _UNTOUCHED and chosen == "score"

    def has_made(self, trial: Trial, case: Case) -> bool:
        """True if the trial's score is exactly this scorer's, so that rescoring repeats it.

        False with a judge or after a failure of the scorer, which may have other results next time.
        """
        judgement, score = self.case_scoring(case), trial.score
        if judgement is None or score is None or trial.error_type or is_asking(judgement.scorer):
            return False
        return score == _stamp(score, case, judgement)

    def lacks_judge(self, case: Case) -> bool:
        """True if the case's scorer needs a judge and none is configured."""
        judgement = self.case_scoring(case)
        scorer = judgement.scorer if judgement else None
        inner = scorer.scorers if isinstance(scorer, Checks) else (scorer,)
        return any(map(_lacks_judge, inner))

    def case_scoring(self, case: Case) -> CaseScoring | None:
        """Return the scoring of a case; None without a scorer."""
        is_shared = self._overrides and not case.has_own_scoring
        if self._default_judgement and (is_shared or self._suite.shares_scorer(case)):
            return self._default_judgement
        spec = self._suite.scorer_of(case)
        return self._scoring_by(spec, self._suite.folder) if spec else None

    def _scoring_by(self, spec: ScorerSpec, folder: Path) -> CaseScoring:
        """Return the scoring by a scorer; the paths of its functions start at ``folder``."""
        if self._suite.grades:
            spec = map_scorers(spec, self._graded_spec, self._profile)
        scorer = build(locate_scorer(spec, folder), self._profile)
        if not is_asking(scorer):
            return CaseScoring(scorer, spec, self._profile)
        key = repr(spec)
        if key not in self._asking:
            self._asking[key] = self._with_judge(spec, folder)
        return self._asking[key]

    def _graded_spec(self, spec: ScorerSpec) -> ScorerSpec:
        return with_grades(spec, self._suite, self._profile)

    def _with_judge(self, spec: ScorerSpec, folder: Path) -> CaseScoring:
        """Return the scoring by a judging scorer with its judges; the stamp omits the prompt."""
        spec = map_scorers(spec, self._judging_spec, self._profile)
        prompted = map_scorers(spec, lambda one: with_judge_prompt(one, self._suite), self._profile)
        return CaseScoring(
            build(locate_scorer(prompted, folder), self._profile), spec, self._profile
        )

    def _judging_spec(self, spec: ScorerSpec) -> ScorerSpec:
        """Return a judging scorer's spec with its judges and their weights; others unchanged."""
        scorer = edition(plugins.load("scorer", spec.id), self._profile)
        if not is_asking(scorer):
            return spec
        spec = judging_spec(spec, scorer, suite=self._suite.judge, chosen=self._judge)
        if "weights_from" in parameters_of(scorer):
            spec = _with_weights(spec, build(spec, self._profile), self._weights)
        return spec


def _lacks_judge(scorer: object) -> bool:
    models = getattr(scorer, "models", None)
    return models is not None and not models and not getattr(scorer, "may_lack_judges", False)


def with_grades(spec: ScorerSpec, suite: Suite, profile: Profile) -> ScorerSpec:
    """The spec with the suite's wish for part marks, where the scorer knows any."""
    if not suite.grades or "grades" in spec.parameters:
        return spec
    if "grades" not in parameters_of(edition(plugins.load("scorer", spec.id), profile)):
        return spec
    return ScorerSpec.model_validate({"id": spec.id, "grades": True, **spec.parameters})


def with_judge_prompt(spec: ScorerSpec, suite: Suite) -> ScorerSpec:
    """Return the spec with the suite's own judge prompt, if the scorer accepts one."""
    prompt = suite.judge_prompt
    if not prompt or "instructions" not in parameters_of(plugins.load("scorer", spec.id)):
        return spec
    return ScorerSpec.model_validate({"id": spec.id, "instructions": prompt, **spec.parameters})


def _with_weights(spec: ScorerSpec, scorer: object, weights: Mapping[str, float]) -> ScorerSpec:
    """The spec with the weights of a calibrated panel; in a cascade the last judge decides."""
    jurors = getattr(scorer, "models", ())
    is_panel = len(jurors) > 1 and not getattr(scorer, "cascade", False)
    if not is_panel or any(it.weight is not None or it.model not in weights for it in jurors):
        return spec
    given = [{"model": it.model, "weight": weights[it.model]} for it in jurors]
    if not any(it["weight"] for it in given):
        return spec
    changed = {**spec.parameters, "models": given, "weights_from": "calibrated"}
    return ScorerSpec.model_validate({"id": spec.id, **changed})


def judging_spec(
    spec: ScorerSpec, scorer: type, *, suite: JudgeSpec | None, chosen: JudgeSpec | None
) -> ScorerSpec:
    """Return a judging scorer's spec with its judges: the run's, else its own, else the suite's.

    Only parameters of the scorer are set.
    """
    known = parameters_of(scorer)
    below = {name: it for name, it in (suite.parameters if suite else {}).items() if name in known}
    above = {
        name: it for name, it in (chosen.parameters if chosen else {}).items() if name in known
    }
    return ScorerSpec.model_validate({"id": spec.id, **below, **spec.parameters, **above})


async def score_trial(
    trial: Trial,
    case: Case,
    judgement: CaseScoring | None,
    *,
    policies: Policies,
    redactor: Redactor | None = None,
    ask: Ask | None = None,
) -> Trial:
    """Return the trial with its outcome decided and a score version added.

    Infrastructure failures are returned unchanged. Other outcomes caused by the model are scored by
    the suite's policies. An exception of a scorer is recorded on the trial with its type and
    without secrets, and the answer is kept: a :class:`~benchmaker.errors.ScorerError` (timeout,
    unreadable verdict) leaves it ``unscored``, any other is a ``scorer_error``.
    """
    outcome = outcome_of(trial)
    if outcome in _UNTOUCHED:
        return trial
    if judgement is None:
        return _with_score(trial, Outcome.UNSCORED, Score.unscored(NO_SCORER))
    match treatment(outcome, trial, policies, judgement.scorer):
        case "score":
            redactor = redactor or Redactor()
            return await _apply_scorer(trial, case, judgement, outcome, redactor=redactor, ask=ask)
        case "zero":
            return _with_score(trial, outcome, _zero(outcome, case, judgement))
        case "leave_out":
            reason = f"{outcome}: excluded by the suite's policy"
            return _with_score(trial, outcome, _stamp(Score.unscored(reason), case, judgement))
        case never:
            assert_never(never)


def is_scorable(trial: Trial) -> bool:
    """True if the model answered, or caused an outcome covered by a policy."""
    return outcome_of(trial) not in _UNTOUCHED


def outcome_of(trial: Trial) -> Outcome:
    """Return the outcome of the trial before any scorer.

    The provider's finish reason takes precedence; an answer of only white space is empty, or
    truncated if it calls tools. Without a completion it is the outcome of the request.
    """
    if trial.completion is None:
        return trial.outcome
    by_finish = _BY_FINISH.get(trial.completion.finish)
    if by_finish is not None:
        return by_finish
    if trial.completion.text.strip():
        return Outcome.SCORED
    return Outcome.TRUNCATED if _ends_with_calls(trial) else Outcome.EMPTY


def treatment(outcome: Outcome, trial: Trial, policies: Policies, scorer: Scorer) -> Treatment:
    """Return the treatment of this outcome by the suite's policies.

    A truncated answer is scored as it is; without any text it counts as empty, unless it calls
    tools, completely where the token limit cut it off. A refused, filtered or empty answer is
    scored as it is if the scorer, or one of its checks, is for refusals.
    """
    match outcome:
        case Outcome.REFUSED | Outcome.FILTERED | Outcome.EMPTY if scores_refusals(scorer):
            return "score"
        case Outcome.TRUNCATED if policies.truncated != "score" or _has_content(trial):
            return policies.truncated
        case Outcome.EMPTY | Outcome.TRUNCATED:
            return policies.empty
        case Outcome.FILTERED | Outcome.REFUSED:
            return policies.filtered if outcome is Outcome.FILTERED else policies.refused
        case Outcome.CONTEXT_OVERFLOW:
            return policies.context_overflow
        case _:
            return "score"


def _has_content(trial: Trial) -> bool:
    """True if there is a text, or a call that the token limit did not cut off."""
    return bool(trial.text.strip()) or _ends_with_calls(trial)


def _ends_with_calls(trial: Trial) -> bool:
    """True if the last answer calls tools; at the token limit, with at least one JSON object."""
    calls = trial.transcript.last_calls if trial.transcript else ()
    return len(calls) > len(trial.cut_off_calls)


async def _apply_scorer(
    trial: Trial,
    case: Case,
    judgement: CaseScoring,
    outcome: Outcome,
    *,
    redactor: Redactor,
    ask: Ask | None,
) -> Trial:
    try:
        score = validate_score(await apply(judgement.scorer, case, trial, ask))
    except Exception as exc:  # noqa: BLE001  foreign code may raise anything; it becomes data
        return _record_failure(trial, case, judgement, exc, redactor)
    if score.score is None:
        outcome = Outcome.UNSCORED
    return _with_score(trial, outcome, _stamp(score, case, judgement))


def validate_score(score: object) -> Score:
    """Return the score if it is valid.

    Raises:
        TypeError: not a score, or ``detail`` is not plain data.
        ValueError: outside 0 to 1.
    """
    if not isinstance(score, Score):
        raise TypeError(f"the scorer returned {type(score).__name__}, not a Score")
    if score.score is not None and not 0.0 <= score.score <= 1.0:
        raise ValueError(f"the scorer returned {score.score!r}; a score must be between 0 and 1")
    if score.detail:
        with suppress(UnicodeEncodeError):  # half a surrogate pair is plain data all the same
            _encode(score.detail)
    return score


def _record_failure(
    trial: Trial, case: Case, judgement: CaseScoring, exc: Exception, redactor: Redactor
) -> Trial:
    name, message = type(exc).__name__, redactor.text(str(exc))
    why = f"the scorer failed: {failure_words(name, message)}"
    score = _stamp(Score.unscored(why), case, judgement)
    outcome = Outcome.UNSCORED if isinstance(exc, ScorerError) else Outcome.SCORER_ERROR
    marked = _with_score(trial, outcome, score)
    return replace(marked, error_type=name, error=message)


def _zero(outcome: Outcome, case: Case, judgement: CaseScoring) -> Score:
    """The score of 0 by the suite's policy, which is also that of every check.

    A scorer that can score no answer to the case returns none for this one either.
    """
    notes = f"{outcome}: scored 0 by the suite's policy"
    make = getattr(judgement.scorer, "zero_score", None)
    score: Score = make(case, outcome, notes) if callable(make) else Score.of(0.0, notes=notes)
    if score.score is not None:
        score = replace(score, confidence=1.0, flags=(POLICY_ZERO, *score.flags))
    return _stamp(score, case, judgement)


def _stamp(score: Score, case: Case, judgement: CaseScoring) -> Score:
    return stamp(score, judgement.scorer, judgement.spec, judgement.profile, case.expectations)


def _with_score(trial: Trial, outcome: Outcome, score: Score) -> Trial:
    """The trial under its new score; where there is an answer, an error was an earlier scorer's."""
    is_answered = trial.completion is not None
    return replace(
        trial,
        outcome=outcome,
        score=score,
        score_version=trial.score_version + 1,
        error_type=None if is_answered else trial.error_type,
        error=None if is_answered else trial.error,
    )
