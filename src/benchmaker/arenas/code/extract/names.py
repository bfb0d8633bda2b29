"""The names of code blocks: by info string, first line, or the line above."""

import re

from benchmaker.arenas.code.extract.languages import ENDINGS, LANGUAGE_OF

_ENDING = "|".join(
    sorted(
        {*ENDINGS.values(), "htm", "mjs", "cjs", "mts", "sass", "less", "csv"},
        key=len,
        reverse=True,
    )
)
_PATH = rf"[\w@./\\\[](?:[\w@.\-()\[\]+/\\]{{0,180}}[\w\])])?\.(?:{_ENDING})"
_WORD = re.compile(rf"(?<![\w/.@:-])({_PATH})(?![\w/-])", re.IGNORECASE)
_GIVEN = re.compile(
    rf"(?:title|filename|file|name|path)\s*[=:]\s*[\"']?({_PATH})(?![\w/-])", re.IGNORECASE
)
_COMMENT = re.compile(
    rf"\s{{0,20}}(?:<!--|//|/\*+|#)\s*(?:file(?:name)?\s*:\s*)?({_PATH})"
    r"\s*(?:-->|\*/|$|[-–(—:].{0,80}$)",
    re.IGNORECASE,
)
_ALIKE = (
    {"js", "jsx", "ts", "tsx"},
    {"html", "vue", "svelte"},
    {"html", "svg"},
    {"css", "scss"},
    {"json", "text"},
)
_PRODUCTS = frozenset({
    *("alpine.js", "anime.js", "angular.js", "backbone.js", "brain.js", "chart.js", "d3.js"),
    *("discord.js", "ember.js", "express.js", "leaflet.js", "matter.js", "moment.js", "next.js"),
    *("node.js", "nuxt.js", "p5.js", "phaser.js", "pixi.js", "react.js", "tensorflow.js"),
    *("three.js", "transformers.js", "vue.js"),
})  # fmt: skip
"""Names of products that look like names of files."""
_LOOKED_AT = 300
_LINES_ABOVE = 2


def label_of(info: str) -> str:
    """The language that an info string names, in small letters, "" where it names none.

    >>> label_of("html:index.html"), label_of("tsx filename=App.tsx"), label_of("src/app.css")
    ('html', 'tsx', 'css')
    """
    word = re.split(r"[\s:{,;=]", info.strip().lstrip("{."), maxsplit=1)[0].lower()
    if word in LANGUAGE_OF:
        return word
    ending = word.rpartition(".")[2] if "." in word else ""
    return ending if ending in LANGUAGE_OF else word


def path_of(info: str, text: str, above: str, language: str) -> str | None:
    """Return the path that an answer gives a block, None without one.

    It is searched in the info string (``title="a.js"``, ``html:index.html``), in the first line of
    the code if that is a comment, and in the line above the fence, where only a name with a suffix
    of the language counts.
    """
    info = info[:_LOOKED_AT]
    given = _GIVEN.search(info) or _WORD.search(_after_label(info))
    if given:
        return tidy_path(given[1])
    first = text.lstrip()[:_LOOKED_AT].partition("\n")[0].rstrip("\r")
    comment = _COMMENT.match(first)
    if comment and _fits(comment[1], language):
        return tidy_path(comment[1])
    return _named_above(above, language)


def tidy_path(path: str) -> str | None:
    """Return a normalised path: relative, without parent steps; None if nothing is left."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    if not parts or ".." in parts:
        return None
    return "/".join(parts)


def _after_label(info: str) -> str:
    return info.replace(":", " ", 1)


def _named_above(above: str, language: str) -> str | None:
    lines = [line for line in above[-_LOOKED_AT:].splitlines()[-_LINES_ABOVE - 1 :] if line.strip()]
    if not lines:
        return None
    found = _WORD.findall(lines[-1])
    names = [it for it in found if _fits(it, language) and it.lower() not in _PRODUCTS]
    return tidy_path(names[-1]) if names else None


def _fits(path: str, language: str) -> bool:
    ending = path.rpartition(".")[2].lower()
    named = LANGUAGE_OF.get(ending, ending)
    return named == language or any({named, language} <= alike for alike in _ALIKE)
