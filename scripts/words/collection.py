"""Every text of the repository that somebody reads, with its area and place."""

import ast
import inspect
import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from scripts.make_docs import FOLDER, PAGES
from scripts.reference import tasks
from scripts.words.commands import helps
from scripts.words.docstrings import paragraphs, public_docstrings
from scripts.words.literals import VALUE, Literal, literals
from scripts.words.markdown import blocks
from scripts.words.sentence import Area, Text
from scripts.words.templates import page_texts, script_texts

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "benchmaker"
WEB = SOURCE / "web"
PROMPTS = {
    SOURCE / "judging" / "instructions.py",
    SOURCE / "scoring" / "code" / "prompt.py",
    SOURCE / "scoring" / "judge" / "prompt.py",
}
"""Modules of texts that models read: another word there makes other scores."""

MARKDOWN = ("*.md", "docs/**/*.md", "benchmarks/*.md", "deploy/**/*.md")


def texts() -> Iterator[Text]:
    """Every text, by area and file."""
    yield from _code()
    yield from _pages()
    yield from _documents()
    yield from _notebooks()
    yield from _make()


def _code() -> Iterator[Text]:
    given = dict(helps())
    known = given.keys() | {text.partition("\n")[0] for text in given}
    found: list[Text] = []
    for path in sorted(SOURCE.rglob("*.py")):
        if "resources" not in path.parts:
            found += _module(path, known)
    yield from found
    yield from _made_up(given, [text for text in found if text.area is Area.HELP])


def _module(path: Path, helps: Collection[str]) -> Iterator[Text]:
    """The texts of a module; those that a command or an option has as its help are help."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    messages, docstrings = literals(tree)
    public = {id(node): is_boolean for node, is_boolean in public_docstrings(tree)}
    for node in docstrings:
        is_help = _plain(str(node.value)) in helps
        if is_help or id(node) in public:
            area = Area.HELP if is_help else Area.DOCSTRINGS
            pieces = paragraphs(str(node.value), node.lineno)
            yield from _placed(area, path, pieces, is_boolean=public.get(id(node), False))
    for it in messages:
        yield from _placed(*_literal(it, path, helps), is_boolean=it.is_boolean)


def _literal(
    it: Literal, path: Path, helps: Collection[str]
) -> tuple[Area, Path, Iterator[tuple[int, str]]]:
    """A literal that has an example is the docstring of a function that is made."""
    if it.keyword == "help" or _plain(it.words) in helps:
        return Area.HELP, path, iter([(it.line, it.words)])
    if path in PROMPTS:
        return Area.MESSAGES, path, iter([])
    if ">>> " in it.words:
        return Area.DOCSTRINGS, path, paragraphs(it.words, it.line)
    area = Area.DOCSTRINGS if it.is_description else Area.MESSAGES
    return area, path, iter([(it.line, it.words)])


def _made_up(given: Mapping[str, tuple[str, int]], found: list[Text]) -> Iterator[Text]:
    """Help that no literal has whole, put together when it is imported."""
    whole = {_plain(text.words) for text in found}
    forms = [_form(text.words) for text in found if VALUE in text.words]
    for text, (file, line) in given.items():
        is_found = text.partition("\n")[0] in whole or any(form.fullmatch(text) for form in forms)
        if text and not is_found and "\n" not in text:
            yield Text(Area.HELP, Path(file).relative_to(ROOT), line, text)


def _form(words: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, words.split(VALUE))), re.DOTALL)


def _pages() -> Iterator[Text]:
    for path in sorted(WEB.rglob("*.jinja")):
        yield from _placed(Area.PAGES, path, page_texts(path.read_text(encoding="utf-8")))
    for path in sorted(WEB.rglob("*.js")):
        yield from _placed(Area.PAGES, path, script_texts(path.read_text(encoding="utf-8")))


def _documents() -> Iterator[Text]:
    generated = {FOLDER / name for name in PAGES}
    quoted = {words for prompt in tasks.prompts() for _, words in blocks(prompt)}
    for path in sorted({path for pattern in MARKDOWN for path in ROOT.glob(pattern)}):
        is_generated = path in generated
        area = Area.GENERATED if is_generated else Area.DOCS
        pieces = (it for it in blocks(path.read_text(encoding="utf-8")) if it[1] not in quoted)
        yield from _placed(area, path, pieces, is_boolean=is_generated)


def _notebooks() -> Iterator[Text]:
    """The Markdown cells of notebooks."""
    for path in sorted((ROOT / "docs").rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield from _placed(Area.DOCS, path, blocks("".join(cell["source"])))


def _make() -> Iterator[Text]:
    """The help of ``make``."""
    path = ROOT / "Makefile"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := re.match(r"[a-z-]+:.*## (.*)", line):
            yield Text(Area.HELP, path.relative_to(ROOT), number, found[1])


def _placed(
    area: Area, path: Path, pieces: Iterator[tuple[int, str]], *, is_boolean: bool = False
) -> Iterator[Text]:
    for line, words in pieces:
        yield Text(area, path.relative_to(ROOT), line, words, is_boolean)


def _plain(text: str) -> str:
    return inspect.cleandoc(text.replace("\b\n", ""))
