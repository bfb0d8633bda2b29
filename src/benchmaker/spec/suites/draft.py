"""The valid part of a case, with all its faults."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from pydantic import PrivateAttr, ValidationError, model_validator

from benchmaker.spec.documents.messages import (
    FieldFault,
    faults,
    intended_values,
    question,
    refused_fields,
)
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_form import TextAt, as_case, normalise_texts, unfit_texts
from benchmaker.spec.suites.suite_form import CASE_PARTS

_NONE: frozenset[str] = frozenset()
_QUESTION = frozenset({"prompt", "messages"})


class DraftCase(Case):
    """The valid part of a case with faults, so that the rest can still be checked.

    Never part of a returned suite. A refused id is ``?``.
    """

    _refused: frozenset[str] = PrivateAttr(_NONE)

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        return self  # objected to apart, for pydantic asks it of cases without other faults only


def refused_fields_of(case: Case) -> frozenset[str]:
    """Return the unknown fields of a case, whose values were refused."""
    return case._refused if isinstance(case, DraftCase) else _NONE  # noqa: SLF001  set here alone


def examine_case(
    values: Mapping[str, Any],
    text_at: TextAt,
    unknown: frozenset[str] = _NONE,
    *,
    has_prompts: bool = False,
) -> tuple[Case, Iterable[FieldFault]]:
    """The case with these values and everything that is wrong with it; then it is a draft.

    ``unknown`` names fields that are not there because something was refused elsewhere. With
    ``has_prompts``, its suite has prompts, so that it needs none of its own.
    """
    if not unknown:
        try:
            case = as_case(values, text_at, has_prompts=has_prompts)
        except ValidationError:
            pass
        else:
            return case, _unfit_faults(case)
    draft, found = draft_case(values, text_at, unknown)
    given, refused = normalise_texts(values, text_at), refused_fields_of(draft)
    may_lack = has_prompts or "vars" in values
    return draft, [*found, *_question(given, refused, may_lack=may_lack)]


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


def draft_case(
    values: Mapping[str, Any], text_at: TextAt, unknown: frozenset[str] = _NONE
) -> tuple[DraftCase, list[FieldFault]]:
    """Like :func:`examine_case`, without the check for exactly one question."""
    given = normalise_texts(values, text_at)
    if "id" in unknown:
        given["id"] = "?"
    try:
        draft, found = DraftCase.model_validate(given), []
    except ValidationError as exc:
        found = list(faults(exc, Case, CASE_PARTS))
        unknown |= refused_fields(exc, Case, given)
        known = Case.model_fields.keys() - unknown
        sound = {name: value for name, value in given.items() if name in known}
        draft = DraftCase.model_validate({"id": "?", **sound})
    draft._refused = unknown  # noqa: SLF001  see refused_of
    return draft, [*found, *_unfit_faults(draft)]


def _unfit_faults(case: Case) -> Iterator[FieldFault]:
    for path, message in unfit_texts(case):
        yield FieldFault(path, False, message, "Remove it.")


def _question(
    given: Mapping[str, Any], refused: frozenset[str], *, may_lack: bool
) -> Iterator[FieldFault]:
    """The objection to no question or two; none where one may only have been refused."""
    has_prompt, has_messages = given.get("prompt") is not None, bool(given.get("messages"))
    has_none = not (has_prompt or has_messages or may_lack or refused & _QUESTION)
    if has_none or (has_prompt and has_messages):
        yield FieldFault((), False, f"{question(given)}.", "")
