"""Everything wrong with a suite's scorers, found before anything is spent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from benchmaker.errors import Finding, PluginError, SpecError
from benchmaker.scoring.base import Scorer
from benchmaker.scoring.build import Fault, build, faults
from benchmaker.scoring.schema import suite_schema
from benchmaker.spec import Case, CaseFields, Family, Limits, Places, Profile, ScorerSpec, Suite
from benchmaker.spec import profile as named_profile
from benchmaker.spec.case_file import CaseFile
from benchmaker.spec.findings import Findings
from benchmaker.spec.load import read_suite
from benchmaker.spec.places import Path as ValuePath

__all__ = ["check_suite", "load_checked", "notes_on", "suite_schema"]

_ROBUST_ONLY = ("extract", "extract_expected", "normalise")
_SHARED = "defaults"
_NAME_ONE = "Name one under scorer:, for the suite or for the case."


def load_checked(
    path: str | Path,
    *,
    profile: str | None = None,
    fields: CaseFields | None = None,
    defaults: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> Suite:
    """The suite in a file, its form and its scorers checked.

    Args:
        path: a whole suite (``.yaml``, ``.yml``, ``.json``) or cases alone (``.jsonl``, ``.csv``,
            also ``.gz``; the suite is then named for the file).
        profile: replaces the suite's own profile.
        fields: where the values stand in a file of cases alone.
        defaults: what fills gaps in a file of cases alone, the scorer among them.
        limits: how much is read before the file is refused.

    Raises:
        SpecError: with every fault at once, each with file, line and column.
    """
    reading = read_suite(path, profile=profile, fields=fields, defaults=defaults, limits=limits)
    is_sound = not reading.findings
    if reading.suite is not None:
        check = _Check(reading.suite, reading.findings)
        check.scorers(are_all_known=is_sound)
    reading.findings.raise_if_any()
    if reading.suite is None:  # pragma: no cover  a suite that is None comes with findings
        raise SpecError("the suite can't be read.", where=str(path))
    return reading.suite


def check_suite(suite: Suite) -> list[Finding]:
    """What is wrong with a suite, wherever it came from; empty when nothing is.

    Looked at are ids, weights, scorers and their parameters, and what each scorer says of its
    cases: patterns are compiled in the timed worker, expected numbers read. Each distinct scorer
    is built once. Findings stand at the lines of the suite's file where it has one.
    """
    check = _Check(suite, Findings())
    check.form()
    check.scorers()
    return sorted(check.findings.items)


def notes_on(suite: Suite) -> list[Finding]:
    """What is no fault and yet worth knowing: parameters that the classic family does not read."""
    if named_profile(suite.profile).family is not Family.CLASSIC:
        return []
    check = _Check(suite, Findings())
    for index, case in enumerate(suite.cases):
        spec, path = check.spec_of(index, case)
        for name in _ROBUST_ONLY:
            if spec is not None and name in (spec.model_extra or {}):
                check.add(
                    (*path, name), f"{name} has no effect: profile classic reads whole replies."
                )
    return sorted(check.findings.items)


@dataclass(frozen=True, slots=True)
class _Known:
    """One distinct scorer of a suite: built, or what is wrong with it."""

    key: bytes
    scorer: Scorer | None
    faults: tuple[Fault, ...] = ()
    has_pattern: bool = False


@dataclass(slots=True)
class _Check:
    suite: Suite
    findings: Findings
    known: dict[bytes, _Known] = field(default_factory=dict)
    told: set[Any] = field(default_factory=set)
    latest: tuple[ScorerSpec, _Known] | None = None

    @property
    def places(self) -> Places:
        return self.suite.places or Places(self.suite.source or f"suite {self.suite.name!r}")

    def add(self, path: ValuePath, message: str, hint: str = "") -> None:
        """Object to the value at a path; once, where many cases share a place."""
        place = self.places.of(path)
        if (place, message) not in self.told:
            self.told.add((place, message))
            self.findings.add(place, message, hint)

    def form(self) -> None:
        """Profile, ids and weights, of suites made in Python above all."""
        try:
            named_profile(self.suite.profile)
        except SpecError as exc:
            self.add(("profile",), exc.message, exc.hint)
        total, number, seen = 0.0, 0, set[int]()
        for index, case in enumerate(self.suite.cases):
            if hash(case.id) in seen:
                message = f"the id {case.id!r} is used twice."
                self.add(("cases", index, "id"), message, "Give each case its own id.")
            seen.add(hash(case.id))
            total, number = total + case.weight, number + 1
        if not number:
            self.add(("cases",), "the suite has no cases.", "Give it at least one.")
        elif total == 0 or not isfinite(total):
            message = f"the weights of all cases sum to {total:g}."
            self.add(("cases",), message, "Give at least one case a weight above 0.")

    def scorers(self, *, are_all_known: bool = True) -> None:
        """Each case's scorer, and what it says of the case.

        ``are_all_known`` is False where a scorer may be missing only because it was refused.
        """
        if self.suite.scorer is not None:
            self.examined(self.suite.scorer, ("scorer",))
        for index, case in enumerate(self.suite.cases):
            if self.findings.is_full:
                self.findings.more += 1
                return
            spec, path = self.spec_of(index, case)
            if spec is not None:
                self.case(index, case, self.examined(spec, path), path)
            elif are_all_known:
                place = ("cases", index) if self.places.cases is None else ("cases",)
                self.add(place, f"case {case.id!r} has no scorer.", _NAME_ONE)
                are_all_known = False

    def spec_of(self, index: int, case: Case) -> tuple[ScorerSpec | None, ValuePath]:
        """The scorer that applies to a case, and the path at which it is named."""
        if case.scorer is None:
            return self.suite.scorer, ("scorer",)
        cases = self.suite.cases
        if isinstance(cases, CaseFile) and case.scorer is cases.mapper.defaults.get("scorer"):
            return case.scorer, ("cases", _SHARED, "scorer")
        return case.scorer, ("cases", index, "scorer")

    def examined(self, spec: ScorerSpec, path: ValuePath) -> _Known:
        """The scorer, looked at once; its faults are told at each place that names it."""
        if self.latest is not None and spec is self.latest[0]:
            return self.latest[1]
        key = msgspec.json.encode(spec.model_dump(), order="sorted", enc_hook=repr)
        if key not in self.known:
            self.known[key] = _known(key, spec, self.profile())
        known = self.known[key]
        self.latest = (spec, known)
        at = self.spot(known, path)
        if at not in self.told:
            self.told.add(at)
            for fault in known.faults:
                where = (*path, fault.parameter) if fault.parameter else path
                self.add(where, fault.message, fault.hint)
        return known

    def spot(self, known: _Known, path: ValuePath) -> Any:  # noqa: ANN401  a key among those told
        """What is told once: a place in a document, or a scorer that lines of a data file name."""
        is_in_line = self.places.cases is not None and path[:1] == ("cases",) and path[1] != _SHARED
        return known.key if is_in_line else path

    def profile(self) -> Profile:
        try:
            return named_profile(self.suite.profile)
        except SpecError:
            return named_profile(Family.CLASSIC)

    def case(self, index: int, case: Case, known: _Known, path: ValuePath) -> None:
        """What the scorer says of a case; of its own pattern it is asked once."""
        ask = getattr(known.scorer, "check", None)
        own = ("pattern", self.spot(known, path)) if known.has_pattern else None
        if ask is None or own in self.told:
            return
        if own:
            self.told.add(own)
        where = (*path, "pattern") if known.has_pattern else ("cases", index, "expected")
        for message in _said(ask, case):
            has_line = self.places.of(where).line > 0
            self.add(where, message if has_line else f"case {case.id!r}: {message}")


def _known(key: bytes, spec: ScorerSpec, profile: Profile) -> _Known:
    """Build a scorer, or say what is wrong with it."""
    try:
        if wrong := faults(spec):
            return _Known(key, None, tuple(wrong))
        scorer = build(spec, profile)
    except (SpecError, PluginError) as exc:
        return _Known(key, None, (Fault("", exc.message, exc.hint),))
    return _Known(key, scorer, has_pattern=spec.parameters.get("pattern") is not None)


def _said(ask: Callable[[Case], Sequence[str]], case: Case) -> Sequence[str]:
    try:
        return ask(case)
    except Exception as exc:  # noqa: BLE001  a plug-in's own fault, told like any other
        return [f"the scorer can't check it: {type(exc).__name__}: {exc}."]
