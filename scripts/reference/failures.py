"""The page of errors, from the tree itself."""

import inspect
import re
from collections.abc import Iterator

from benchmaker import errors
from benchmaker.cli.output.failure import exit_code_of
from scripts.reference.docstring import markdown

HEAD = """\
# Errors

A message says what was found, where, and what to do. Everything raised on purpose is a
`BenchmakerError`; catch that at the top and the narrow ones in the middle.
"""


def page() -> str:
    """The page's Markdown."""
    return "\n".join([HEAD, f"```text\n{_tree()}\n```\n", *_classes()])


def classes() -> list[type[errors.BenchmakerError]]:
    """Every class of the tree, in the order of the module."""
    found = [it for _, it in inspect.getmembers(errors, inspect.isclass)]
    ours = [it for it in found if issubclass(it, errors.BenchmakerError)]
    return sorted(ours, key=lambda it: inspect.getsourcelines(it)[1])


def _tree() -> str:
    found = re.search(r"::\n\n(.*?)\n\n(?=\S)", inspect.getdoc(errors) or "", flags=re.DOTALL)
    return inspect.cleandoc(found[1]) if found else ""


def _classes() -> Iterator[str]:
    for cls in classes():
        yield f"## `{cls.__name__}`\n"
        yield f"{markdown(cls)}\n"
        yield f"A command that ends with it has the exit code {_exit_code(cls)}.\n"


def _exit_code(cls: type[errors.BenchmakerError]) -> int:
    return int(exit_code_of(cls.__new__(cls)))
