"""Everything in a suite's document but its cases."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchmaker.spec.documents.messages import intended_values, refused_fields
from benchmaker.spec.documents.source_map import Path, SourceMark, as_text
from benchmaker.spec.documents.suggestions import did_you_mean, nearest_name
from benchmaker.spec.suites.case_form import (
    keep_texts,
    unfit_checks,
    unfit_inside,
    unfit_label,
    unfit_text,
)
from benchmaker.spec.suites.profile import PROFILES, Family
from benchmaker.spec.suites.prompts import Prompt, find_repeated, named_prompt
from benchmaker.spec.suites.suite import Suite
from benchmaker.spec.suites.suite_form import SuiteForm
from benchmaker.spec.suites.value_errors import Objections

_TEXTS = ("name", "description", "system_prompt", "judge_prompt", "profile")
_READ_APART = ("$schema", "cases")

REPEATED = "duplicate prompt id {!r}."
UNIQUE = "Give each prompt a unique id."


class Header(NamedTuple):
    """The valid part of a header.

    ``refused`` names the fields with refused values. ``prompt_places`` are the indexes in the
    document of the prompts in ``form``, from which faulty ones are missing.
    """

    form: SuiteForm
    refused: frozenset[str]
    prompt_places: tuple[int, ...]


def read_header(data: Mapping[str, Any], objections: Objections) -> Header:
    """The header of a document without what is wrong in it.

    A mistyped field is reported, and its value is read as that of the field that it probably means.
    """
    values = {
        name: value for name, value in data.items() if value is not None and name not in _READ_APART
    }
    keep_texts(values, objections.text_at(()), _TEXTS)
    if isinstance(parameters := values.get("parameters"), dict):
        values["parameters"] = _booleans_as_text(parameters)
    for name in ("models", "prompts"):
        if isinstance(listed := values.get(name), list):
            values[name] = [_with_parameters(one) for one in listed]
    sound = objections.validate(SuiteForm, values)
    meant = intended_values(values, SuiteForm, objections.places.root)
    meant.pop("cases", None)
    known = objections.validate(SuiteForm, meant)
    given = {**sound.values, **known.values}
    refused = (sound.refused - meant.keys()) | known.refused
    listed = {**values, **meant}.get("prompts") if "prompts" in refused else None
    prompts = valid_prompts(listed, objections) if isinstance(listed, list) else {}
    given |= {"prompts": tuple(prompts.values())} if prompts else {}
    form = _check_profile(SuiteForm.model_validate(given), objections)
    objections.refuse(unfit_header(form))
    return Header(form, refused, tuple(prompts or range(len(form.prompts))))


def valid_prompts(listed: Sequence[Any], objections: Objections) -> dict[int, Prompt]:
    """Return the valid part of each prompt that still has a template, by its index.

    The faults of single prompts are reported already; with any of them, repeated ids are not yet.
    A repeated id gets a number, so that the templates of both prompts are checked.
    """
    root, known = objections.places.root, dict[int, Prompt]()
    has_faults = not all(map(_is_valid, listed))
    for index, given in enumerate(listed):
        part = _valid_part(given, root.find(("prompts", index)) if root else None)
        if part is not None:
            known[index] = named_prompt(index + 1, part)
    has_faults = not all(map(_is_valid, listed))
    for place, name in find_repeated([str(one.id or index) for index, one in known.items()]):
        index = list(known)[place]
        known[index] = known[index].model_copy(update={"id": f"{name} ({index + 1})"})
        if has_faults:
            objections.add(("prompts", index, "id"), REPEATED.format(name), UNIQUE)
    return known


def _is_valid(given: Any) -> bool:  # noqa: ANN401  what stands in the file
    try:
        Prompt.model_validate(given)
    except ValidationError:
        return False
    return True


def _valid_part(given: Any, mark: SourceMark | None) -> Prompt | None:  # noqa: ANN401  what stands in the file
    """A prompt without its refused fields; None without exactly one template."""
    values = given
    if isinstance(given, dict):
        known = {name: value for name, value in given.items() if name in Prompt.model_fields}
        values = known | intended_values(given, Prompt, mark)
    try:
        return Prompt.model_validate(values)
    except ValidationError as exc:
        refused = refused_fields(exc, Prompt, values) if isinstance(values, dict) else frozenset()
    if not refused:
        return None
    return _valid_part({name: it for name, it in values.items() if name not in refused}, mark)


def _with_parameters(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    """A model or a prompt, its parameters as those of the suite."""
    if not isinstance(given, dict):
        return given
    values = {name: value for name, value in given.items() if value is not None}
    if isinstance(parameters := values.get("parameters"), dict):
        values["parameters"] = _booleans_as_text(parameters)
    return values


def _booleans_as_text(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with true and false as text where a number is meant, so that they are refused."""
    return {
        name: as_text(value) if isinstance(value, bool) and name != "benchmark_mode" else value
        for name, value in parameters.items()
        if value is not None or name != "benchmark_mode"
    }


def _check_profile(form: SuiteForm, objections: Objections) -> SuiteForm:
    """The form with its profile, or with the one that was probably meant."""
    if form.profile in PROFILES:
        return form
    known = [str(family) for family in Family]
    hint = f"{did_you_mean(form.profile, known)} Choose classic or robust.".strip()
    objections.add(("profile",), f"unknown profile {form.profile!r}.", hint)
    return form.model_copy(update={"profile": nearest_name(form.profile, known) or known[0]})


def unfit_header(header: SuiteForm | Suite) -> Iterator[tuple[Path, str]]:
    """The texts of a suite, cases apart, that no store or terminal could keep, and why."""
    yield from unfit_label(("name",), header.name or "")
    yield from unfit_text(("description",), header.description)
    yield from unfit_text(("system_prompt",), header.system_prompt or "")
    yield from unfit_text(("judge_prompt",), header.judge_prompt or "")
    if header.vars:
        yield from unfit_inside(("vars",), header.vars)
    for index, model in enumerate(header.models):
        yield from unfit_label(("models", index), model.name)
    for index, prompt in enumerate(header.prompts):
        yield from unfit_label(("prompts", index, "id"), prompt.id or "")
        for path, text in prompt.templates:
            yield from unfit_text(("prompts", index, *path), text)
    for index, tool in enumerate(header.tools):
        yield from unfit_inside(("tools", index), tool.model_dump())
    if header.scorer:
        yield from unfit_inside(("scorer",), header.scorer.parameters)
    yield from unfit_checks(header.checks)
