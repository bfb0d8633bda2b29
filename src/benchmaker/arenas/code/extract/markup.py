"""The tags of a page with their positions in the text, parsed as tolerantly as in a browser.

The standard library's parser lacks positions of attributes and, in some releases, is not linear in
time; this one reads every character once.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

_BLANKS = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(r"[\s/]*([^\s/>=][^\s/>=]*)(\s*=\s*)?")
_UNQUOTED = re.compile(r"[^\s>]*")
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII)
    for name in ("script", "style", "textarea", "title")
}
_VOID = frozenset({
    *("area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta"),
    *("param", "source", "track", "wbr"),
})  # fmt: skip
_OPTIONAL_END = frozenset({
    *("body", "caption", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p"),
    *("rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr"),
})  # fmt: skip


class Attribute(NamedTuple):
    """One attribute; ``start`` and ``end`` hold all of it, its name and quotes too."""

    name: str
    value: str
    start: int
    end: int


class Tag(NamedTuple):
    """A start tag or an end tag from ``start`` to ``end``.

    For an element with text content only (script, style, …) ``body_end`` is the end of that text;
    ``is_open`` is true if the page ends before the element.
    """

    name: str
    start: int
    end: int
    attributes: tuple[Attribute, ...] = ()
    is_end: bool = False
    is_self_closing: bool = False
    body_end: int | None = None
    is_open: bool = False

    def attribute(self, name: str) -> Attribute | None:
        """The first attribute of that name."""
        return next((it for it in self.attributes if it.name == name), None)

    def value(self, name: str) -> str | None:
        """The value of an attribute, "" where it has none; None where it is absent."""
        found = self.attribute(name)
        return None if found is None else found.value


def tags(text: str) -> Iterator[Tag]:
    """Every tag in order; the content of comments, scripts and styles holds none.

    >>> [tag.name for tag in tags("<p class=a>1 < 2<!-- <b> --><script>'<i>'</script>")]
    ['p', 'script', 'script']
    """
    at = 0
    while (at := text.find("<", at)) >= 0:
        if text.startswith(("<!", "<?"), at):
            at = _after_declaration(text, at)
            continue
        is_end = text.startswith("/", at + 1)
        name = _NAME.match(text, at + 1 + is_end)
        if name is None:
            at += 1
            continue
        tag = _tag(text, at, name, is_end=is_end)
        if tag is None:  # the page ends within the tag; browsers drop it
            return
        yield tag
        at = tag.end if tag.body_end is None else tag.body_end


def content_start(text: str) -> int:
    """Return the start of markup: after blanks, comments and an XML declaration."""
    at = 0
    while True:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # it matches anywhere
        closing = (
            "-->" if text.startswith("<!--", at) else "?>" if text.startswith("<?", at) else ""
        )
        end = text.find(closing, at) if closing else -1
        if end < 0:
            return at
        at = end + len(closing)


def _after_declaration(text: str, at: int) -> int:
    closing = "-->" if text.startswith("<!--", at) else ">"
    end = text.find(closing, at + 2)
    return len(text) if end < 0 else end + len(closing)


def _tag(text: str, start: int, name: re.Match[str], *, is_end: bool) -> Tag | None:
    read = _attributes(text, name.end())
    if read is None:
        return None
    attributes, end = read
    word = name[0].lower()
    body_end, is_open = None, False
    if not is_end and word in _RAW:
        closing = _RAW[word].search(text, end)
        body_end, is_open = (closing.start(), False) if closing else (len(text), True)
    return Tag(
        name=word,
        start=start,
        end=end,
        attributes=() if is_end else attributes,
        is_end=is_end,
        is_self_closing=text[end - 2] == "/",
        body_end=body_end,
        is_open=is_open,
    )


def _attributes(text: str, at: int) -> tuple[tuple[Attribute, ...], int] | None:
    """The attributes from ``at`` on, and where the tag ends; None where the text ends first."""
    if text.startswith(">", at):
        return (), at + 1
    found: list[Attribute] = []
    while name := _ATTRIBUTE.match(text, at):
        at = name.end()
        value = ""
        if name[2]:
            quote = text[at : at + 1]
            if quote in {'"', "'"}:
                closing = text.find(quote, at + 1)
                if closing < 0:
                    return None
                value, at = text[at + 1 : closing], closing + 1
            else:
                bare = _UNQUOTED.match(text, at)
                value = bare[0] if bare else ""
                at += len(value)
        found.append(Attribute(name[1].lower(), value, name.start(1), at))
    end = text.find(">", at)
    return None if end < 0 else (tuple(found), end + 1)


def ends_inside_tag(text: str) -> bool:
    """True if the page ends within a tag, a comment, a script or a style."""
    last, is_open = 0, False
    for tag in tags(text):
        last, is_open = tag.end if tag.body_end is None else tag.body_end, tag.is_open
    if is_open:
        return True
    opened = text.rfind("<!--", last)
    if opened >= 0 and text.find("-->", opened) < 0:
        return True
    return (
        bool(re.match(r"</?[A-Za-z][^>]*\Z", text[text.rfind("<", last) :])) and "<" in text[last:]
    )


def unclosed_elements(text: str) -> tuple[str, ...]:
    """Return the elements left open at the end, outermost first.

    Elements with an optional end tag (p, li, td, …) are not counted.

    >>> unclosed_elements("<div><p><b>bold</div><ul><li>one")
    ('ul',)
    """
    stack: list[str] = []
    count: Counter[str] = Counter()
    for tag in tags(text):
        if tag.is_end:
            _close(tag.name, stack, count)
        elif not tag.is_self_closing and tag.name not in _VOID:
            stack.append(tag.name)
            count[tag.name] += 1
    return tuple(name for name in stack if name not in _OPTIONAL_END)


def _close(name: str, stack: list[str], count: Counter[str]) -> None:
    if not count[name]:
        return
    while stack:
        closed = stack.pop()
        count[closed] -= 1
        if closed == name:
            return
