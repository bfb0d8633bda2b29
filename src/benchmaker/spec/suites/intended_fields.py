"""Values under mistyped fields, and faulty prompts, as far as they can be checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from benchmaker.spec.documents.foreign_files import OF_PROMPTFOO
from benchmaker.spec.documents.messages import FieldFault, intended_field, refused_fields
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_form import TextAt
from benchmaker.spec.suites.draft import examine_case
from benchmaker.spec.suites.prompts import Prompt, find_repeated, named_prompt
from benchmaker.spec.suites.value_errors import Objections

REPEATED = "duplicate prompt id {!r}."
UNIQUE = "Give each prompt a unique id."


def intended_values(
    values: Mapping[str, Any], model: type[BaseModel], mark: SourceMark | None
) -> dict[str, Any]:
    """Return the values of mistyped fields by the fields that they probably mean.

    Fields that are given as well are left out. ``mark`` then locates each value under its new name,
    too.
    """
    meant: dict[str, Any] = {}
    for key, value in values.items():
        if key in model.model_fields or key in OF_PROMPTFOO:
            continue
        name = intended_field(key, model)
        if name is None or name in values or name in meant:
            continue
        meant[name] = value
        if mark is not None and key in mark.inside:
            mark.inside[name] = mark.inside[key]
    return meant


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


def examine_intended(
    values: Mapping[str, Any], text_at: TextAt, mark: SourceMark | None, *, has_prompts: bool
) -> tuple[Case, list[FieldFault]]:
    """Return a case with its mistyped fields read as those that they probably mean, and its faults.

    ``mark`` locates the case in its document.
    """
    case, found = examine_case(values, text_at, has_prompts=has_prompts)
    faults = list(found)
    meant = intended_values(values, Case, mark) if faults else {}
    if not meant:
        return case, faults
    known = {name: value for name, value in values.items() if name in Case.model_fields}
    unknown = [one for one in faults if one.is_key and one.path[0] not in known]
    case, found = examine_case(known | meant, text_at, has_prompts=has_prompts)
    return case, [*unknown, *found]


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
