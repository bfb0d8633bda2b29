"""The page of packages: which may import which, and what lies in each."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "benchmaker"

LAYERS = """\
# Packages

## Layers

A package imports from the layers below its own only. Packages in one layer don't import each
other. `lint-imports` checks this.
"""

TREE = """\
## Folders

Every folder of `src/benchmaker` that holds code.
"""


def page() -> str:
    """The page's Markdown."""
    return "\n".join([LAYERS, f"{layers()}\n", TREE, *_tree(SOURCE)])


def layers() -> str:
    """The picture of the layers as a block of Markdown, the arenas by name."""
    picture = "\n".join(_layers())
    return f"```text\n{picture}\n```"


def summary(path: Path) -> str:
    """The first line of the docstring of a module."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def _layers() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers: list[str] = project["tool"]["importlinter"]["contracts"][0]["layers"]
    for layer in layers:
        for name in layer.split(" | "):
            yield f"{name:13}  {summary(_file(name))}"
            if name == "arenas":
                yield from (f"  {line}" for line in _rooms(SOURCE / name))
        if layer != layers[-1]:
            yield "    |"


def _rooms(folder: Path) -> Iterator[str]:
    for one in sorted(folder.glob("*/__init__.py")):
        yield f"{one.parent.name:11}  {summary(one)}"


def _file(name: str) -> Path:
    """The file that bears the docstring of a package, or of a module beside the packages."""
    module = SOURCE / f"{name}.py"
    return module if module.exists() else SOURCE / name / "__init__.py"


def _tree(folder: Path, indent: str = "") -> Iterator[str]:
    for one in sorted(folder.glob("*/__init__.py")):
        if one.parent.name != "resources":
            yield f"{indent}- `{one.parent.name}`: {summary(one)}"
            yield from _tree(one.parent, f"{indent}  ")
