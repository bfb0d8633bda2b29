"""The prompts of a suite in a form: their texts, and their faults."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from benchmaker.scoring.check import check_suite
from benchmaker.spec import SourceMap, Suite
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.suites.prompts import Prompt
from benchmaker.web.form_body import FieldLists, as_sent
from benchmaker.web.suites.form_errors import FormLines, Remark, unique_remarks

NEW_ID, NEW_TEXT = "new_id", "new_text"


@dataclass(frozen=True, slots=True)
class PromptsForm:
    """The entered texts by field, the suite if they are valid, and otherwise the faults."""

    texts: Mapping[str, str]
    suite: Suite | None = None
    remarks: tuple[Remark, ...] = ()
    is_changed: bool = False

    def remarks_for(self, field: str) -> tuple[Remark, ...]:
        """Return the faults of one field; "" for those of the suite as a whole."""
        return tuple(one for one in self.remarks if one.field == field)


def field_of(at: int, place: int) -> str:
    """The field of a text: the number of its prompt, and of the text in it, both from 0.

    >>> field_of(0, 1)
    'p0_1'
    """
    return f"p{at}_{place}"


def prompt_texts(suite: Suite) -> dict[str, str]:
    """The texts of the form for a suite."""
    texts = {
        field_of(at, place): text
        for at, prompt in enumerate(suite.prompts)
        for place, (_, text) in enumerate(prompt.templates)
    }
    return {**texts, NEW_ID: "", NEW_TEXT: ""}


def read_prompts(fields: FieldLists, before: Suite) -> PromptsForm:
    """Return the suite with the prompts in a form, fully checked; missing fields are unchanged."""
    shown = {name: as_sent(text) for name, text in prompt_texts(before).items()}
    texts = {name: fields.first(name) if fields[name] else text for name, text in shown.items()}
    if texts == shown:
        return PromptsForm(texts, before)
    remarks = [
        Remark(name, "a prompt needs a text.", "Enter a text.")
        for name, text in texts.items()
        if name.startswith("p") and not text.strip() and shown[name].strip()
    ]
    prompts = [_with_texts(prompt, at, texts, shown) for at, prompt in enumerate(before.prompts)]
    added, wrong = _new_prompt(texts, [str(one.id) for one in before.prompts])
    remarks += wrong
    places = FormLines(tuple(texts))
    made = replace(
        before, prompts=(*prompts, *added), places=SourceMap("", _marks(places, before, texts))
    )
    remarks += places.remarks(check_suite(made))
    kept = None if remarks else replace(made, places=None)
    return PromptsForm(texts, kept, unique_remarks(remarks), is_changed=True)


def _with_texts(
    prompt: Prompt, at: int, texts: Mapping[str, str], shown: Mapping[str, str]
) -> Prompt:
    made: dict[str, Any] = {}
    turns = list(prompt.messages)
    for place, (path, _) in enumerate(prompt.templates):
        name = field_of(at, place)
        if texts[name] == shown[name]:
            continue
        first, *inner = path
        if inner and isinstance(turn := inner[0], int):
            turns[turn] = turns[turn].model_copy(update={"content": texts[name]})
            made["messages"] = tuple(turns)
        else:
            made[str(first)] = texts[name]
    return prompt.model_copy(update=made)


def _new_prompt(
    texts: Mapping[str, str], taken: list[str]
) -> tuple[tuple[Prompt, ...], list[Remark]]:
    name, text = texts[NEW_ID].strip(), texts[NEW_TEXT]
    if not text.strip():
        hint = "Enter its text, or remove the id."
        return (), [Remark(NEW_TEXT, "a prompt needs a text.", hint)] if name else []
    if not name:
        return (), [Remark(NEW_ID, "a prompt needs an id.", "Enter an id.")]
    if name in taken:
        return (), [Remark(NEW_ID, f"the suite has a prompt {name!r}.", "Choose another id.")]
    try:
        return (Prompt(id=name, prompt=text),), []
    except ValidationError as exc:
        return (), [Remark(NEW_ID, f"{exc.errors()[0]['msg']}.")]


def _marks(lines: FormLines, suite: Suite, texts: Mapping[str, str]) -> SourceMark:
    """The locations of the templates, as if each field were a line."""
    root = SourceMark(0, 0, inside={})
    every = SourceMark(0, 0, inside={})
    root.inside["prompts"] = every
    for at, prompt in enumerate(suite.prompts):
        own = lines.mark(field_of(at, 0))
        every.inside[at] = own
        for place, (path, _) in enumerate(prompt.templates):
            inner = own
            for step in path[:-1]:
                inner = inner.inside.setdefault(step, SourceMark(own.line, 1, inside={}, keys={}))
            inner.inside[path[-1]] = lines.mark(field_of(at, place))
    if texts[NEW_TEXT].strip():
        every.inside[len(suite.prompts)] = lines.mark(NEW_TEXT)
    return root


def moved_to(form: PromptsForm, base: Suite, newest: Suite) -> PromptsForm:
    """The form over another version: changed texts as entered, the others as in that version."""
    shown, theirs = prompt_texts(base), prompt_texts(newest)
    places = {str(one.id): at for at, one in enumerate(newest.prompts)}
    texts = dict(theirs)
    for at, prompt in enumerate(base.prompts):
        for place in range(len(prompt.templates)):
            name, there = field_of(at, place), field_of(places.get(str(prompt.id), -1), place)
            if there in texts and form.texts[name] != as_sent(shown[name]):
                texts[there] = form.texts[name]
    texts |= {name: form.texts[name] for name in (NEW_ID, NEW_TEXT)}
    return PromptsForm(texts, is_changed=True)
