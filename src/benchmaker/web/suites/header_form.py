"""A form for everything of a suite except its cases, with the faults."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from benchmaker.scoring.check import check_suite
from benchmaker.spec import Parameters, Policies, SourceMap, Suite
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.documents.yaml_text import block_of
from benchmaker.spec.suites.header import read_header
from benchmaker.spec.suites.parameters import AMBIGUOUS_DEFAULTS, NEWER
from benchmaker.spec.suites.value_errors import Objections
from benchmaker.web.arena.setup import NONE
from benchmaker.web.form_body import Fields, as_sent
from benchmaker.web.suites.checks_form import checks_texts, read_checks
from benchmaker.web.suites.form_errors import FormLines, Remark, read_block, unique_remarks

_TEXTS = ("name", "description", "system_prompt", "judge_prompt", "profile", "metric")
PARAMETERS = tuple(name for name in Parameters.model_fields if name not in NEWER)
POLICIES = tuple(Policies.model_fields)
_SCORING = ("grades", "scorer", "scorer_parameters", "checks", "threshold", "judge")
FIELDS = (*_TEXTS, *_SCORING, *PARAMETERS, *POLICIES)
"""The fields of the form."""

_SHOWN = (*FIELDS, "parameters", "policies")
_LINES = FormLines(FIELDS)
_GLANCE = 50
"""So many cases are looked at while somebody types."""


@dataclass(frozen=True, slots=True)
class HeaderForm:
    """The entered texts, the suite if they are valid, and otherwise the faults.

    ``draft`` has the valid values; cases are checked against it.
    """

    texts: Mapping[str, str]
    suite: Suite | None = None
    remarks: tuple[Remark, ...] = ()
    draft: Suite | None = None

    def remarks_for(self, field: str) -> tuple[Remark, ...]:
        """Return the faults of one field; "" for those of the suite as a whole."""
        return tuple(one for one in self.remarks if one.field == field)


def header_texts(suite: Suite | None) -> dict[str, str]:
    """Return the form's texts for a suite; for a new one those of ``init``."""
    made = suite or Suite(name="", cases=(), profile="robust")
    judge = made.judge.parameters if made.judge else None
    return {
        **{name: getattr(made, name) or "" for name in _TEXTS},
        "grades": _field_text(made.grades),
        "scorer": made.scorer.id if made.scorer else ("" if suite else "exact"),
        "scorer_parameters": block_of(made.scorer.parameters)
        if made.scorer and made.scorer.parameters
        else "",
        **checks_texts(made),
        "judge": block_of(judge) if judge else "",
        **{name: _field_text(getattr(made.parameters, name)) for name in PARAMETERS},
        **{name: getattr(made.policies, name) for name in POLICIES},
    }


def read_suite(fields: Fields, before: Suite, *, glance: bool = False) -> HeaderForm:
    """Return the suite with the header in a form, fully checked.

    Args:
        fields: the entered texts.
        before: the previous suite; its cases are kept.
        glance: check only its first cases, during typing.
    """
    texts = {name: fields[name] for name in FIELDS}
    data, remarks = _data(texts, before)
    findings = Findings()
    places = SourceMap("", _mark(data))
    form = read_header(data, Objections(places, findings)).form
    name = form.header.get("name") or "?"
    made = replace(before, **form.header | {"name": name}, places=places)
    found = [*remarks, *_LINES.remarks(findings.items)]
    if not data["name"]:
        found.append(Remark("name", "a suite needs a name.", "Enter a name."))
    seen = replace(made, cases=tuple(islice(made.cases, _GLANCE))) if glance else made
    found += _LINES.remarks(check_suite(seen))
    draft = replace(made, places=None)
    return HeaderForm(texts, None if found else draft, unique_remarks(found), draft)


def _data(texts: Mapping[str, str], before: Suite) -> tuple[dict[str, Any], list[Remark]]:
    """Return the form as a document."""
    shown = header_texts(before)
    data = {name: value for name, value in before.header().items() if name not in _SHOWN}
    for name in _TEXTS:
        is_same = texts[name] == as_sent(shown[name])
        data[name] = getattr(before, name) if is_same else texts[name] or None
    if not (data["name"] or "").strip():
        data["name"] = None
    judge, remarks = read_block(texts["judge"], "judge")
    parameters, wrong = read_block(texts["scorer_parameters"], "scorer_parameters")
    checks, unread = read_checks(texts)
    data |= checks
    found = [*remarks, *wrong, *unread]
    if parameters is not None and not isinstance(parameters, dict):
        hint = "Write one per line, for example tolerance: 0.01."
        found.append(Remark("scorer_parameters", "parameters must be names with values.", hint))
        parameters = None
    if texts["scorer"]:
        data["scorer"] = {"id": texts["scorer"], **(parameters or {})}
    elif parameters:
        hint = "Choose a scorer, or remove the parameters."
        found.append(Remark("scorer_parameters", "scorer parameters without a scorer.", hint))
    data["grades"] = bool(texts["grades"])
    data["judge"] = judge
    data["parameters"] = _unshown_parameters(before.parameters) | {
        name: None if texts[name] == NONE else texts[name]
        for name in PARAMETERS
        if texts[name] and (texts[name] != shown[name] or _is_written(name, before.parameters))
    }
    data["parameters"]["benchmark_mode"] = bool(texts["benchmark_mode"])
    data["policies"] = {name: texts[name] for name in POLICIES if texts[name]}
    return data, found


def _unshown_parameters(parameters: Parameters) -> dict[str, Any]:
    """Return the written parameters that the form does not show; they are kept."""
    return {name: it for name, it in parameters.written_values.items() if name in NEWER}


def _is_written(name: str, parameters: Parameters) -> bool:
    """True if the suite sets a parameter to other than an irrelevant default."""
    is_default = getattr(parameters, name) == AMBIGUOUS_DEFAULTS.get(name, ...)
    return not is_default or name in parameters.explicit_names


def _mark(data: Mapping[str, Any]) -> SourceMark:
    root = SourceMark(0, 0, inside={})
    root.inside |= {
        name: _LINES.mark(name) for name in (*_TEXTS, "checks", "threshold", "judge", "scorer")
    }
    for name in ("parameters", "policies"):
        fields = PARAMETERS if name == "parameters" else POLICIES
        root.inside[name] = SourceMark(0, 0, inside={field: _LINES.mark(field) for field in fields})
    if isinstance(scorer := data.get("scorer"), dict):
        root.inside["scorer"] = _LINES.mark_of("scorer", scorer, "scorer_parameters")
    return root


def _field_text(value: Any) -> str:  # noqa: ANN401  a number or a switch
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "on" if value else ""
    return f"{value:g}" if isinstance(value, float) else str(value)
