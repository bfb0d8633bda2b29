"""Docstrings as Markdown."""

import inspect
import re
from collections.abc import Iterator

SECTIONS = ("Args:", "Returns:", "Raises:", "Yields:", "Attributes:")
EXAMPLES = ("Example:", "Examples:")


def markdown(documented: object) -> str:
    """The docstring of an object: paragraphs, lists for sections, blocks for examples."""
    return "\n\n".join(map(_paragraph, _paragraphs(inspect.getdoc(documented) or "")))


def first_sentence(documented: object) -> str:
    """The first line of the docstring, without its full stop."""
    return inline((inspect.getdoc(documented) or "").partition("\n")[0]).rstrip(".")


def inline(text: str) -> str:
    """Roles and double backticks as code."""
    text = re.sub(r":[a-z]+:`~?(?:[\w.]+\.)?([^`.]+)`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs; what is indented after ``::`` or ``Example:`` stays with its blank lines."""
    kept: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        if kept and not part.startswith(" "):
            yield "\n\n".join(kept)
            kept = []
        if kept or part.rstrip().endswith("::") or part.partition("\n")[0] in EXAMPLES:
            kept.append(part)
        else:
            yield part
    if kept:
        yield "\n\n".join(kept)


def _paragraph(text: str) -> str:
    if text.startswith(">>>"):
        return f"```pycon\n{text}\n```"
    if text.partition("\n\n")[0].rstrip().endswith("::"):
        return _literal(text)
    head, _, body = text.partition("\n")
    if head in EXAMPLES:
        return f"{head}\n\n{_paragraphs_of(body)}"
    if head in SECTIONS:
        return f"{head}\n\n{_items(body)}"
    return inline(text)


def _paragraphs_of(indented: str) -> str:
    parts = re.split(r"\n\s*\n", inspect.cleandoc(indented))
    return "\n\n".join(map(_paragraph, parts))


def _literal(text: str) -> str:
    head, _, body = text.partition("\n\n")
    words = inline(head.rstrip().removesuffix("::"))
    block = f"```text\n{inspect.cleandoc(body)}\n```"
    return f"{words}:\n\n{block}" if words else block


def _items(body: str) -> str:
    """``name: text`` lines, continuation lines joined."""
    items: list[str] = []
    for line in inspect.cleandoc(body).splitlines():
        if line.startswith(" ") and items:
            items[-1] += f" {line.strip()}"
        else:
            items.append(line)
    return "\n".join(f"- {_named(inline(item))}" for item in items)


def _named(item: str) -> str:
    name, colon, rest = item.partition(": ")
    return f"`{name}`: {rest}" if colon and " " not in name else item
