"""Variables applied to cases: a list makes one case of each value, templates become texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from benchmaker.spec.documents.source_map import Path
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.check_spec import CheckSpec, ScorerSpec, pin_checks, pin_scorer
from benchmaker.spec.suites.templates import (
    TemplateError,
    TemplateFault,
    is_template,
    render,
    render_value,
    with_remedy,
)

MOST_CASES = 10_000
"""The most cases that one case may become."""

MOST_EXPANSIONS = 200_000
"""The most cases that lists make of the cases written in a suite; data files are streamed."""

Fault = tuple[Path, TemplateFault]


class Expansion(NamedTuple):
    """The cases that one case becomes, and the faults of its templates; one of both is empty."""

    cases: tuple[Case, ...]
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Expander:
    """Applies variables to the cases of a suite.

    ``variables`` are the suite's, over which a case's own take precedence. A case without any
    variable is returned as it is, so that a text with braces stays a text. With a ``folder``, at
    which the paths of Python functions start, the SHA-256 of their files is added.
    """

    variables: Mapping[str, Any] = field(default_factory=dict)
    has_prompts: bool = False
    folder: FilePath | None = None

    @property
    def has_effect(self) -> bool:
        """True if it changes cases that have no variables of their own."""
        return bool(self.variables) or self.has_prompts

    def expand(self, case: Case) -> Expansion:
        """Return the cases with their texts rendered.

        They are named ``CASE/1``, ``CASE/2`` …, the last variable changing first. They are one
        group and share the weight of the case.
        """
        made = self._render(case)
        if self.folder is None:
            return made
        return Expansion(tuple(pin_case(one, self.folder) for one in made.cases), made.faults)

    def _render(self, case: Case) -> Expansion:
        known = {**self.variables, **case.vars}
        if case.rendered or not (known or self.has_prompts):
            return Expansion((case,))
        if not known:
            return Expansion((case.model_copy(update={"rendered": True}),))
        number = prod(len(value) for value in known.values() if _is_list(value))
        if number > MOST_CASES:
            message = f"the lists make {number:,} cases of one; at most {MOST_CASES:,} are allowed."
            return Expansion((), ((("vars",), TemplateFault(1, 1, message)),))
        return self._expand_lists(case, known, number)

    def _expand_lists(self, case: Case, known: Mapping[str, Any], number: int) -> Expansion:
        lists = {name: value for name, value in known.items() if _is_list(value)}
        cases: list[Case] = []
        faults: dict[Fault, None] = {}
        for place, values in enumerate(product(*lists.values()), 1):
            picked = dict(zip(lists, values, strict=True))
            own = {**case.vars, **picked}
            parts = {} if not lists else _parts(case, place, number)
            made = _render_case(case, {**known, **picked}, faults)
            cases.append(case.model_copy(update={**made, **parts, "vars": own, "rendered": True}))
        return Expansion((), tuple(faults)) if faults else Expansion(tuple(cases))


def pin_case(case: Case, folder: FilePath) -> Case:
    """Return a case with the SHA-256 of the files of its functions, in its scorer and checks."""
    if case.scorer is None and not case.checks:
        return case
    scorer, checks = pin_scorer(case.scorer, folder), pin_checks(case.checks, folder)
    if scorer is case.scorer and checks == case.checks:
        return case
    return case.model_copy(update={"scorer": scorer, "checks": checks})


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _parts(case: Case, place: int, number: int) -> dict[str, Any]:
    """The fields that tell an expansion from its case."""
    return {
        "id": f"{case.id}/{place}",
        "expansion_of": case.id,
        "group": case.group or case.id,
        "weight": case.weight / number,
    }


def _render_case(
    case: Case, variables: Mapping[str, Any], faults: dict[Fault, None]
) -> dict[str, Any]:
    """The fields of a case that templates fill."""

    def text(path: Path, template: str) -> str:
        try:
            return render(template, variables)
        except TemplateError as exc:
            faults.update(((path, one), None) for one in exc.faults)
            return template

    def value(path: Path, template: str) -> object:
        try:
            return render_value(template, variables)
        except TemplateError as exc:
            faults.update(((path, with_remedy(one)), None) for one in exc.faults)
            return template

    made: dict[str, Any] = {}
    if case.prompt is not None:
        made["prompt"] = text(("prompt",), case.prompt)
    if case.messages:
        made["messages"] = tuple(
            turn.model_copy(update={"content": text(("messages", i, "content"), turn.content)})
            for i, turn in enumerate(case.messages)
        )
    if case.expected is not None:
        several = tuple(text(("expected",), one) for one in case.expectations)
        made["expected"], made["also_expected"] = several[0], several[1:]
    made["choices"] = tuple(text(("choices", i), one) for i, one in enumerate(case.choices))
    if case.scorer is not None:
        made["scorer"] = render_scorer(case.scorer, value)
    if case.checks:
        made["checks"] = render_checks(case.checks, value)
    return made


def render_scorer(spec: ScorerSpec, fill: Callable[[Path, str], object]) -> ScorerSpec:
    """Return a scorer with each text in its parameters filled by ``fill``."""
    if not has_templates(spec):
        return spec
    inside = render_inside(("scorer",), spec.parameters, fill)
    return ScorerSpec.model_validate({**inside, "id": spec.id})


def has_templates(spec: ScorerSpec | CheckSpec) -> bool:
    """True if rendering may change a parameter of a scorer or a check."""
    return any(is_template(it) for _, it in texts_in((), spec.parameters))


def scoring_templates(
    scorer: ScorerSpec | None, checks: Sequence[CheckSpec]
) -> Iterator[tuple[Path, str]]:
    """Yield each template in the parameters of a scorer and of checks, with its path."""
    parts = {
        "scorer": scorer.parameters if scorer else {},
        "checks": [it.parameters for it in checks],
    }
    return ((path, it) for path, it in texts_in((), parts) if is_template(it))


def render_checks(
    checks: Sequence[CheckSpec], fill: Callable[[Path, str], object]
) -> tuple[CheckSpec, ...]:
    """Return checks with each text in their parameters filled by ``fill``."""
    return tuple(
        CheckSpec.model_validate(
            {**one.model_dump(), **render_inside(("checks", index), one.parameters, fill)}
        )
        if has_templates(one)
        else one
        for index, one in enumerate(checks)
    )


def variables_of(case: Case, shared: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the variables of the suite's templates for a case.

    The case's own take precedence over those of the suite, ``shared``, and these over its fields
    ``id``, ``prompt``, ``expected`` and ``choices``.
    """
    fields = {"id": case.id, "prompt": case.prompt, "expected": case.expected}
    known: dict[str, Any] = {name: it for name, it in fields.items() if it is not None}
    if case.choices:
        known["choices"] = list(case.choices)
    return {**known, **shared, **case.vars}


def texts_in(path: Path, value: Any) -> Iterator[tuple[Path, str]]:  # noqa: ANN401  plain data
    """Yield each text in plain data, with its path."""
    match value:
        case str():
            yield path, value
        case Mapping():
            for name, inner in value.items():
                yield from texts_in((*path, name), inner)
        case list() | tuple():
            for index, inner in enumerate(value):
                yield from texts_in((*path, index), inner)
        case _:
            return


def render_inside(path: Path, value: Any, fill: Callable[[Path, str], object]) -> Any:  # noqa: ANN401  plain data
    """Return plain data with each text in it filled."""
    match value:
        case str():
            return fill(path, value)
        case Mapping():
            return {name: render_inside((*path, name), it, fill) for name, it in value.items()}
        case list() | tuple():
            return [render_inside((*path, i), it, fill) for i, it in enumerate(value)]
        case _:
            return value
