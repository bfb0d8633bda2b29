"""Everything in a suite's document but its cases."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from benchmaker.spec.case_form import as_text, keep_texts, unfit_label, unfit_text
from benchmaker.spec.nearest import did_you_mean
from benchmaker.spec.objections import Objections
from benchmaker.spec.profile import Family
from benchmaker.spec.suite_form import SuiteForm

_TEXTS = ("name", "description", "system_prompt", "judge_prompt", "profile")
_READ_APART = ("$schema", "cases")


def read_header(data: Mapping[str, Any], objections: Objections) -> SuiteForm:
    """The header of a document, without the fields that are wrong; those are objected to."""
    values = {
        name: value for name, value in data.items() if value is not None and name not in _READ_APART
    }
    keep_texts(values, objections.text_at(()), _TEXTS)
    if isinstance(parameters := values.get("parameters"), dict):
        values["parameters"] = _spelled(parameters)
    form = _checked_profile(_checked(values, objections), objections)
    _check_texts(form, objections)
    return form


def _spelled(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with true and false as text where a number is meant, so that they are refused."""
    return {
        name: as_text(value) if isinstance(value, bool) and name != "benchmark_mode" else value
        for name, value in parameters.items()
        if value is not None
    }


def _checked(values: dict[str, Any], objections: Objections) -> SuiteForm:
    try:
        return SuiteForm.model_validate(values)
    except ValidationError as exc:
        wrong = objections.to(exc, SuiteForm)
    return SuiteForm.model_validate({k: v for k, v in values.items() if k not in wrong})


def _checked_profile(form: SuiteForm, objections: Objections) -> SuiteForm:
    known = [str(family) for family in Family]
    if form.profile in known:
        return form
    hint = f"{did_you_mean(form.profile, known)} Choose classic or robust.".strip()
    objections.add(("profile",), f"unknown profile {form.profile!r}.", hint)
    return form.model_copy(update={"profile": known[0]})


def _check_texts(form: SuiteForm, objections: Objections) -> None:
    for name in ("description", "system_prompt", "judge_prompt"):
        objections.refuse(unfit_text((name,), getattr(form, name) or ""))
    objections.refuse(unfit_label(("name",), form.name or ""))
