"""A case in a form: its texts, and their faults."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmaker.scoring.check import check_suite
from benchmaker.spec import Case, SourceMap, Suite
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.documents.yaml_text import block_of
from benchmaker.spec.suites.draft import examine_case
from benchmaker.web.form_body import Fields, as_sent
from benchmaker.web.suites.checks_form import checks_texts, read_checks
from benchmaker.web.suites.form_errors import FormLines, Remark, read_block, unique_remarks

_TEXTS = ("id", "prompt", "expected", "weight", "category", "difficulty", "group")
_LINES_OF = ("also_expected", "choices")
_CHECKS = ("checks", "threshold", "checks_only")
FIELDS = (*_TEXTS, *_LINES_OF, "messages", "tags", "scorer", "scorer_parameters", *_CHECKS)
"""The fields of the form; the case's other fields stay as they are."""

_LINES = FormLines(FIELDS)


@dataclass(frozen=True, slots=True)
class CaseForm:
    """The entered texts, the case if they are valid, and otherwise the faults."""

    texts: Mapping[str, str]
    case: Case | None = None
    remarks: tuple[Remark, ...] = ()

    def remarks_for(self, field: str) -> tuple[Remark, ...]:
        """Return the faults of one field; "" for those of the case as a whole."""
        return tuple(one for one in self.remarks if one.field == field)


def case_texts(case: Case | None) -> dict[str, str]:
    """The texts that the form shows of a case."""
    if case is None:
        return dict.fromkeys(FIELDS, "") | {"weight": "1"}
    messages = [turn.model_dump() for turn in case.messages]
    return {
        **{name: getattr(case, name) or "" for name in _TEXTS if name != "weight"},
        "weight": f"{case.weight:g}",
        **{name: "\n".join(getattr(case, name)) for name in _LINES_OF},
        "messages": block_of(messages) if messages else "",
        "tags": ", ".join(case.tags),
        "scorer": case.scorer.id if case.scorer else "",
        "scorer_parameters": block_of(case.scorer.parameters)
        if case.scorer and case.scorer.parameters
        else "",
        **checks_texts(case),
        "checks_only": "on" if case.checks_only else "",
    }


def read_case(
    fields: Fields,
    suite: Suite,
    before: Case | None = None,
    *,
    variables: Mapping[str, Any] | None = None,
) -> CaseForm:
    """Return the case in a form, checked by the suite's scorers.

    Args:
        fields: the entered texts.
        suite: the suite, for its scorer, judge and profile; its cases are not read.
        before: the previous case; fields that the form cannot show are kept.
        variables: the variables of the case; None for those of the previous case.
    """
    texts = {name: fields[name] for name in FIELDS}
    values, remarks = _values(texts, before)
    if variables is not None:
        values["vars"] = variables
    unnamed = () if values.get("id") else (Remark("id", "a case needs an id.", "Enter an id."),)
    case, faults = examine_case(
        values,
        lambda path: texts.get(str(path[0]), ""),
        frozenset(one.field for one in unnamed),
        has_prompts=bool(suite.prompts),
    )
    found = [
        *unnamed,
        *remarks,
        *(Remark(_field(one.path), one.message, one.hint) for one in faults),
    ]
    made = suite.expander.expand(case)
    found += [Remark(_field(path), one.message, one.hint) for path, one in made.faults]
    found += _remarks_of(made.cases or (case,), suite, values.get("scorer"))
    return CaseForm(texts, None if found else case, unique_remarks(found))


def _values(
    texts: Mapping[str, str], before: Case | None
) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    """Return the values of the case; an unchanged text keeps values that a form cannot show."""
    was, shown = (before.model_dump() if before else {}), case_texts(before)
    values = {name: value for name, value in was.items() if name not in FIELDS and value}
    for name in _TEXTS:
        if before is not None and _same(texts[name], shown[name]):
            values[name] = getattr(before, name)
        elif texts[name]:
            values[name] = texts[name].strip() if name != "prompt" else texts[name]
    if tags := [tag for one in texts["tags"].split(",") if (tag := one.strip())]:
        values["tags"] = list(was["tags"]) if was and texts["tags"] == shown["tags"] else tags
    several = {name: _list_items(name, texts, shown, before) for name in _LINES_OF}
    if several["also_expected"]:
        first = [values["expected"]] if values.get("expected") else []
        values["expected"] = [*first, *several["also_expected"]]
    values["choices"] = several["choices"] or None
    messages, wrong = read_block(texts["messages"], "messages")
    if messages is not None:
        values["messages"] = messages
    scorer, also = _scorer(texts)
    if scorer:
        values["scorer"] = scorer
    checks, unread = read_checks(texts)
    values |= checks | ({"checks_only": True} if texts["checks_only"] else {})
    kept = {name: value for name, value in values.items() if value is not None}
    return kept, (*wrong, *also, *unread)


def _list_items(
    name: str, texts: Mapping[str, str], shown: Mapping[str, str], before: Case | None
) -> list[str]:
    """The texts of a list, one a line; as they were where none was changed."""
    if before is not None and _same(texts[name], shown[name]):
        return list(getattr(before, name))
    return [line for one in texts[name].splitlines() if (line := one.strip())]


def _scorer(texts: Mapping[str, str]) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    field = "scorer_parameters"
    given, wrong = read_block(texts[field], field)
    if given is None:
        given = {}
    if not isinstance(given, dict):
        hint = "Write one per line, for example tolerance: 0.01."
        return {}, (*wrong, Remark(field, "parameters must be names with values.", hint))
    if given and not texts["scorer"]:
        hint = "Choose a scorer for the case, or remove the parameters."
        return {}, (*wrong, Remark(field, "scorer parameters without a scorer.", hint))
    return ({"id": texts["scorer"], **given} if texts["scorer"] else {}), wrong


def _remarks_of(cases: Sequence[Case], suite: Suite, scorer: Any) -> Iterator[Remark]:  # noqa: ANN401  as typed
    root = SourceMark(0, 0, inside={})
    marks: dict[str | int, SourceMark] = {at: _mark(scorer) for at in range(len(cases))}
    root.inside["cases"] = SourceMark(0, 0, inside=marks)
    final = {"rendered": True} if suite.expander.has_effect else {}
    weighed = tuple(one.model_copy(update={"weight": one.weight or 1.0, **final}) for one in cases)
    alone = replace(suite, cases=weighed, places=SourceMap("", root))
    return _LINES.remarks(check_suite(alone))


def _mark(scorer: Any) -> SourceMark:  # noqa: ANN401  as typed
    """Return the locations of the case's values; a missing scorer is reported at its field."""
    mark = _LINES.mark("scorer")
    plain: Iterable[str] = (name for name in FIELDS if name != "scorer_parameters")
    mark.inside |= {name: _LINES.mark(name) for name in plain}
    if isinstance(scorer, dict):
        mark.inside["scorer"] = _LINES.mark_of("scorer", scorer, "scorer_parameters")
    return mark


def _field(path: tuple[str | int, ...]) -> str:
    first = str(path[0]) if path else "prompt"
    if first == "scorer" and len(path) > 1 and path[1] != "id":
        return "scorer_parameters"
    return first if first in FIELDS else ""


def _same(text: str, shown: str) -> bool:
    return text == as_sent(shown)
