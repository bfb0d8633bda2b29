"""Checks all scorers of a suite before any request is paid for."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product, starmap
from math import isfinite
from typing import Any, NamedTuple

from benchmaker.errors import Finding, SpecError
from benchmaker.record import setup_name
from benchmaker.scoring.checks.conflicts import weight_fault
from benchmaker.scoring.examination import (
    ExaminedScorer,
    case_objections,
    examine,
)
from benchmaker.scoring.fallback_scorer import with_fallback_scorer
from benchmaker.scoring.suite_schema import suite_schema
from benchmaker.scoring.tool_check_faults import tool_check_faults
from benchmaker.scoring.tool_faults import case_tool_faults, tool_faults
from benchmaker.spec import Case, CaseFields, Family, Limits, Profile, ScorerSpec, SourceMap, Suite
from benchmaker.spec import profile as named_profile
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.messages import kind
from benchmaker.spec.documents.source_map import ArgumentMap, CaseSourceMap, SourceLocation
from benchmaker.spec.documents.source_map import Path as ValuePath
from benchmaker.spec.suites.case_file import CaseFile, RowSourceMap
from benchmaker.spec.suites.case_form import unfit_texts
from benchmaker.spec.suites.check_spec import CHECKS, locate_scorer
from benchmaker.spec.suites.draft import DraftCase, refused_fields_of
from benchmaker.spec.suites.header import unfit_header
from benchmaker.spec.suites.load import SuiteSource, read_suite
from benchmaker.spec.suites.located_cases import find_duplicates, locate_cases
from benchmaker.spec.suites.prompt_files import finding_of
from benchmaker.spec.suites.prompts import find_repeated
from benchmaker.spec.suites.rendering import scoring_faults, template_faults
from benchmaker.spec.suites.suite import ContentHasher

__all__ = ["SuiteCheck", "ValuePlace", "check_suite", "load_checked", "suite_schema"]

_QUESTION = frozenset({"prompt", "messages"})
_EXPECTATION = frozenset({"expected", "metadata"})
_DEFAULT = ("cases", "defaults", "scorer")
_SCORING = frozenset({"scorer", "checks"})
_NAME_ONE = "Set scorer: for the suite or for the case."
_ADD_CHECKS = "Add checks, or remove it."


def load_checked(
    path: SuiteSource,
    *,
    profile: str | None = None,
    fields: CaseFields | None = None,
    defaults: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    scorer: ScorerSpec | None = None,
    sheet: str | None = None,
) -> Suite:
    """Load the suite in a file or a mapping, with its form and its scorers checked.

    Args:
        path: a whole suite (``.yaml``, ``.yml``, ``.json``) or cases alone (``.jsonl``, ``.csv``,
            both also ``.gz``, ``.parquet``, ``.xlsx``; the suite is then named for the file); or
            the content of such a suite as a mapping, whose files are below the working directory.
        profile: replaces the suite's own profile.
        fields: the paths of values in a file of cases alone.
        defaults: values for gaps in a file of cases alone, the scorer included.
        limits: size limits of the file.
        scorer: the scorer of cases for which neither the suite, its data file nor the case names a
            scorer or checks.
        sheet: the sheet of a workbook with several.

    Raises:
        SpecError: all faults together, each with file, line and column, or with the place in the
            mapping. Faults of form hide no others: scorers are checked against the valid part of
            each case.
    """
    reading = read_suite(
        path, profile=profile, fields=fields, defaults=defaults, limits=limits, sheet=sheet
    )
    if scorer is not None and not reading.default_scorer:
        reading.suite = with_fallback_scorer(reading.suite, scorer)
    check = SuiteCheck(reading.suite, reading.findings, reading.refused)
    if reading.default_scorer is not None:
        check.report(check.examine(reading.default_scorer), ValuePlace(check.places, _DEFAULT))
    hashing = None if reading.findings.items else reading.suite.content_hasher()
    check.setups()
    check.tools()
    check.templates()
    check.scorers(hashing)
    reading.findings.raise_if_any()
    if hashing is not None:
        hashing.keep()
    reading.suite.sound_under.add(named_profile(reading.suite.profile).id)
    return reading.suite


def check_suite(suite: Suite, *, is_sent: bool = True) -> list[Finding]:
    """Return all faults of a suite from any source; empty if there are none.

    This checks ids, weights, texts that cannot be stored, scorers and their parameters, and each
    scorer's cases: patterns are compiled in the timed worker, expected numbers are read. Each
    distinct scorer is built once. Findings have lines if the suite comes from a file. Prompts that
    were sent before, ``is_sent`` false, may be unknown and thus empty.
    """
    check = SuiteCheck(suite, Findings(), is_sent=is_sent)
    check.form()
    check.setups()
    check.tools()
    check.templates()
    check.scorers()
    return sorted(check.findings.items, key=_by_line)


def _by_line(finding: Finding) -> tuple[str, int, int, str]:
    """The order of findings in files; those of suites made in Python stay as they were found."""
    if not finding.line:
        return ("", 0, 0, "")
    return (finding.file, finding.line, finding.column, finding.message)


class ValuePlace(NamedTuple):
    """The location of a scorer's name or another value, and its case."""

    places: SourceMap | CaseSourceMap | RowSourceMap
    path: ValuePath
    case: Case | None = None

    def locate(self, path: ValuePath) -> SourceLocation:
        """Return the location of a value below this one."""
        return self.places.locate((*self.path, *path))

    def locate_key(self, path: ValuePath) -> SourceLocation:
        """Return the location of the key of a value below this one."""
        return self.places.locate_key((*self.path, *path))

    def resolve(self, path: ValuePath) -> tuple["ValuePlace", ValuePath]:
        """Return the place that names the value at a path, and the path within it."""
        return self, path

    def word_message(self, place: SourceLocation, message: str) -> str:
        """The message, with the case's id where the place does not tell which case it is."""
        return message if place.line or self.case is None else f"case {self.case.id!r}: {message}"


class _ChecksPlace(NamedTuple):
    """The locations of the checks that make up a scorer, and of its other parameters."""

    parts: tuple[ValuePlace, ...]
    whole: ValuePlace

    def resolve(self, path: ValuePath) -> tuple[ValuePlace, ValuePath]:
        """Return the place that names the value at a path, and the path within it."""
        match path:
            case (str(name), int(at), *rest) if name == CHECKS and at < len(self.parts):
                return self.parts[at], tuple(rest)
        return self.whole, path


@dataclass(slots=True)
class SuiteCheck:
    """One pass over the scorers and the cases of a suite, with the findings so far.

    Without ``is_sent``, prompts were sent before and may be unknown.
    """

    suite: Suite
    findings: Findings
    refused: frozenset[str] = frozenset()
    built: dict[str, ExaminedScorer] = field(default_factory=dict)
    parts: dict[str, ExaminedScorer] = field(default_factory=dict)
    reported: set[tuple[SourceLocation, str]] = field(default_factory=set)
    latest: tuple[ScorerSpec, ExaminedScorer] | None = None
    is_any_named: bool = False
    has_checks: bool = False
    is_sent: bool = True
    lacking: list[Finding] = field(default_factory=list)

    @property
    def places(self) -> SourceMap:
        """The locations of the suite's values."""
        if self.suite.source is None:
            return self.suite.places or ArgumentMap(f"suite {self.suite.name!r:.80}")
        return self.suite.places or SourceMap(self.suite.source)

    def add(self, place: SourceLocation, message: str, hint: str = "") -> None:
        """Object to a value; once, where many cases share a place."""
        if (place, message) not in self.reported:
            self.reported.add((place, message))
            self.findings.add(place, message, hint)

    def form(self) -> None:
        """Profile, texts, ids and weights, of suites made in Python above all."""
        try:
            named_profile(self.suite.profile)
        except SpecError as exc:
            self.add(self.places.locate(("profile",)), exc.message, exc.hint)
        for path, message in unfit_header(self.suite):
            self.add(self.places.locate(path), message, "Remove it.")
        total, hashes = 0.0, array("q")
        for case, at in locate_cases(self.suite.cases, self.places):
            if not isinstance(case, Case):
                wrong = f"a case of the suite must be a Case, not {kind(case)}."
                raise SpecError(wrong, where=self.places.file)
            spot = ValuePlace(at, (), case)
            for path, message in unfit_texts(case):
                place = spot.locate(path)
                self.add(place, spot.word_message(place, message), "Remove it.")
            if case.vars and not case.rendered:
                message = spot.word_message(at.locate(()), "the variables are not applied.")
                self.add(at.locate(()), message, "Pass the cases as a list.")
            total += case.weight
            hashes.append(hash(case.id))
        self.totals(len(hashes), total)
        for one, place, first in find_duplicates(self.suite.cases, hashes, self.places):
            where = f"; first at {first}" if first.line else ""
            self.add(place, f"duplicate id {one!r}{where}.", "Give each case a unique id.")

    def totals(self, number: int, total: float) -> None:
        """A suite without cases, or without a weight above 0."""
        place = self.places.locate(("cases",))
        if not number:
            self.add(place, "the suite has no cases.", "Add at least one case.")
        elif total == 0 or not isfinite(total):
            message = f"the weights of all cases add up to {total:g}."
            self.add(place, message, "Give at least one case a weight above 0.")

    def setups(self) -> None:
        """Empty prompts, and setups that a table could not distinguish."""
        for index, prompt in enumerate(self.suite.prompts):
            if prompt.prompt is not None and not prompt.prompt.strip():
                place = self.places.locate(("prompts", index, "prompt"))
                self.add(place, "the prompt is empty.", "Add a text.")
        models, prompts = self.suite.models, [one.id for one in self.suite.prompts] or [None]
        parts = product((one.name for one in models), prompts, self.suite.efforts or (None,))
        for _, name in find_repeated(starmap(setup_name, parts)):
            message = f"two setups are named {name!r}."
            hint = "Change the label of a model or the id of a prompt."
            self.add(self.places.locate(("models",)), message, hint)

    def tools(self) -> None:
        """Parameters and functions of the tools."""
        for fault in tool_faults(self.suite):
            self.add(self.places.locate(fault.path), fault.message, fault.hint)

    def templates(self) -> None:
        """Render each prompt with every case, to report undefined variables before a run."""
        for path, case_id, fault in template_faults(self.suite):
            finding = finding_of(fault, self.places.locate(path), f" in case {case_id!r}")
            place = SourceLocation(finding.file, finding.line, finding.column)
            self.add(place, finding.message, finding.hint)

    def scorers(self, hashing: ContentHasher | None = None) -> None:
        """Check each named scorer and its cases, which ``hashing`` consumes."""
        if self.suite.fixed_scorer is not None:
            self.report(self.examine(self.suite.fixed_scorer), self.default_spot())
        for case, at in locate_cases(self.suite.cases, self.places):
            if self.findings.is_full:
                self.findings.is_cut = True
                return
            if hashing is not None:
                hashing.add(case)
            if not refused_fields_of(case) & _SCORING:
                self.case(case, at)
        if not self.refused & _SCORING:
            self.findings.take(self.lacking if self.is_any_named else self.lacking[:1])
            if self.suite.threshold is not None and not self.has_checks:
                place = self.places.locate(("threshold",))
                self.add(place, "threshold has no effect without checks.", _ADD_CHECKS)

    def case(self, case: Case, at: CaseSourceMap | RowSourceMap) -> None:
        """Check a case's scorer, and the case by its scorer."""
        self.question(case, at)
        self.case_tools(case, ValuePlace(at, (), case))
        if self.suite.has_scoring_templates and not self.can_be_rendered(case):
            self.is_any_named = self.has_checks = True
            return
        spec, spot = self.find_scorer(case, at)
        if spec is None:
            if len(self.lacking) < self.findings.limit:
                message = f"case {case.id!r} has no scorer."
                self.lacking.append(Finding(*at.locate(()), message, _NAME_ONE))
            return
        self.is_any_named = True
        self.has_checks |= spec.id == CHECKS
        known = self.examine(spec)
        self.report(known, spot)
        if without_weight := weight_fault([part.spec for part in known.parts]):
            self.report(replace(known, faults=(without_weight,)), spot)
        if case.threshold is not None or case.checks_only:
            self.unused_fields(case, spec, ValuePlace(at, (), case))
        if not refused_fields_of(case) & _EXPECTATION:
            for path, message in case_objections(known, case):
                expected = ValuePlace(at, ("expected",), case)
                named, inside = spot.resolve(path) if path else (expected, ())
                place = named.locate(inside)
                self.add(place, named.word_message(place, message))
            for fault in tool_check_faults(known, self.suite, case):
                named, inside = spot.resolve(fault.path)
                place = named.locate(inside)
                self.add(place, named.word_message(place, fault.message), fault.hint)

    def question(self, case: Case, at: CaseSourceMap | RowSourceMap) -> None:
        """An empty or missing question of a case; none if its prompts are not sent."""
        if not self.is_sent:
            return
        if _asks_nothing(case):
            asked = ValuePlace(at, ("prompt",) if case.prompt is not None else ("messages",), case)
            message = asked.word_message(asked.locate(()), "the prompt is empty.")
            self.add(asked.locate(()), message, "Add a prompt.")
        if self.lacks_question(case):
            whole, message = ValuePlace(at, (), case), "prompt is missing; add prompt or messages."
            self.add(at.locate(()), whole.word_message(at.locate(()), message))

    def case_tools(self, case: Case, spot: ValuePlace) -> None:
        """The tools that a case lists."""
        is_known = "tools" not in self.refused | refused_fields_of(case)
        for fault in case_tool_faults(self.suite, case) if is_known else ():
            message = spot.word_message(spot.locate(fault.path), fault.message)
            self.add(spot.locate(fault.path), message, fault.hint)

    def can_be_rendered(self, case: Case) -> bool:
        """False if a template of the suite's scoring lacks a variable, which is reported apart."""
        return not any(fault for _, fault in scoring_faults(self.suite, case))

    def unused_fields(self, case: Case, spec: ScorerSpec, spot: ValuePlace) -> None:
        """Report fields of a case that have no effect without checks."""
        is_unused = {
            "threshold": case.threshold is not None and spec.id != CHECKS,
            "checks_only": case.checks_only and not case.checks,
        }
        for name in (name for name, unused in is_unused.items() if unused):
            place = spot.locate((name,))
            message = f"{name} has no effect without checks."
            self.add(place, spot.word_message(place, message), _ADD_CHECKS)

    def lacks_question(self, case: Case) -> bool:
        """True if neither the case nor the suite has a prompt; drafts were examined before."""
        has_none = case.prompt is None and not case.messages and not self.suite.prompts
        return has_none and "prompts" not in self.refused and not isinstance(case, DraftCase)

    def find_scorer(
        self, case: Case, at: CaseSourceMap | RowSourceMap
    ) -> tuple[ScorerSpec | None, ValuePlace | _ChecksPlace]:
        """The scorer that applies to a case, and where it is named."""
        spec = self.suite.scorer_of(case)
        if not case.has_own_scoring:
            return spec, self.default_spot()
        own = self.scorer_spot(case, at)
        if spec is None or spec.id != CHECKS or not (case.checks or self.suite.checks):
            return spec, own or ValuePlace(at, (), case)
        shared = 0 if case.checks_only else len(self.suite.checks)
        parts = (
            *((own,) if own else ()),
            *(ValuePlace(self.places, (CHECKS, index)) for index in range(shared)),
            *(ValuePlace(at, (CHECKS, index), case) for index in range(len(case.checks))),
        )
        whole = ValuePlace(self.places, ()) if case.threshold is None else ValuePlace(at, (), case)
        return spec, _ChecksPlace(parts, whole)

    def scorer_spot(self, case: Case, at: CaseSourceMap | RowSourceMap) -> ValuePlace | None:
        """Where the scorer of a case is named, checks apart; None without one."""
        if case.scorer is None:
            is_named = self.suite.scorer is not None and not case.checks_only
            return ValuePlace(self.places, ("scorer",)) if is_named else None
        cases = self.suite.cases
        if isinstance(cases, CaseFile) and case.scorer is cases.mapper.defaults.get("scorer"):
            return ValuePlace(self.places, _DEFAULT)
        return ValuePlace(at, ("scorer",), case)

    def default_spot(self) -> ValuePlace | _ChecksPlace:
        """Where the scorer of cases without scoring of their own is named."""
        scorer = ValuePlace(self.places, ("scorer",))
        if not self.suite.checks:
            return scorer
        first = () if self.suite.scorer is None else (scorer,)
        own = (ValuePlace(self.places, (CHECKS, at)) for at in range(len(self.suite.checks)))
        return _ChecksPlace((*first, *own), ValuePlace(self.places, ()))

    def examine(self, spec: ScorerSpec) -> ExaminedScorer:
        """The scorer, looked at once."""
        if self.latest is None or spec is not self.latest[0]:
            key = repr(spec.model_dump())
            if key not in self.built:
                self.built[key] = self.examine_new(spec)
                self.suite.named_scorers[key] = spec
            self.latest = (spec, self.built[key])
        return self.latest[1]

    def examine_new(self, spec: ScorerSpec) -> ExaminedScorer:
        """The scorer, looked at for the first time; each of its checks once in a suite."""
        located = locate_scorer(spec, self.suite.folder)
        return examine(located, self.profile(), self.examine_part)

    def examine_part(self, spec: ScorerSpec) -> ExaminedScorer:
        """The scorer of a check, looked at once."""
        key = repr(spec.model_dump())
        if key not in self.parts:
            self.parts[key] = self.examine_new(spec)
        return self.parts[key]

    def report(self, known: ExaminedScorer, spot: ValuePlace | _ChecksPlace) -> None:
        """The faults of a scorer, at a place that names it."""
        for fault in known.faults:
            named, inside = spot.resolve(fault.path)
            place = named.locate_key(inside) if fault.is_key and inside else named.locate(inside)
            self.add(place, named.word_message(place, fault.message), fault.hint)

    def profile(self) -> Profile:
        """The profile of the suite; the classic one if it has an unknown one."""
        try:
            return named_profile(self.suite.profile)
        except SpecError:
            return named_profile(Family.CLASSIC)


def _asks_nothing(case: Case) -> bool:
    """True if the question of a case has no words."""
    texts = [case.prompt] if case.prompt is not None else [it.content for it in case.messages]
    is_known = bool(texts) and not refused_fields_of(case) & _QUESTION
    return is_known and not any(map(str.strip, texts))
