"""The page of the plug-in for pytest, from its options and fixtures."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from benchmaker.pytest_plugin import plugin
from scripts.reference.docstring import markdown

HEAD = """\
# pytest

pytest loads the plug-in where Benchmaker is installed; `-p no:benchmaker` turns it off. It collects
`test_*.suite.yaml`, `test_*.suite.yml` and `test_*.suite.json`, and other `*.suite.yaml` (`.yml`,
`.json`) if they are named on the command line. [How to use it](../how-to/test-in-pytest.md)

`assert_scores` is on the page of [Python](python.md#assert_scores).
"""


class _Options:
    """Takes options as the parser of pytest does."""

    def __init__(self) -> None:
        self.added: list[tuple[str, dict[str, Any]]] = []

    def getgroup(self, *_: str) -> "_Options":
        return self

    def addoption(self, name: str, **declared: Any) -> None:  # noqa: ANN401  as pytest declares it
        self.added.append((name, declared))


def page() -> str:
    """The page's Markdown."""
    name, _, text = plugin.MARKER.partition(": ")
    marker = f"`{name}`: {text}\n"
    return "\n".join(
        [HEAD, "## Options\n", *_options(), "## Fixtures\n", *_fixtures(), "## Marker\n", marker]
    )


def options() -> list[tuple[str, dict[str, Any]]]:
    """The options, each with its declaration."""
    found = _Options()
    plugin.pytest_addoption(found, SimpleNamespace(rewrite_hook=None))  # type: ignore[arg-type]
    return found.added


def _options() -> Iterator[str]:
    for name, declared in options():
        value = f" {declared['metavar']}" if "metavar" in declared else ""
        yield f"### `{name}{value}`\n\n{declared['help']}\n"


def _fixtures() -> Iterator[str]:
    for name in ("benchmaker_run", "benchmaker_baseline"):
        yield f"### `{name}`\n\n{markdown(getattr(plugin, name))}\n"
