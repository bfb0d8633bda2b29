"""Suites out of files: YAML or JSON for whole suites, JSON lines or CSV for cases alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from benchmaker.errors import SpecError
from benchmaker.spec.documents.document import as_document
from benchmaker.spec.documents.files import existing_inside, read_text
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.foreign_files import recognise_format
from benchmaker.spec.documents.hub_dataset import HubDataset
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import intended_field, kind, question
from benchmaker.spec.documents.row_source import DataFile, RowSource
from benchmaker.spec.documents.rows import format_of, is_data_file
from benchmaker.spec.documents.source_map import ArgumentMap, CaseLines, SourceMap, SourceMark
from benchmaker.spec.documents.source_map import Path as ValuePath
from benchmaker.spec.documents.strict_json import read_json
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_file import CaseFile, CaseScan
from benchmaker.spec.suites.case_form import TextAt
from benchmaker.spec.suites.check_spec import ScorerSpec, locate_scorer, pin_checks, pin_scorer
from benchmaker.spec.suites.draft import draft_case, examine_intended, refused_fields_of
from benchmaker.spec.suites.expansion import MOST_EXPANSIONS, Expander, pin_case
from benchmaker.spec.suites.fields import CaseFields
from benchmaker.spec.suites.header import REPEATED, UNIQUE, read_header
from benchmaker.spec.suites.located_cases import find_duplicates
from benchmaker.spec.suites.mapping import CaseMapper, picker
from benchmaker.spec.suites.profile import profile as profile_of
from benchmaker.spec.suites.prompt_files import PromptFiles, finding_of
from benchmaker.spec.suites.prompts import find_repeated
from benchmaker.spec.suites.suite import Suite
from benchmaker.spec.suites.suite_form import CaseSource, DatasetRecord, SuiteForm
from benchmaker.spec.suites.tools import pin_tools
from benchmaker.spec.suites.value_errors import Objections

SuiteSource: TypeAlias = str | Path | Mapping[str, Any]
"""The path of a suite's file, or its content as a mapping."""

_DOCUMENTS = (".yaml", ".yml", ".json")
_ALL = frozenset(Case.model_fields)


@dataclass(slots=True)
class SuiteReadResult:
    """The readable part of a suite's file, with all faults of its form.

    If there are findings, ``suite`` holds the valid part, for further checks only; cases with
    faults are drafts. ``refused`` names the fields of the header whose values were refused,
    ``default_scorer`` is the scorer among the defaults of a data file.
    """

    suite: Suite
    findings: Findings
    refused: frozenset[str] = frozenset()
    default_scorer: ScorerSpec | None = None


def load_suite(
    path: SuiteSource,
    *,
    profile: str | None = None,
    fields: CaseFields | None = None,
    defaults: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    sheet: str | None = None,
) -> Suite:
    """Load the suite in a file; only its form is checked.

    Args:
        path: a whole suite (``.yaml``, ``.yml``, ``.json``) or cases alone (``.jsonl``, ``.csv``,
            both also ``.gz``, ``.parquet``, ``.xlsx``; the suite is then named for the file); or
            the content of such a suite as a mapping, whose files are below the working directory.
        profile: replaces the suite's own profile.
        fields: the paths of values in a file of cases alone.
        defaults: values for gaps in a file of cases alone.
        limits: size limits of the file.
        sheet: the sheet of a workbook with several.

    Raises:
        SpecError: all faults together, each with file, line and column.
    """
    reading = read_suite(
        path, profile=profile, fields=fields, defaults=defaults, limits=limits, sheet=sheet
    )
    reading.findings.raise_if_any()
    return reading.suite


def read_suite(
    path: SuiteSource,
    *,
    profile: str | None = None,
    fields: CaseFields | None = None,
    defaults: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    sheet: str | None = None,
) -> SuiteReadResult:
    """Like :func:`load_suite`, but return faults together with the readable part.

    SpecError only for an unknown ``profile``, which is the caller's error.
    """
    if profile is not None:
        profile_of(profile)
    limits = limits or Limits()
    given = as_document(path) if isinstance(path, Mapping) else None
    file = Path() if isinstance(path, Mapping) else Path(path)
    reader = _SuiteReader(file, limits, Findings(limits.findings), sheet=sheet, given=given)
    try:
        reader.read(fields, defaults)
    except SpecError as exc:
        reader.findings.take(exc.findings)
        reader.cases = ()
    default = reader.defaults.get("scorer")
    default = default and locate_scorer(default, reader.path.parent)
    return SuiteReadResult(reader.suite(profile), reader.findings, reader.refused, default)


@dataclass(slots=True)
class _SuiteReader:
    path: Path
    limits: Limits
    findings: Findings
    sheet: str | None = None
    given: dict[str, Any] | None = None
    form: SuiteForm = field(default_factory=SuiteForm)
    refused: frozenset[str] = frozenset()
    cases: Sequence[Case] | CaseFile = ()
    expander: Expander = field(default_factory=Expander)
    defaults: dict[str, Any] = field(default_factory=dict)
    places: SourceMap = field(default_factory=lambda: SourceMap(""))

    @property
    def objections(self) -> Objections:
        """The reporter of faults in values of this suite."""
        return Objections(self.places, self.findings)

    def read(self, fields: CaseFields | None, defaults: Mapping[str, Any] | None) -> None:
        self.places = SourceMap(str(self.path))
        self.expander = Expander(folder=self.path.parent)
        if self.given is not None:
            name = str(self.given.get("name") or "suite")
            self.places = ArgumentMap(f"suite {name!r:.80}")
            self.read_data(self.given, None)
        elif self.path.suffix.lower() in _DOCUMENTS:
            self.read_document()
        else:
            format_of(self.path, besides=_DOCUMENTS[:2])
            given = dict(defaults or {})
            undefined = self.read_defaults(given, ArgumentMap("").text)
            self.read_cases(
                DataFile(self.path, self.sheet),
                CaseMapper(fields, self.defaults, undefined=undefined, expander=self.expander),
            )

    def suite(self, profile: str | None) -> Suite:
        header = self.form.header
        header["name"] = self.form.name or self.path.name.split(".")[0] or "suite"
        header["profile"] = profile or self.form.profile
        source = str(self.path) if self.given is None else None
        return Suite(cases=self.cases, source=source, places=self.places, **header)

    def read_document(self) -> None:
        text = read_text(self.path, limits=self.limits, cap=self.limits.document_bytes)
        read = read_json if self.path.suffix.lower() == ".json" else read_yaml
        document = read(text, str(self.path), limits=self.limits, findings=self.findings)
        self.places = SourceMap(str(self.path), document.root)
        self.read_data(document.data, document.root)

    def read_data(self, data: Any, root: SourceMark | None) -> None:  # noqa: ANN401  as it stands
        if not isinstance(data, dict):
            message = f"a suite must be a mapping with a list of cases, not {kind(data)}."
            self.objections.add((), message, "Start with: cases:")
            return
        if (other := recognise_format(data)) is not None:
            self.objections.add((), f"this is {other.kind}, not a suite.", other.hint)
            return
        self.form, self.refused, prompt_places = read_header(data, self.objections)
        self.pin_functions()
        self.read_prompts(prompt_places)
        self.read_case_list(data.get(self.key_of_cases(data, root)))

    def key_of_cases(self, data: Mapping[str, Any], root: SourceMark | None) -> str:
        """The key of the cases: a mistyped one has cases with further faults, at their places."""
        if "cases" in data or root is None:
            return "cases"
        for key in map(str, data):
            if (
                data.get(key)
                and isinstance(data[key], list)
                and intended_field(key, SuiteForm) == "cases"
            ):
                root.inside["cases"] = root.inside[key]
                return key
        return "cases"

    def pin_functions(self) -> None:
        """Add the SHA-256 of the files of Python functions in the header."""
        pinned = {
            "scorer": pin_scorer(self.form.scorer, self.path.parent),
            "checks": pin_checks(self.form.checks, self.path.parent),
            "tools": pin_tools(self.form.tools, self.path.parent),
        }
        self.form = self.form.model_copy(update=pinned)

    def read_prompts(self, places: Sequence[int]) -> None:
        """Replace the files of prompts and examples by their content."""
        files = PromptFiles(self.path.parent, self.places, self.limits, self.findings)
        faults = len(self.findings.items)
        prompts = files.read(self.form.prompts, places)
        if len(self.findings.items) > faults:
            self.refused |= {"prompts"}
        self.expander = Expander(
            self.form.vars,
            has_prompts=bool(self.form.prompts) or "prompts" in self.refused,
            folder=self.path.parent,
        )
        self.places = replace(self.places, prompts=files.origins)
        for place, name in find_repeated(str(one.id) for one in prompts):
            self.objections.add(("prompts", place, "id"), REPEATED.format(name), UNIQUE)
        known = {one.id: one for one in reversed(prompts)}
        unique = tuple(one for one in prompts if known[one.id] is one)
        self.form = self.form.model_copy(update={"prompts": unique})

    def read_case_list(self, cases: Any) -> None:  # noqa: ANN401  what stands in the file
        match cases:
            case dict():
                self.read_source(cases)
            case list() if cases:
                self.read_inline(cases)
            case None if "cases" in self.refused:
                return  # mistyped, and objected to
            case list() | None:
                self.objections.add(("cases",), "the suite has no cases.", ADD_CASES)
            case _:
                message = f"cases must be a list, not {kind(cases)}."
                is_file = isinstance(cases, str) and is_data_file(cases)
                hint = f"Write cases: {{file: {cases}}}." if is_file else ADD_CASES
                self.objections.add(("cases",), message, hint)

    def read_source(self, given: Mapping[str, Any]) -> None:
        """Return the cases of a data file, checked within the valid defaults and fields."""
        values = {name: value for name, value in given.items() if value is not None}
        fields = values.pop("fields", None)
        source = self.objections.validate(CaseSource, values, ("cases",))
        texts = self.objections.text_at(("cases", "defaults"))
        undefined = self.read_defaults(source.values.get("defaults", {}), texts)
        undefined |= _ALL if "defaults" in source.refused else frozenset()
        mapping, unmapped = self.read_mapping(fields)
        if "fields" in source.refused and fields is None:
            mapping, unmapped = CaseFields(), _ALL
        is_refused = source.refused & {"file", "hf"}
        rows = None if is_refused else self.row_source(source.values)
        if rows is not None:
            mapper = CaseMapper(
                mapping,
                self.defaults,
                unmapped=unmapped,
                undefined=undefined,
                expander=self.expander,
            )
            self.read_cases(rows, mapper)
            if isinstance(rows, HubDataset) and rows.fingerprint:
                self.form = self.form.model_copy(update={"dataset": _record_of(rows)})

    def row_source(self, given: Mapping[str, Any]) -> RowSource | None:
        """Return the data file or the dataset; None, with a finding, for both or neither."""
        match given.get("file"), given.get("hf"):
            case str(file), None:
                self.refuse_keys(given, ("config", "split", "revision"), "hf")
                place = self.places.locate(("cases", "file"))
                path = existing_inside(self.path.parent, file, place)
                format_of(path)
                return DataFile(path, given.get("sheet"))
            case None, str(name):
                self.refuse_keys(given, ("sheet",), "file")
                return self.dataset(name, given)
            case None, None:
                self.objections.add(("cases",), "file is missing.", "Add file or hf.")
            case _:
                message = "cases are either in a file or in a dataset."
                self.objections.add(("cases", "hf"), message, "Remove file or hf.")
        return None

    def refuse_keys(self, given: Mapping[str, Any], keys: Sequence[str], besides: str) -> None:
        for key in filter(given.__contains__, keys):
            message = f"{key} has no effect without {besides}."
            self.objections.add(("cases", key), message, "Remove it.")

    def dataset(self, name: str, given: Mapping[str, Any]) -> RowSource | None:
        if self.limits.takes_datasets:
            config, split, revision = map(given.get, ("config", "split", "revision"))
            return HubDataset(name, self.path.parent, config, split, revision)
        hint = "Export the cases to a file, or run the suite on the command line."
        self.objections.add(("cases", "hf"), "a dataset is not downloaded here.", hint)
        return None

    def read_defaults(self, given: dict[str, Any], text_at: TextAt) -> frozenset[str]:
        """Read the values for gaps of a case; return the names of refused ones."""
        above = ("cases", "defaults")
        if "id" in given:
            hint = "Set id on each case."
            self.objections.add((*above, "id"), "an id can't be a default.", hint)
        values = {name: value for name, value in given.items() if name != "id"}
        draft, found = draft_case({"id": "x", **values}, text_at)
        self.objections.take(found, above)
        refused = refused_fields_of(draft)
        if draft.prompt is not None and draft.messages:
            self.objections.add(above, f"{question(given)}.")
            refused |= {"prompt", "messages"}
        kept = values.keys() & Case.model_fields.keys() - refused
        pinned = pin_case(draft, self.path.parent)
        self.defaults = {name: getattr(pinned, name) for name in values if name in kept}
        return refused

    def read_mapping(self, given: Any) -> tuple[CaseFields | None, frozenset[str]]:  # noqa: ANN401  as it stands
        """Return the valid part of the field mapping, and the fields with a refused mapping."""
        if given is None:
            return None, frozenset()
        above = ("cases", "fields")
        if not isinstance(given, dict):
            self.objections.add(above, f"fields must be a mapping, not {kind(given)}.")
            return CaseFields(), _ALL
        sound = self.objections.validate(CaseFields, given, above)
        bad = {name for name, path in sound.values.items() if not self.is_path(name, path)}
        paths = {name: path for name, path in sound.values.items() if name not in bad}
        return CaseFields(**paths), sound.refused | bad

    def is_path(self, name: str, path: str) -> bool:
        try:
            picker(path)
        except SpecError as exc:
            self.objections.add(("cases", "fields", name), exc.message, exc.hint)
            return False
        return True

    def read_cases(self, source: RowSource, mapper: CaseMapper) -> None:
        scan = CaseScan(source, mapper, self.limits, self.findings)
        cases = scan.read()
        lines = CaseLines(source.place, scan.lines, scan.column)
        self.places = replace(self.places, cases=lines)
        if cases is None:
            return
        self.cases = cases
        self.check_duplicates(scan.ids)
        if not scan.rows:
            self.objections.add(("cases",), f"{Path(source.place).name} has no cases.", ADD_CASES)
        elif scan.weight is not None:
            self.check_weight(scan.weight)

    def read_inline(self, listed: list[Any]) -> None:
        read: list[tuple[int, Case]] = []
        for row, given in enumerate(listed):
            read += ((row, case) for case in self.inline_cases(row, given))
            if len(read) > MOST_EXPANSIONS + len(listed):
                message = f"the lists make more than {MOST_EXPANSIONS:,} cases."
                self.objections.add(("cases", row), message, "Shorten them, or use a data file.")
                break
        rows = [row for row, _ in read]
        self.cases = tuple(case for _, case in read)
        self.places = replace(self.places, rows=rows)
        self.check_duplicates([hash(case.id) for case in self.cases])
        are_known = not any("weight" in refused_fields_of(case) for case in self.cases)
        if are_known and len(set(rows)) == len(listed):
            self.check_weight(sum(case.weight for case in self.cases))

    def inline_cases(self, index: int, given: Any) -> tuple[Case, ...]:  # noqa: ANN401  as it stands
        above = ("cases", index)
        if not isinstance(given, (dict, Case)):
            message = f"a case must be a mapping, not {kind(given)}."
            self.objections.add(above, message, "Use a mapping with id, prompt and expected.")
            return ()
        made = self.expander.expand(
            given if isinstance(given, Case) else self.examine(given, above)
        )
        for path, fault in made.faults:
            self.findings.put(finding_of(fault, self.places.locate((*above, *path))))
        return made.cases

    def examine(self, given: dict[str, Any], above: ValuePath) -> Case:
        values = {name: value for name, value in given.items() if value is not None}
        mark = self.places.root.find(above) if self.places.root else None
        text_at, has_prompts = self.objections.text_at(above), self.expander.has_prompts
        case, found = examine_intended(values, text_at, mark, has_prompts=has_prompts)
        self.objections.take(found, above)
        return case

    def check_weight(self, total: float) -> None:
        if total == 0:
            hint = "Give at least one case a weight above 0."
            self.objections.add(("cases",), "the weights of all cases add up to 0.", hint)
        elif not isfinite(total):
            self.objections.add(
                ("cases",), "the sum of the weights is too large.", "Use smaller weights."
            )

    def check_duplicates(self, hashes: Sequence[int]) -> None:
        """Note each case whose id an earlier one has, naming both places."""
        for one, place, first in find_duplicates(self.cases, hashes, self.places):
            message = f"duplicate id {one!r}; first at {first}."
            self.findings.add(place, message, "Give each case a unique id.")


def _record_of(rows: HubDataset) -> DatasetRecord:
    return DatasetRecord(
        hf=rows.name,
        config=rows.config,
        split=rows.split or "",
        revision=rows.commit or None,
        fingerprint=rows.fingerprint,
    )


ADD_CASES = "Add at least one case with id and prompt."
