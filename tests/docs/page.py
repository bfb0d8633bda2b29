"""A page of the documentation: its front line, its fenced blocks and its links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>[^`]*)$")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(?P<title>.+?) *#*$")
PROVIDER = "provider"
FRONT = re.compile(r"^<!-- runs with: (?P<words>[a-z ]+) -->$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block; ``line`` is the line of its opening fence, counted from 1."""

    language: str
    attributes: dict[str, str]
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file as read."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> "Page":
        return cls(path, path.read_text(encoding="utf-8"))

    @property
    def marks(self) -> tuple[str, ...]:
        """The pytest markers named in the front line: ``<!-- runs with: data long -->``."""
        return tuple(word for word in self._front if word != PROVIDER)

    @property
    def needs_provider(self) -> bool:
        """Whether a local provider answers meanwhile: ``<!-- runs with: provider -->``."""
        return PROVIDER in self._front

    @property
    def blocks(self) -> list[Block]:
        """Every fenced block in the order of execution: those marked ``first``, then the others."""
        found = [part for part in self._parts() if isinstance(part, Block)]
        return sorted(found, key=lambda block: "first" not in block.attributes)

    @property
    def prose(self) -> str:
        """The text outside fenced blocks."""
        return "\n".join(part for part in self._parts() if isinstance(part, str))

    @property
    def links(self) -> list[str]:
        """The targets of links in the prose, code spans left out."""
        return [found["target"] for found in LINK.finditer(re.sub(r"`[^`\n]*`", "", self.prose))]

    @property
    def anchors(self) -> set[str]:
        """The anchors that the headings of this page give."""
        seen: dict[str, int] = {}
        return {_numbered(anchor(title), seen) for title in self.headings}

    @property
    def headings(self) -> list[str]:
        """The titles of this page, in order."""
        found = map(HEADING.match, self.prose.splitlines())
        return [match["title"] for match in found if match]

    @property
    def _front(self) -> list[str]:
        found = FRONT.match(self.text.partition("\n")[0])
        return found["words"].split() if found else []

    def _parts(self) -> Iterator[Block | str]:
        lines = iter(enumerate(self.text.splitlines(), start=1))
        for number, line in lines:
            opening = FENCE.match(line)
            if opening is None:
                yield line
                continue
            body = list(_until_closed(lines, opening["ticks"], self.path, number))
            words = opening["info"].split()
            attributes = dict(word.partition("=")[::2] for word in words[1:])
            text = dedent("".join(f"{inner}\n" for inner in body))
            yield Block(words[0] if words else "", attributes, text, number)


def _until_closed(
    lines: Iterator[tuple[int, str]], ticks: str, path: Path, opened: int
) -> Iterator[str]:
    for _, line in lines:
        bare = line.strip()
        if bare.startswith(ticks) and set(bare) == {ticks[0]}:
            return
        yield line
    raise ValueError(f"{path}:{opened}: this block is never closed")


def anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    kept = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower())
    return kept.replace(" ", "-")


def _numbered(name: str, seen: dict[str, int]) -> str:
    seen[name] = seen.get(name, -1) + 1
    return f"{name}-{seen[name]}" if seen[name] else name


def pages() -> list[Path]:
    """Every page whose blocks are executed."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
