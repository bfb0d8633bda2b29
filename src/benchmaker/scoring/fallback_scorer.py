"""The scorer of cases for which a suite names none."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_file import CaseFile
from benchmaker.spec.suites.check_spec import ScorerSpec
from benchmaker.spec.suites.suite import Suite


def with_fallback_scorer(suite: Suite, scorer: ScorerSpec) -> Suite:
    """Return a suite in which ``scorer`` scores the cases without a scorer and checks of any kind.

    It is the scorer of the suite if no case has checks that it would join, and that of single cases
    otherwise. A suite in which every case is scored stays as it is.

    >>> checked = {"id": "a", "prompt": "?", "checks": ["json"]}
    >>> suite = Suite("s", [checked, {"id": "b", "prompt": "?"}])
    >>> [str(it.scorer) for it in with_fallback_scorer(suite, ScorerSpec(id="llm_judge")).cases]
    ['None', "id='llm_judge'"]
    """
    if suite.default_scorer is not None:
        return suite
    is_empty, is_any_unscored, is_any_checked = True, False, False
    for case in suite.cases:
        is_empty = False
        is_any_unscored |= _lacks_scoring(case)
        is_any_checked |= bool(case.checks) and case.scorer is None and not case.checks_only
    if not (is_any_unscored or is_empty):
        return suite
    if not is_any_checked:
        return replace(suite, scorer=scorer)
    return replace(suite, cases=_score_rest(suite.cases, scorer))


def _lacks_scoring(case: Case) -> bool:
    return case.scorer is None and not case.checks


def _score_rest(cases: Iterable[Case], scorer: ScorerSpec) -> Iterable[Case]:
    if isinstance(cases, CaseFile):
        return replace(cases, fallback_scorer=scorer)
    rest = _ScoredCases(cases, scorer)
    return tuple(rest) if isinstance(cases, tuple) else rest


@dataclass(frozen=True, slots=True)
class _ScoredCases:
    """A re-iterable over cases, with a scorer for those that lack scoring."""

    cases: Iterable[Case]
    scorer: ScorerSpec

    def __iter__(self) -> Iterator[Case]:
        for case in self.cases:
            yield case.with_fallback_scorer(self.scorer)
