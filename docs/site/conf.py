"""The site: the Markdown pages of this repository as HTML, with search; see ``make site``."""

import re
from pathlib import PurePosixPath

from pygments.lexers.data import JsonLexer
from pygments.lexers.shell import BashLexer
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

project = "Benchmaker"
extensions = ["myst_parser", "sphinx_copybutton"]
include_patterns = ["*.md", "docs/*.md", "docs/**/*.md", "benchmarks/README.md"]
exclude_patterns = ["build", ".*", "src", "tests"]
root_doc = "docs/index"

html_theme = "furo"
html_title = "Benchmaker"
html_static_path = ["static"]
templates_path = ["templates"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "redirect.html"}
html_show_sourcelink = False
html_copy_source = False

myst_heading_anchors = 4
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

TUTORIALS = [
    "docs/tutorial/first-suite",
    "docs/tutorial/live",
    "docs/tutorial/prompts-models-efforts",
    "docs/tutorial/benchmark-for-a-paper",
    "docs/tutorial/agents",
    "docs/tutorial/team-arena",
]
SECTIONS = ["docs/how-to/index", "docs/reference/index", "docs/explanation/index"]
PROJECT = ["README", "CHANGELOG", "CONTRIBUTING", "benchmarks/README", "docs/decisions/index"]

_LINK = re.compile(r"\]\(([\w./-]+)\.md(?:#[\w-]+)?\)")


def setup(app: Sphinx) -> None:
    """Add the navigation, and the languages of code blocks that Pygments does not know."""
    for language, lexer in {"jsonl": JsonLexer, "make": BashLexer, "csv": TextLexer}.items():
        app.add_lexer(language, lexer)
    app.connect("source-read", add_navigation)


def add_navigation(_app: Sphinx, page: str, source: list[str]) -> None:
    """Append a hidden table of contents to each page that stands for a folder."""
    if PurePosixPath(page).name != "index":
        return
    if page == root_doc:
        sections = {"Tutorials": TUTORIALS, "": SECTIONS, "Project": PROJECT}
        trees = [toctree(caption, pages) for caption, pages in sections.items()]
    else:
        trees = [toctree("", linked(page, source[0]))]
    source[0] = "\n".join([source[0], *trees])


def linked(page: str, text: str) -> list[str]:
    """The pages below the page's folder that it links to, each once, in order."""
    folder = PurePosixPath(page).parent
    links = [(folder / found).as_posix() for found in _LINK.findall(text) if ".." not in found]
    return list(dict.fromkeys(links))


def toctree(caption: str, pages: list[str]) -> str:
    """A hidden table of contents in MyST's notation."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    entries = [f"/{page}" for page in pages]
    return "\n".join(["```{toctree}", *options, "", *entries, "```", ""])
