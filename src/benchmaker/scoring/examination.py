"""The faults of a scorer's parameters, and of cases by their scorer, before any request."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchmaker import plugins
from benchmaker.errors import PluginError, SpecError
from benchmaker.scoring.base import Objection, Scorer
from benchmaker.scoring.build import ParameterFault, build, faults, parameters_of
from benchmaker.scoring.checks.conflicts import conflicts, metric_faults, weight_fault
from benchmaker.scoring.checks.nested import (
    case_for_check,
    expected_of_check,
    scorer_of_check,
    scorers_in,
)
from benchmaker.spec import Case, CheckSpec, Profile, ScorerSpec
from benchmaker.spec.documents.source_map import Path
from benchmaker.spec.documents.suggestions import nearest_name
from benchmaker.spec.suites.check_spec import CHECKS, VALUE, checks_in

Examine = Callable[[ScorerSpec], "ExaminedScorer"]


@dataclass(frozen=True, slots=True)
class ExaminedScorer:
    """One distinct scorer of a suite, as far as it can be built, with its faults.

    ``can_check_cases`` is true if no parameter needed for that is refused. ``parts`` are the
    examined checks of the scorer ``checks``, ``conflicts`` those of its faults that keep every
    answer from passing.
    """

    scorer: Scorer | None
    faults: tuple[ParameterFault, ...] = ()
    can_check_cases: bool = False
    parts: "tuple[ExaminedCheck, ...]" = ()
    conflicts: tuple[ParameterFault, ...] = ()


class ExaminedCheck(NamedTuple):
    """A check with its examined scorer, and the texts that replace the case's expected answer."""

    spec: CheckSpec
    examined: ExaminedScorer
    expected: tuple[str, ...] | None


class CaseObjection(NamedTuple):
    """A fault of a case; ``path`` leads to the check's value, and is empty for the expectation."""

    path: Path
    message: str


def examine(spec: ScorerSpec, profile: Profile, examine_part: Examine) -> ExaminedScorer:
    """Build a scorer from its valid parameters, and report the others.

    The scorers of checks are examined by ``examine_part``.
    """
    if spec.id != CHECKS:
        return _examine_alone(spec, profile)
    try:
        checks = checks_in(spec)
    except (ValidationError, TypeError):
        return _examine_alone(spec, profile)
    parts = [_examine_check(check, profile, examine_part) for check in checks]
    found = [
        replace(fault, parameter=CHECKS, inside=(at, *(fault.path or ("type",))))
        for at, part in enumerate(parts)
        for fault in part.examined.faults
    ]
    found += metric_faults(checks)
    if found:
        return ExaminedScorer(None, tuple(found), can_check_cases=True, parts=tuple(parts))
    alone = _examine_alone(spec, profile)
    threshold = spec.parameters.get("threshold")
    excluded = tuple(conflicts(checks, threshold, profile.family))
    return ExaminedScorer(
        alone.scorer,
        (*alone.faults, *excluded),
        can_check_cases=True,
        parts=tuple(parts),
        conflicts=excluded,
    )


def case_objections(known: ExaminedScorer, case: Case) -> Iterator[CaseObjection]:
    """Yield the faults of a case by its scorer, each check at its own value if it has one."""
    return _remarks(known, case, _objections)


def case_notes(known: ExaminedScorer, case: Case) -> Iterator[CaseObjection]:
    """Yield the notes of a case's scorer that are no faults, in the same way."""
    return _remarks(known, case, _notes)


def may_note(spec: ScorerSpec, profile: Profile) -> bool:
    """True if a scorer, or one of its checks, has notes on cases."""
    return any(hasattr(plugins.load("scorer", it.id), "notes") for it in scorers_in(spec, profile))


def _remarks(
    known: ExaminedScorer, case: Case, remarks: Callable[[Scorer | None, Case], Sequence[Objection]]
) -> Iterator[CaseObjection]:
    """Yield the remarks of a scorer and of its checks on a case."""
    if not known.can_check_cases:
        return
    if not known.parts and known.scorer is not None:
        yield from (CaseObjection(*it) for it in remarks(known.scorer, case))
    for at, part in enumerate(known.parts):
        is_checked = not part.spec.is_negated or getattr(
            part.examined.scorer, "check_if_negated", True
        )
        if not (is_checked or not case.tools):
            continue
        seen = case_for_check(case, part.expected)
        for path, message in _remarks(part.examined, seen, remarks):
            has_own_place = bool(path) or part.expected is not None
            place = (CHECKS, at, *(path or (VALUE,))) if has_own_place else ()
            named = (
                message if message.startswith(part.spec.type) else f"{part.spec.type}: {message}"
            )
            yield CaseObjection(place, named)


def ineffective_parameters(known: ExaminedScorer, spec: ScorerSpec, names: str) -> Iterator[Path]:
    """Yield the paths of the parameters that the class variable ``names`` lists."""
    unread = getattr(known.scorer, names, ())
    yield from ((name,) for name in unread if name in spec.parameters)
    for at, part in enumerate(known.parts):
        for path in ineffective_parameters(part.examined, part.spec.scorer, names):
            yield (CHECKS, at, *path)


def _examine_check(check: CheckSpec, profile: Profile, examine_part: Examine) -> ExaminedCheck:
    try:
        expected = expected_of_check(check, profile)
        scorer = scorer_of_check(check, profile)
    except (SpecError, PluginError) as exc:
        is_value = exc.message.startswith(VALUE)
        fault = ParameterFault(VALUE if is_value else "", exc.message, exc.hint)
        return ExaminedCheck(check, ExaminedScorer(None, (fault,)), None)
    examined = examine_part(scorer)
    if scorer.id == CHECKS:
        examined = _examine_group(examined, negated=check.is_negated)
    return ExaminedCheck(check, examined, expected)


def _examine_group(known: ExaminedScorer, *, negated: bool) -> ExaminedScorer:
    """The checks of a ``set``: one that can't pass is no fault if it is inverted."""
    faults = [it for it in known.faults if not (negated and it in known.conflicts)]
    if without_weight := weight_fault([part.spec for part in known.parts]):
        faults.append(without_weight)
    return replace(known, faults=tuple(faults))


def _examine_alone(spec: ScorerSpec, profile: Profile) -> ExaminedScorer:
    found: tuple[ParameterFault, ...] = ()
    try:
        found = tuple(faults(spec, profile))
        wrong = {fault.parameter for fault in found}
        sound = {name: it for name, it in spec.parameters.items() if name not in wrong}
        scorer = build(ScorerSpec(id=spec.id, **sound), profile)
    except (SpecError, PluginError) as exc:
        return ExaminedScorer(None, found or (ParameterFault("", exc.message, exc.hint),))
    found += tuple(_own_faults(scorer))
    return ExaminedScorer(scorer, found, _can_check(scorer, found))


def _own_faults(scorer: Any) -> Iterator[ParameterFault]:  # noqa: ANN401  a scorer, perhaps with faults
    try:
        faults: Sequence[Objection] = scorer.faults() if hasattr(scorer, "faults") else ()
    except Exception as exc:  # noqa: BLE001  a plug-in's own fault, told like any other
        yield ParameterFault(
            "", f"the scorer can't check its parameters: {type(exc).__name__}: {exc}."
        )
        return
    for path, message in faults:
        yield ParameterFault(str(path[0]), message, inside=path[1:])


def _can_check(scorer: Scorer, found: Sequence[ParameterFault]) -> bool:
    """True if ``check`` and ``notes`` need no parameter that is faulty or possibly misspelt."""
    known = parameters_of(type(scorer))
    wrong = {nearest_name(it.parameter, known) if it.is_key else it.parameter for it in found}
    has_remarks = hasattr(scorer, "check") or hasattr(scorer, "notes")
    return has_remarks and not wrong & set(getattr(scorer, "check_needs", known))


def _objections(scorer: Any, case: Case) -> Sequence[Objection]:  # noqa: ANN401  a scorer that has a check
    try:
        said: Sequence[str | Objection] = scorer.check(case) if hasattr(scorer, "check") else ()
    except Exception as exc:  # noqa: BLE001  a plug-in's own fault, told like any other
        said = [f"the scorer can't check the case: {type(exc).__name__}: {exc}."]
    return [it if isinstance(it, Objection) else Objection((), it) for it in said]


def _notes(scorer: Any, case: Case) -> Sequence[Objection]:  # noqa: ANN401  a scorer
    try:
        said: Sequence[Objection] = scorer.notes(case) if hasattr(scorer, "notes") else ()
    except Exception as exc:  # noqa: BLE001  as above
        return [Objection((), f"the scorer can't read the case: {type(exc).__name__}: {exc}.")]
    return said
