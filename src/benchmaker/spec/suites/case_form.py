"""Converts values from a file into a :class:`Case`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmaker.spec.documents.source_map import Path, as_text
from benchmaker.spec.suites.case import HAS_PROMPTS, Case
from benchmaker.spec.suites.check_spec import CheckSpec
from benchmaker.spec.suites.page_checks import PAGE_TEXTS

TextAt = Callable[[Path], str]
_TEXTS = ("id", "prompt", "expected", "category", "difficulty", "group")
_LABELS = ("id", "category", "difficulty", "group")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BIGGEST = 2**63


def as_case(values: Mapping[str, Any], text_at: TextAt, *, has_prompts: bool = False) -> Case:
    """Return the case with these values; raises pydantic's ValidationError for invalid ones.

    A number, true or false in a text field becomes its source text, which ``text_at`` returns for
    its path; without one, as in Python, it becomes the text that a file would hold. With
    ``has_prompts``, its suite has prompts, so that it needs none of its own.
    """
    return Case.model_validate(normalise_texts(values, text_at), context={HAS_PROMPTS: has_prompts})


def normalise_texts(values: Mapping[str, Any], text_at: TextAt) -> dict[str, Any]:
    """Return the values of a case with scalars in text fields converted to text."""
    given = dict(values)
    keep_texts(given, text_at, _TEXTS)
    for name in ("expected", "choices"):
        if isinstance(several := given.get(name), list):
            given[name] = _texts(name, several, text_at)
    if isinstance(given.get("weight"), bool):
        given["weight"] = text_at(("weight",)) or as_text(given["weight"])
    if (tags := given.get("tags")) is not None and tags != []:
        given["tags"] = _tags(tags, text_at)
    if isinstance(messages := given.get("messages"), list):
        given["messages"] = [_message(one, i, text_at) for i, one in enumerate(messages)]
    if isinstance(page := given.get("page"), dict):
        given["page"] = _page(page, ("page",), text_at)
    return given


def keep_texts(values: dict[str, Any], text_at: TextAt, names: tuple[str, ...]) -> None:
    """Replace each number, true and false under these names by its source text."""
    for name in names:
        value = values.get(name)
        if value is not None and isinstance(value, (int, float)):
            values[name] = text_at((name,)) or as_text(value)


def _tags(tags: Any, text_at: TextAt) -> Any:  # noqa: ANN401  what stands in the file
    if isinstance(tags, str):
        return [tags]
    if isinstance(tags, (int, float)):
        return [text_at(("tags",)) or as_text(tags)]
    if not isinstance(tags, list):
        return tags
    return _texts("tags", tags, text_at)


def _texts(name: str, values: list[Any], text_at: TextAt) -> list[Any]:
    """A list of texts, each number, true and false in it as it stood in the file."""
    return [
        (text_at((name, i)) or as_text(one)) if isinstance(one, (int, float)) else one
        for i, one in enumerate(values)
    ]


def _message(message: Any, index: int, text_at: TextAt) -> Any:  # noqa: ANN401  what stands there
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, (int, float)):
        text = text_at(("messages", index, "content")) or as_text(content)
        return {**message, "content": text}
    return message


def _page(value: Any, path: Path, text_at: TextAt) -> Any:  # noqa: ANN401  what stands there
    """A page's values with texts where texts are meant."""
    match value:
        case dict():
            return {name: _page(inner, (*path, name), text_at) for name, inner in value.items()}
        case list():
            return [_page(inner, (*path, i), text_at) for i, inner in enumerate(value)]
        case int() | float() if path[-1] in PAGE_TEXTS:
            return text_at(path) or as_text(value)
        case _:
            return value


def unfit_texts(case: Case) -> Iterator[tuple[Path, str]]:
    """Yield the texts of a case that stores or terminals cannot represent, with the reason."""
    for name in _LABELS:
        if (label := getattr(case, name)) is not None and not label.isprintable():
            yield from _control((name,), label)
    for index, tag in enumerate(case.tags):
        yield from _control(("tags", index), tag)
    yield from _find_unfit(("prompt",), case.prompt or "")
    yield from _find_unfit(("expected",), "\n".join(case.expectations))
    for index, choice in enumerate(case.choices):
        yield from _find_unfit(("choices", index), choice)
    for index, message in enumerate(case.messages):
        yield from _find_unfit(("messages", index, "content"), message.content)
    if case.vars:
        yield from unfit_inside(("vars",), case.vars)
    if case.metadata:
        yield from unfit_inside(("metadata",), case.metadata)
    if case.page:
        yield from unfit_inside(("page",), case.page.plain_data)
    if case.scorer:
        yield from unfit_inside(("scorer",), case.scorer.parameters)
    yield from unfit_checks(case.checks)


def unfit_checks(checks: Sequence[CheckSpec]) -> Iterator[tuple[Path, str]]:
    """Yield the texts of checks that cannot be stored, with the reason."""
    for index, check in enumerate(checks):
        yield from unfit_label(("checks", index, "metric"), check.metric or "")
        yield from unfit_inside(("checks", index), check.parameters)


def unfit_label(path: Path, label: str) -> Iterator[tuple[Path, str]]:
    """Yield the reason why a short text cannot be stored, if there is one."""
    return _control(path, label)


def unfit_text(path: Path, text: str) -> Iterable[tuple[Path, str]]:
    """Yield the reason why a long text cannot be stored, if there is one."""
    return _find_unfit(path, text)


def _control(path: Path, label: str) -> Iterator[tuple[Path, str]]:
    if match := _CONTROL.search(label):
        yield path, f"the control character U+{ord(match.group()):04X} is not allowed here."
    else:
        yield from _find_unfit(path, label)


def _find_unfit(path: Path, text: str) -> Iterable[tuple[Path, str]]:
    return () if text.isascii() and "\0" not in text else _unfit_characters(path, text)


def _unfit_characters(path: Path, text: str) -> Iterator[tuple[Path, str]]:
    if "\0" in text:
        yield path, "the control character U+0000 is not allowed."
    if code := _lone_surrogate(text):
        yield path, f"lone surrogate U+{code:04X} is not allowed."


def _lone_surrogate(text: str) -> int:
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        return ord(text[exc.start])
    return 0


def unfit_inside(path: Path, value: Any) -> Iterator[tuple[Path, str]]:  # noqa: ANN401  plain data
    """The values inside plain data that can't be kept, and why."""
    match value:
        case str():
            yield from _find_unfit(path, value)
        case bool():
            return
        case int() if not -_BIGGEST <= value < _BIGGEST:
            yield path, "a whole number beyond 64 bits can't be kept; put it in quotes."
        case dict():
            for key, inner in value.items():
                yield from _find_unfit((*path, key), str(key))
                yield from unfit_inside((*path, key), inner)
        case list() | tuple():
            for index, inner in enumerate(value):
                yield from unfit_inside((*path, index), inner)
        case _:
            return
