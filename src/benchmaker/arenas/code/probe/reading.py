"""Facts from reading a document, without running it."""

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

from benchmaker.arenas.code.preview.own_scripts import own_script
from benchmaker.record import CodeFacts

_OURS = ("shim", "loader", "tailwind")
"""What assembling may have put into the document; it is not the answer's."""

_MOST = 20
_MOST_READ = 2_000_000
_VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr".split()  # noqa: SIM905
)
_MAY_STAY_OPEN = frozenset(
    "html head body p li dt dd option optgroup tr td th thead tbody tfoot colgroup".split()  # noqa: SIM905
)
_IMPORTANT = re.compile(r"!\s*important\b", re.IGNORECASE)
_BY_ID = re.compile(r"""getElementById\(\s*['"]([\w:.-]+)['"]\s*\)""")
_BY_HASH = re.compile(r"""querySelector\(\s*['"]#([\w-]+)['"]\s*\)""")
_MADE_ID = re.compile(
    r"""\bid\s*[=:]\s*\\?['"`]([\w:.-]+)|setAttribute\(\s*['"]id['"]\s*,\s*['"]([\w:.-]+)"""
)
_CALLED = re.compile(r"^\s*(?:return\s+)?([A-Za-z_$][\w$]*)\s*\(")
_HELD = frozenset({"style", "title", *(f"h{level}" for level in range(1, 7))})


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The facts of a document itself."""

    facts: CodeFacts
    title: str | None
    lang: str | None
    viewport_meta: bool
    headings: tuple[str, ...]
    duplicate_ids: tuple[str, ...]
    quirks: bool


def read_document(document: str) -> DocumentFacts:
    """Read a document; takes time in proportion to its length and never fails."""
    for name in _OURS:
        document = document.replace(own_script(name), "")
    text = document[:_MOST_READ]
    parser = _Parser()
    parser.feed(text)
    parser.close()
    code = "\n".join(parser.scripts)
    known = set(parser.ids) | {one or two for one, two in _MADE_ID.findall(code)}
    named = [*_BY_ID.findall(code), *_BY_HASH.findall(code)]
    facts = CodeFacts(
        bytes=len(document.encode("utf-8", "replace")),
        lines=document.count("\n") + 1,
        scripts=len(parser.scripts) + parser.linked_scripts,
        styles=len(parser.styles) + parser.linked_styles,
        inline_handlers=len(parser.handlers),
        inline_styles=parser.inline_styles,
        important=sum(len(_IMPORTANT.findall(style)) for style in parser.styles),
        missing_ids=tuple(sorted(set(named) - known))[:_MOST],
        missing_handlers=_undefined_handlers(parser.handlers, code, parser.linked_scripts),
        unclosed=tuple(parser.left_open[:_MOST]),
    )
    counts = Counter(parser.ids)
    return DocumentFacts(
        facts=facts,
        title="".join(parser.title).strip() or None,
        lang=parser.lang,
        viewport_meta=parser.viewport_meta,
        headings=tuple(" ".join(one.split())[:120] for one in parser.headings[:50]),
        duplicate_ids=tuple(sorted(one for one, count in counts.items() if count > 1))[:10],
        quirks=not parser.has_doctype,
    )


def _undefined_handlers(handlers: list[str], code: str, linked: int) -> tuple[str, ...]:
    """The functions that attributes call and no script of the document names."""
    if linked:
        return ()
    called = {found[1] for one in handlers if (found := _CALLED.match(one))}
    words = set(re.findall(r"[A-Za-z_$][\w$]*", code))
    return tuple(sorted(called - words - _BUILT_IN))[:_MOST]


_BUILT_IN = frozenset(
    "alert confirm prompt print open close scrollTo scrollBy fetch setTimeout if for "  # noqa: SIM905
    "while switch function".split()
)


@dataclass(slots=True)
class _OpenElement:
    kind: str
    parts: list[str] = field(default_factory=list)


class _Parser(HTMLParser):
    """Collects the data for the facts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.handlers: list[str] = []
        self.ids: list[str] = []
        self.title: list[str] = []
        self.headings: list[str] = []
        self.linked_scripts = self.linked_styles = self.inline_styles = 0
        self.lang: str | None = None
        self.viewport_meta = self.has_doctype = False
        self._held: _OpenElement | None = None
        self._open: Counter[str] = Counter()

    @property
    def left_open(self) -> list[str]:
        """The elements that were opened more often than closed."""
        return sorted(tag for tag, count in self._open.items() if count > 0)

    def handle_decl(self, decl: str) -> None:
        self.has_doctype |= decl.lower().startswith("doctype")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in _VOID and tag not in _MAY_STAY_OPEN:
            self._open[tag] += 1
        self._hold(tag, given)
        self._count(tag, given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open[tag] -= self._open[tag] > 0
        held = self._held
        if held is None or held.kind != tag:
            return
        text = "".join(held.parts)
        self._held = None
        match held.kind:
            case "script":
                self.scripts.append(text)
            case "style":
                self.styles.append(text)
            case "title":
                self.title.append(text)
            case _:
                self.headings.append(f"{tag} {text}")

    def handle_data(self, data: str) -> None:
        if self._held is not None:
            self._held.parts.append(data)

    def _hold(self, tag: str, given: dict[str, str]) -> None:
        is_second_title = tag == "title" and bool(self.title)
        is_code = tag == "script" and "src" not in given
        if is_code or (tag in _HELD and not is_second_title):
            self._held = _OpenElement(tag)

    def _count(self, tag: str, given: dict[str, str]) -> None:
        self.linked_scripts += tag == "script" and "src" in given
        self.linked_styles += tag == "link" and "stylesheet" in given.get("rel", "").lower()
        self.handlers.extend(value for name, value in given.items() if name.startswith("on"))
        self.inline_styles += "style" in given
        if given.get("id"):
            self.ids.append(given["id"])
        if tag == "html":
            self.lang = given.get("lang", "")
        if tag == "meta" and given.get("name", "").lower() == "viewport":
            self.viewport_meta |= "width" in given.get("content", "")
