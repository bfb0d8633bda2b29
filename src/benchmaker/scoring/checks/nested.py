"""The scorers inside checks, at any depth."""

from collections.abc import Callable, Iterator

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.scoring.build import edition, parameters_of
from benchmaker.scoring.checks.values import UNSET
from benchmaker.spec import Case, Profile, ScorerSpec
from benchmaker.spec.documents.messages import kind
from benchmaker.spec.suites.check_spec import CHECKS, VALUE, CheckSpec, checks_in


def scorer_of_check(check: CheckSpec, profile: Profile) -> ScorerSpec:
    """Return the scorer of a check, without a ``value`` that stands for the expected answer.

    Raises:
        SpecError: the scorer is unknown.
        PluginError: it cannot be loaded.
    """
    spec = check.scorer
    if not _stands_for_expected(spec, profile):
        return spec
    return ScorerSpec.model_validate(
        {name: it for name, it in spec.model_dump().items() if name != VALUE}
    )


def expected_of_check(check: CheckSpec, profile: Profile) -> tuple[str, ...] | None:
    """Return the texts of a ``value`` that replaces the expected answer; None without one.

    Raises:
        SpecError: it is not a text or a list of texts, or null where null is no value; or the
            scorer is unknown.
    """
    if VALUE in check.parameters and check.parameters[VALUE] is None:
        _require_null(check.scorer, profile)
    if not _stands_for_expected(check.scorer, profile):
        return None
    given = check.parameters[VALUE]
    several = given if isinstance(given, (list, tuple)) and given else [given]
    if all(isinstance(one, (str, int, float)) and not isinstance(one, bool) for one in several):
        return tuple(map(str, several))
    raise SpecError(f"value must be a text or a list of texts, not {kind(given)}.")


def case_for_check(case: Case, expected: tuple[str, ...] | None) -> Case:
    """Return the case as a check sees it, with the texts that replace its expected answer."""
    if expected is None:
        return case
    return case.model_copy(update={"expected": expected[0], "also_expected": expected[1:]})


def _require_null(spec: ScorerSpec, profile: Profile) -> None:
    """Refuse a ``value`` of null for a scorer that has no use for it."""
    own = parameters_of(edition(plugins.load("scorer", spec.id), profile)).get(VALUE)
    if own is None or own.default is not UNSET:
        raise SpecError("value is null.", hint="Remove it, or give a value.")


def _stands_for_expected(spec: ScorerSpec, profile: Profile) -> bool:
    if VALUE not in spec.parameters:
        return False
    return VALUE not in parameters_of(edition(plugins.load("scorer", spec.id), profile))


def scorers_in(spec: ScorerSpec, profile: Profile) -> Iterator[ScorerSpec]:
    """Yield the scorers that a scorer applies, at any depth of its checks; any other itself."""
    if spec.id != CHECKS:
        yield spec
        return
    for check in checks_in(spec):
        yield from scorers_in(scorer_of_check(check, profile), profile)


def applications(
    spec: ScorerSpec, case: Case, profile: Profile
) -> Iterator[tuple[ScorerSpec, Case]]:
    """Yield the scorers of :func:`scorers_in`, each with the case as it sees it."""
    if spec.id != CHECKS:
        yield spec, case
        return
    for check in checks_in(spec):
        seen = case_for_check(case, expected_of_check(check, profile))
        yield from applications(scorer_of_check(check, profile), seen, profile)


def map_scorers(
    spec: ScorerSpec, change: Callable[[ScorerSpec], ScorerSpec], profile: Profile
) -> ScorerSpec:
    """Return the spec with ``change`` applied to each scorer of :func:`scorers_in`."""
    if spec.id != CHECKS:
        return change(spec)
    changed = [_map_check(check, change, profile) for check in checks_in(spec)]
    return ScorerSpec.model_validate({**spec.model_dump(), CHECKS: changed})


def _map_check(
    check: CheckSpec, change: Callable[[ScorerSpec], ScorerSpec], profile: Profile
) -> dict[str, object]:
    scorer = scorer_of_check(check, profile)
    own = {name: it for name, it in check.model_dump().items() if name not in scorer.parameters}
    return {**own, **map_scorers(scorer, change, profile).parameters}
