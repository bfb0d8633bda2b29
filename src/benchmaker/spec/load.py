"""Suites out of files: YAML or JSON for whole suites, JSON lines or CSV for cases alone."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec.case import Case
from benchmaker.spec.case_file import CaseFile, CaseScan
from benchmaker.spec.case_form import TextAt, as_case, as_text, unfit_texts
from benchmaker.spec.fields import CaseFields
from benchmaker.spec.files import inside, read_text
from benchmaker.spec.findings import Findings
from benchmaker.spec.header import read_header
from benchmaker.spec.limits import Limits
from benchmaker.spec.mapping import CaseMapper, picker
from benchmaker.spec.objections import Objections
from benchmaker.spec.places import CaseLines, Places
from benchmaker.spec.places import Path as ValuePath
from benchmaker.spec.profile import profile as profile_of
from benchmaker.spec.rows import format_of
from benchmaker.spec.strict_json import read_json
from benchmaker.spec.suite import Suite
from benchmaker.spec.suite_form import CaseSource, SuiteForm
from benchmaker.spec.wording import kind
from benchmaker.spec.yaml import read_yaml

_DOCUMENTS = (".yaml", ".yml", ".json")


@dataclass(slots=True)
class Reading:
    """What could be read of a suite's file, and everything that was wrong with its form.

    ``suite`` is None where nothing can be said about its scorers; with findings it holds the
    sound cases only.
    """

    suite: Suite | None
    findings: Findings


def load_suite(
    path: str | Path,
    *,
    profile: str | None = None,
    fields: CaseFields | None = None,
    defaults: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> Suite:
    """The suite in a file; only its form is checked here.

    Args:
        path: a whole suite (``.yaml``, ``.yml``, ``.json``) or cases alone (``.jsonl``, ``.csv``,
            also ``.gz``; the suite is then named for the file).
        profile: replaces the suite's own profile.
        fields: where the values stand in a file of cases alone.
        defaults: what fills gaps in a file of cases alone.
        limits: how much is read before the file is refused.

    Raises:
        SpecError: with every fault at once, each with file, line and column.
    """
    reading = read_suite(path, profile=profile, fields=fields, defaults=defaults, limits=limits)
    reading.findings.raise_if_any()
    if reading.suite is None:  # pragma: no cover  a suite that is None comes with findings
        raise SpecError("the suite can't be read.", where=str(path))
    return reading.suite


def read_suite(
    path: str | Path,
    *,
    profile: str | None = None,
    fields: CaseFields | None = None,
    defaults: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> Reading:
    """As :func:`load_suite`, but faults are returned beside what could be read in spite of them.

    SpecError for an unknown ``profile`` only: that is the caller's.
    """
    if profile is not None:
        profile_of(profile)
    limits = limits or Limits()
    reader = _SuiteReader(Path(path), limits, Findings(limits.findings))
    try:
        reader.read(fields, defaults)
    except SpecError as exc:
        reader.findings.take(exc.findings)
        return Reading(None, reader.findings)
    return Reading(reader.suite(profile), reader.findings)


@dataclass(slots=True)
class _SuiteReader:
    path: Path
    limits: Limits
    findings: Findings
    form: SuiteForm = field(default_factory=SuiteForm)
    cases: "_Inline | CaseFile | None" = None
    places: Places = field(default_factory=lambda: Places(""))

    @property
    def objections(self) -> Objections:
        """How to object to a value of this suite."""
        return Objections(self.places, self.findings)

    def read(self, fields: CaseFields | None, defaults: Mapping[str, Any] | None) -> None:
        self.places = Places(str(self.path))
        if self.path.suffix.lower() in _DOCUMENTS:
            self.read_document()
        else:
            format_of(self.path, besides=_DOCUMENTS[:2])
            given = dict(defaults or {})
            self.read_cases(self.path, fields, self.checked_defaults(given, _texts_of(given)))

    def suite(self, profile: str | None) -> Suite | None:
        if self.cases is None:
            return None
        form = self.form
        return Suite(
            name=form.name or self.path.name.split(".")[0] or "suite",
            cases=self.cases if isinstance(self.cases, CaseFile) else tuple(self.cases.cases),
            description=form.description,
            system_prompt=form.system_prompt,
            judge_prompt=form.judge_prompt,
            profile=profile or form.profile,
            scorer=form.scorer,
            parameters=form.parameters,
            policies=form.policies,
            source=str(self.path),
            places=self.places,
        )

    def read_document(self) -> None:
        text = read_text(self.path, limits=self.limits, cap=self.limits.document_bytes)
        read = read_json if self.path.suffix.lower() == ".json" else read_yaml
        document = read(text, str(self.path), limits=self.limits, findings=self.findings)
        self.places = Places(str(self.path), document.root)
        if not isinstance(document.data, dict):
            message = f"a suite is a mapping with a list of cases, not {kind(document.data)}."
            self.objections.add((), message, "Begin with: cases:")
            return
        self.form = read_header(document.data, self.objections)
        self.read_listed(document.data.get("cases"))

    def read_listed(self, cases: Any) -> None:  # noqa: ANN401  what stands in the file
        match cases:
            case dict():
                self.read_source(cases)
            case list() if cases:
                self.read_inline(cases)
            case list() | None:
                self.objections.add(("cases",), "the suite has no cases.", ADD_CASES)
            case _:
                message = f"cases must be a list, not {kind(cases)}."
                self.objections.add(("cases",), message, ADD_CASES)

    def read_source(self, given: Mapping[str, Any]) -> None:
        values = {name: value for name, value in given.items() if value is not None}
        before = len(self.findings)
        try:
            source = CaseSource.model_validate(values)
        except ValidationError as exc:
            self.objections.to(exc, CaseSource, ("cases",))
            return
        texts = self.objections.text_at(("cases", "defaults"))
        defaults = self.checked_defaults(source.defaults, texts)
        self.check_templates(source.fields)
        if len(self.findings) == before:
            path = inside(self.path.parent, source.file, self.places.of(("cases", "file")))
            format_of(path)
            self.read_cases(path, source.fields, defaults)

    def checked_defaults(self, defaults: dict[str, Any], text_at: TextAt) -> dict[str, Any]:
        """What fills gaps, as the values of a case."""
        above = ("cases", "defaults")
        if "id" in defaults:
            self.objections.add(
                (*above, "id"), "an id can't be a default.", "Each case has its own."
            )
        given = {name: value for name, value in defaults.items() if name != "id"}
        question = {} if {"prompt", "messages"} & given.keys() else {"prompt": "?"}
        try:
            case = as_case({"id": "x", **question, **given}, text_at)
        except ValidationError as exc:
            self.objections.to(exc, Case, above)
            return {}
        self.objections.refuse(unfit_texts(case), above)
        return {name: getattr(case, name) for name in given}

    def check_templates(self, fields: CaseFields | None) -> None:
        for name, path in (fields.model_dump(exclude_unset=True) if fields else {}).items():
            try:
                picker(path)
            except SpecError as exc:
                self.objections.add(("cases", "fields", name), exc.message, exc.hint)

    def read_cases(
        self, path: Path, fields: CaseFields | None, defaults: Mapping[str, Any]
    ) -> None:
        scan = CaseScan(path, CaseMapper(fields, defaults), self.limits, self.findings)
        before = len(self.findings)
        self.cases = scan.read()
        lines = CaseLines(str(path), scan.lines)
        self.places = Places(self.places.file, self.places.root, cases=lines)
        if self.cases is None:
            return
        self.check_duplicates(scan.ids)
        if not scan.rows:
            self.objections.add(("cases",), f"{path} holds no cases.", ADD_CASES)
        elif len(self.findings) == before:
            self.check_weight(scan.weight)

    def read_inline(self, listed: list[Any]) -> None:
        inline = _Inline()
        for index, given in enumerate(listed):
            case = self.inline_case(index, given)
            if case:
                inline.add(index, case)
        self.places = Places(self.places.file, self.places.root, rows=inline.rows)
        self.cases = inline
        self.check_duplicates(inline.ids)
        if len(inline.cases) == len(listed):
            self.check_weight(sum(case.weight for case in inline.cases))

    def inline_case(self, index: int, given: Any) -> Case | None:  # noqa: ANN401  as it stands
        above = ("cases", index)
        if not isinstance(given, dict):
            message = f"a case must be a mapping, not {kind(given)}."
            self.objections.add(above, message, "Write id, prompt and expected.")
            return None
        values = {name: value for name, value in given.items() if value is not None}
        try:
            case = as_case(values, self.objections.text_at(above))
        except ValidationError as exc:
            self.objections.to(exc, Case, above)
            return None
        self.objections.refuse(unfit_texts(case), above)
        return case

    def check_weight(self, total: float) -> None:
        if total == 0:
            hint = "Give at least one case a weight above 0."
            self.objections.add(("cases",), "the weights of all cases sum to 0.", hint)
        elif not isfinite(total):
            self.objections.add(("cases",), "the weights sum to infinity.", "Use smaller weights.")

    def check_duplicates(self, ids: "array[int]") -> None:
        """Note each case whose id an earlier one has, naming both places."""
        again = dict(islice(_repeated(ids), self.limits.findings))
        if not again or self.cases is None:
            return
        cases = self.cases if isinstance(self.cases, CaseFile) else self.cases.cases
        for index, case in enumerate(cases):
            if index in again:
                first = self.places.of(("cases", again[index], "id"))
                message = f"the id {case.id!r} is used twice; first at {first}."
                self.objections.add(("cases", index, "id"), message, "Give each case its own id.")


def _texts_of(values: Mapping[str, Any]) -> TextAt:
    """How to get at the texts of numbers that were given in Python."""

    def text(path: ValuePath) -> str:
        value: Any = values
        for step in path:
            value = value[step]
        return as_text(value)

    return text


ADD_CASES = "List at least one case with id and prompt."


@dataclass(slots=True)
class _Inline:
    """Cases that stand in the document itself, with their indexes there."""

    cases: list[Case] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    ids: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, index: int, case: Case) -> None:
        self.cases.append(case)
        self.rows.append(index)
        self.ids.append(hash(case.id))


def _repeated(ids: "array[int]") -> Iterator[tuple[int, int]]:
    """Each index whose id stood before, with the index where it stood first."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    first = -1
    for index in order:
        if first >= 0 and ids[first] == ids[index]:
            yield index, first
        else:
            first = index
