"""A suite: cases, scorers and weights."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
from pydantic import BaseModel, InstanceOf, ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec.documents.document import as_document
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.messages import kind
from benchmaker.spec.documents.source_map import ArgumentMap, SourceMap
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.case import Case, CaseDict
from benchmaker.spec.suites.check_spec import (
    CheckInput,
    CheckSpec,
    ScorerInput,
    ScorerSpec,
    scorer_of_checks,
)
from benchmaker.spec.suites.draft import examine_intended
from benchmaker.spec.suites.expansion import (
    Expander,
    render_checks,
    render_scorer,
    scoring_templates,
    variables_of,
)
from benchmaker.spec.suites.judge import JudgeNames, JudgeSpec
from benchmaker.spec.suites.parameters import Effort, Parameters
from benchmaker.spec.suites.profile import Metric
from benchmaker.spec.suites.prompts import ModelSpec, Prompt
from benchmaker.spec.suites.spec_model import refusal
from benchmaker.spec.suites.suite_form import (
    HEADER_FIELDS,
    DatasetRecord,
    Policies,
    SuiteForm,
    is_written,
)
from benchmaker.spec.suites.templates import TemplateError, render_value
from benchmaker.spec.suites.tools import MAX_STEPS, Tool

_ENCODER = msgspec.json.Encoder(order="sorted")
_PARTS: dict[str, type[BaseModel]] = {
    "scorer": ScorerSpec,
    "judge": JudgeSpec,
    "parameters": Parameters,
    "policies": Policies,
}

_LISTS = (list, tuple, set, frozenset, Iterator)
_PLAIN = (*_LISTS, str, bytes, bytearray, range, memoryview, Mapping, BaseModel)
"""Types that are read once, or are no list of cases; any other iterable is a reader."""


class _Header(SuiteForm):
    """The header of a suite made in Python, whose name is required and may be empty."""

    name: str
    source: str | None = None
    places: InstanceOf[SourceMap] | None = None


@dataclass(frozen=True)
class Suite:
    """A named set of cases, identified by its content hash.

    ``cases`` may be any re-iterable: a tuple, or a reader that reads a file again at each pass, so
    that memory use is constant. Mappings become cases, and a name or a mapping becomes a scorer, a
    judge, parameters or policies, as in a file. ``models``, ``efforts`` and ``prompts`` are the
    dimensions of a run beside the cases; ``vars`` are variables of templates, ``tools`` those that
    cases may offer to models, in at most ``max_steps`` answers a trial. A listed case with
    variables becomes one case of each value, with its texts rendered. ``dataset`` is the Hugging
    Face dataset of its cases, if any. ``source`` is the file it was read from, if any; ``places``
    holds the location of each value in it.

    Raises:
        SpecError: a value created in Python is invalid.
    """

    name: str
    cases: Iterable[Case]
    description: str = ""
    system_prompt: str | None = None
    judge_prompt: str | None = None
    profile: str = "classic"
    scorer: ScorerSpec | None = None
    checks: tuple[CheckSpec, ...] = ()
    threshold: float | None = None
    grades: bool = False
    metric: Metric = "mean"
    judge: JudgeSpec | None = None
    parameters: Parameters = field(default_factory=Parameters)
    policies: Policies = field(default_factory=Policies)
    source: str | None = None
    places: SourceMap | None = field(default=None, repr=False, compare=False)
    models: tuple[ModelSpec, ...] = ()
    efforts: tuple[Effort, ...] = ()
    vars: dict[str, Any] = field(default_factory=dict)
    prompts: tuple[Prompt, ...] = ()
    tools: tuple[Tool, ...] = ()
    max_steps: int = MAX_STEPS
    dataset: DatasetRecord | None = None

    if TYPE_CHECKING:  # what a call may pass; the fields above are what becomes of it

        def __init__(
            self,
            name: str,
            cases: Iterable[Case | CaseDict],
            description: str = "",
            *,
            system_prompt: str | None = None,
            judge_prompt: str | None = None,
            profile: str = "classic",
            scorer: ScorerInput | None = None,
            checks: Iterable[CheckInput] = (),
            threshold: float | None = None,
            grades: bool = False,
            metric: Metric = "mean",
            judge: JudgeNames | None = None,
            parameters: Parameters | Mapping[str, Any] = ...,
            policies: Policies | Mapping[str, str] = ...,
            source: str | None = None,
            places: SourceMap | None = None,
            models: str | Iterable[ModelSpec | Mapping[str, Any] | str] = (),
            efforts: Effort | Iterable[Effort] = (),
            vars: Mapping[str, Any] = ...,  # noqa: A002  the name in files
            prompts: str | Iterable[Prompt | Mapping[str, Any] | str] = (),
            tools: Iterable[Tool | Mapping[str, Any]] = (),
            max_steps: int = MAX_STEPS,
            dataset: DatasetRecord | None = None,
        ) -> None: ...

    def __new__(cls, *_: object, **values: object) -> Self:
        """Refuse unknown keywords by the nearest known one."""
        for name in values.keys() - cls.__dataclass_fields__.keys():
            message = f"Suite() got an unexpected keyword argument {name!r}"
            guess = did_you_mean(name, list(HEADER_FIELDS))
            raise TypeError(f"{message}. {guess}".strip())
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, model in _PARTS.items():
            if (given := getattr(self, name)) is not None and not isinstance(given, model):
                object.__setattr__(self, name, self._part(given, model, name))
        self._check_header()
        if not isinstance(self.cases, Iterable) or isinstance(self.cases, _PLAIN):
            object.__setattr__(self, "cases", self._validate_cases())

    def _check_header(self) -> None:
        """Validate everything but the cases as in a suite file."""
        values = {name: getattr(self, name) for name in _Header.model_fields if name != "cases"}
        try:
            form = _Header.model_validate(values)
        except ValidationError as exc:
            raise refusal(exc, _Header, {}, f"suite {self.name!r:.80}") from exc
        for name in values:
            object.__setattr__(self, name, getattr(form, name))
        if files := [one.file for one in self.prompts if one.file is not None]:
            raise SpecError(
                f"the prompt file {files[0]!r} is not read here.",
                where=f"suite {self.name!r:.80}",
                hint="Load the suite from a file, or pass the text as prompt.",
            )

    def _part(self, given: Any, model: type[BaseModel], place: str) -> BaseModel:  # noqa: ANN401
        """Return the value as its model; values passed from Python may be of any type."""
        try:
            return model.model_validate(given)
        except ValidationError as exc:
            raise refusal(exc, model, {}, f"suite {self.name!r:.80}, {place}") from exc

    def _validate_cases(self) -> tuple[Case, ...]:
        """The cases, which can be read again and again."""
        if not isinstance(self.cases, _LISTS):
            raise SpecError(
                f"cases must be a list of cases, not {kind(self.cases)}.",
                where=f"suite {self.name!r:.80}",
                hint="Use Suite(name, [{…}, …]), or load_suite() for cases in a file.",
            )
        listed = as_document(tuple(self.cases))
        places = ArgumentMap(f"suite {self.name!r:.80}")
        findings = Findings()
        cases = [self._case(one, at, places, findings) for at, one in enumerate(listed)]
        findings.raise_if_any()
        return tuple(one for case in cases if case for one in self.expand_case(case))

    def _case(self, given: object, at: int, places: ArgumentMap, findings: Findings) -> Case | None:
        """Return a case as it would stand in a file; None, with a finding, for anything else."""
        if isinstance(given, Case):
            return given
        above = ("cases", at)
        if not isinstance(given, dict):
            message = f"a case must be a Case or a mapping, not {kind(given)}."
            findings.add(places.locate(above), message, "Use a mapping with id, prompt, expected.")
            return None
        values = {name: value for name, value in given.items() if value is not None}
        has_prompts = bool(self.prompts)
        case, found = examine_intended(values, places.text, None, has_prompts=has_prompts)
        for fault in found:
            path = (*above, *fault.path)
            place = places.locate_key(path) if fault.is_key else places.locate(path)
            findings.add(place, fault.message, fault.hint)
        return case

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def header(self) -> dict[str, Any]:
        """Everything but the cases, as plain data."""
        values = {name: getattr(self, name) for name in HEADER_FIELDS}
        return {name: _plain(value) for name, value in values.items() if is_written(name, value)}

    @property
    def expander(self) -> Expander:
        """Applies the variables of the suite to its cases."""
        return Expander(self.vars, has_prompts=bool(self.prompts))

    def expand_case(self, case: Case) -> tuple[Case, ...]:
        """Return the cases that one becomes with its variables and the suite's.

        Raises:
            SpecError: a template of the case can't be rendered.
        """
        made = self.expander.expand(case)
        if made.faults:
            texts = (f"{fault.message} {fault.hint}".strip() for _, fault in made.faults)
            raise SpecError(" ".join(texts), where=f"suite {self.name!r}, case {case.id!r}")
        return made.cases

    def prompt(self, prompt_id: str) -> Prompt:
        """Return the prompt with that id.

        Raises:
            SpecError: the suite has none; the message names the nearest.
        """
        for one in self.prompts:
            if one.id == prompt_id:
                return one
        known = [str(one.id) for one in self.prompts]
        hint = did_you_mean(prompt_id, known) or f"Prompts: {', '.join(known) or 'none'}."
        raise SpecError(
            f"suite {self.name!r} has no prompt {prompt_id!r}.", where=self.source or "", hint=hint
        )

    @property
    def folder(self) -> Path:
        """The folder of its file, at which the paths of functions start.

        Without a file it is the working directory.
        """
        return Path(self.source).parent if self.source else Path()

    def tools_of(self, case: Case) -> tuple[Tool, ...]:
        """Return the tools that a case offers, in its order.

        Raises:
            SpecError: the suite has no tool of that name; the message names the nearest.
        """
        known = {tool.name: tool for tool in self.tools}
        for name in case.tools:
            if name not in known:
                hint = did_you_mean(name, list(known)) or f"Tools: {', '.join(known) or 'none'}."
                where = f"suite {self.name!r}, case {case.id!r}"
                raise SpecError(f"unknown tool {name!r}.", where=where, hint=hint)
        return tuple(known[name] for name in case.tools)

    def most_steps(self, case: Case) -> int:
        """Return the maximum number of answers of a model in a trial of a case with tools."""
        return self.max_steps if case.max_steps is None else case.max_steps

    def without_cases(self) -> "Suite":
        """All of it but the cases."""
        return replace(self, cases=(), places=None)

    @classmethod
    def of_header(
        cls, header: Mapping[str, Any], cases: Iterable[Case], *, source: str | None = None
    ) -> "Suite":
        """Return the suite of a :meth:`header`; unknown fields are ignored.

        Raises:
            SpecError: a value is wrong.
            ValidationError: a parameter is wrong.
        """
        known = {name: header[name] for name in HEADER_FIELDS if header.get(name) is not None}
        known["parameters"] = Parameters.of_record(header.get("parameters") or {})
        return cls(cases=cases, source=source, **known)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over header and cases, in their order; 64 hex digits.

        Raises:
            SpecError: a suite created in Python holds values that no file can: a lone surrogate, or
                metadata that is not plain data.
        """
        hashing = self.content_hasher()
        for case in self.cases:
            hashing.add(case)
        return hashing.hexdigest()

    def content_hasher(self) -> "ContentHasher":
        """Return an incremental content hasher, for callers that iterate over the cases anyway."""
        return ContentHasher(self)

    @cached_property
    def sound_under(self) -> set[str]:
        """The profiles for which the whole suite was checked without faults."""
        return set()

    @cached_property
    def named_scorers(self) -> dict[str, ScorerSpec]:
        """Every distinct scorer that it names, once all of it was checked."""
        return {}

    def encode_part(self, plain: Mapping[str, Any], what: str) -> bytes:
        """A part of it as it goes into the hash; SpecError when it can't."""
        try:
            return _ENCODER.encode(plain)
        except UnicodeEncodeError as exc:
            found = f"the lone surrogate U+{ord(exc.object[exc.start]):04X}"
            hint = "Remove it."
        except (TypeError, ValueError, RecursionError) as exc:
            found, hint = (
                f"a value that is not plain data: {exc}",
                "Use only text, numbers, lists and mappings.",
            )
        where = self.source or f"suite {self.name!r}"
        raise SpecError(f"{what} contains {found}.", where=where, hint=hint)

    def scorer_of(self, case: Case) -> ScorerSpec | None:
        """Return the scorer that applies to a case; None without one.

        It is the case's own, else the suite's. With checks of the suite or of the case, it is the
        scorer ``checks``: that scorer comes first, then the suite's checks, then the case's.
        Templates in the suite's scorer and checks are rendered with the variables of the case.

        Raises:
            SpecError: a template can't be rendered.
        """
        if self.shares_scorer(case):
            return self.default_scorer
        threshold = self.threshold if case.threshold is None else case.threshold
        if case.checks_only:
            return scorer_of_checks(case.scorer, case.checks, threshold)
        scorer, checks = self._scoring_for(case)
        return scorer_of_checks(scorer, (*checks, *case.checks), threshold)

    def shares_scorer(self, case: Case) -> bool:
        """True if ``default_scorer`` applies to a case as it is."""
        return not (case.has_own_scoring or (case.rendered and self.has_scoring_templates))

    def _scoring_for(self, case: Case) -> tuple[ScorerSpec | None, tuple[CheckSpec, ...]]:
        """The scorer of a case, checks apart, and the suite's checks, both rendered."""
        if not (case.rendered and self.has_scoring_templates):
            return case.scorer or self.scorer, self.checks
        variables = variables_of(case, self.vars)

        def fill(_: object, text: str) -> object:
            return render_value(text, variables)

        try:
            scorer = case.scorer or (self.scorer and render_scorer(self.scorer, fill))
            return scorer, render_checks(self.checks, fill)
        except TemplateError as exc:
            raise SpecError(f"{exc}", where=f"suite {self.name!r}, case {case.id!r}") from exc

    @property
    def fixed_scorer(self) -> ScorerSpec | None:
        """The ``default_scorer`` if it is the same for every case, without templates."""
        return None if self.has_scoring_templates else self.default_scorer

    @cached_property
    def has_scoring_templates(self) -> bool:
        """True if the suite's scorer or one of its checks holds a template."""
        return any(scoring_templates(self.scorer, self.checks))

    @cached_property
    def default_scorer(self) -> ScorerSpec | None:
        """The scorer of cases without scoring of their own, its templates as written."""
        return scorer_of_checks(self.scorer, self.checks, self.threshold)


def _plain(value: Any) -> Any:  # noqa: ANN401  the value of any field
    """A field of the header as plain data."""
    if isinstance(value, JudgeSpec):
        return value.parameters
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.model_dump() if isinstance(value, BaseModel) else value


def encode_cases(cases: Iterable[Mapping[str, Any]]) -> bytes:
    """Return cases, read from JSON, as they go into the content hash."""
    return b"".join([b"\n" + part for part in map(_ENCODER.encode, cases)])


class ContentHasher:
    """Computes the suite's content hash from all cases in order."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._digest = hashlib.sha256(suite.encode_part(suite.header(), "the header"))

    def add(self, case: Case) -> None:
        """The next case."""
        self.add_plain(case.model_dump())

    def add_plain(self, case: Mapping[str, Any]) -> None:
        """The next case as plain data, as ``Case.model_dump`` returns it."""
        self.add_encoded(b"\n" + self._suite.encode_part(case, f"case {case['id']!r}"))

    def add_encoded(self, cases: bytes) -> None:
        """The next cases, as :func:`encode_cases` returns them."""
        self._digest.update(cases)

    def hexdigest(self) -> str:
        """The hash of header and cases so far."""
        return self._digest.hexdigest()

    def keep(self) -> None:
        """Let the suite know its hash; it then reads its cases no more for that."""
        self._suite.__dict__["content_hash"] = self.hexdigest()
