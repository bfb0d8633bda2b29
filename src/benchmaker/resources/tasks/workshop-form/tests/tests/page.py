"""The page as a tree, its style sheet as rules, its script as tokens: read, never run."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path.cwd()
VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
}
MOST = 200_000


def text_of(name):
    path = ROOT / name
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST:
        raise AssertionError(f"{name} is not there, or too large")
    return path.read_text(encoding="utf-8")


@dataclass
class Element:
    tag: str
    given: dict
    above: "Element | None" = None
    inside: list = field(default_factory=list)
    line: int = 0

    def __getitem__(self, name):
        return self.given.get(name)

    def all(self, *tags):
        """Every element below, of these tags if any are given, in the order of the page."""
        for one in self.inside:
            if isinstance(one, Element):
                if not tags or one.tag in tags:
                    yield one
                yield from one.all(*tags)

    def text(self):
        words = [one.text() if isinstance(one, Element) else one for one in self.inside]
        return " ".join(" ".join(words).split())

    def within(self, tag):
        one = self.above
        while one is not None and one.tag != tag:
            one = one.above
        return one


class Tree(HTMLParser):
    """Builds the tree; what is not closed, or closed out of order, is a fault."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {})
        self.faults, self.doctype = [], ""
        self.feed(text)
        self.close()
        while self.at is not self.root:
            self.faults.append(f"line {self.at.line}: <{self.at.tag}> is not closed")
            self.at = self.at.above

    def handle_decl(self, decl):
        self.doctype = decl.lower()

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"line {self.getpos()[0]}: an attribute stands twice in <{tag}>")
        given = {name: "" if value is None else value for name, value in attrs}
        one = Element(tag, given, self.at, line=self.getpos()[0])
        self.at.inside.append(one)
        if tag not in VOID:
            self.at = one

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.at.tag != tag:
            self.faults.append(f"line {self.getpos()[0]}: </{tag}> closes <{self.at.tag}>")
        elif self.at is not self.root:
            self.at = self.at.above

    def handle_data(self, data):
        self.at.inside.append(data)


@dataclass(frozen=True)
class Rule:
    media: str
    selector: str
    given: tuple

    def get(self, name):
        """The last value of a property in this rule."""
        return next((value for one, value in reversed(self.given) if one == name), None)


def rules(text):
    """The rules of a style sheet, one for each selector; AssertionError where it doesn't add up."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    if text.count("{") != text.count("}"):
        raise AssertionError("the braces of the style sheet don't match")
    return list(parsed(text, ""))


def parsed(text, media):
    at = 0
    while (start := text.find("{", at)) >= 0:
        head, end = text[at:start].split(";")[-1].strip(), closing(text, start)
        body = text[start + 1 : end]
        if head.startswith(("@media", "@supports", "@layer", "@container")):
            yield from parsed(body, " ".join(f"{media} {head}".lower().split()))
        elif not head.startswith("@"):
            for selector in head.split(","):
                yield Rule(media, " ".join(selector.lower().split()), declarations(body))
        at = end + 1


def closing(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    raise AssertionError("a brace of the style sheet is not closed")


def declarations(body):
    pairs = (one.partition(":") for one in body.split(";") if ":" in one)
    return tuple(
        (name.strip().lower(), " ".join(value.split()).lower()) for name, _, value in pairs
    )


def contrast(one, other):
    """The contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    if not re.fullmatch("#[0-9a-f]{6}", colour or ""):
        raise AssertionError(f"{colour!r} is not of the form #rrggbb")
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"
    r"|(?P<word>[A-Za-z_$][\w$]*|\d[\w.]*)|(?P<space>\s+)|(?P<sign>=>|===|!==|&&|\|\||.)",
    re.DOTALL,
)


def script(text):
    """Kind and text of each token that is neither space nor comment."""
    found = [(one.lastgroup, one[0]) for one in TOKEN.finditer(text)]
    return [(kind, word) for kind, word in found if kind not in ("comment", "space")]


def called(tokens):
    """The names that are called, with the text given first where it is one."""
    for (kind, word), (_, bracket), (inner, first) in zip(
        tokens, tokens[1:], tokens[2:], strict=False
    ):
        if kind == "word" and bracket == "(":
            yield word, first[1:-1] if inner == "text" else ""
