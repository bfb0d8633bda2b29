"""Recreation of a provider in another process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.providers.base import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A class and its arguments; printing shows only the class.

    ``target`` is a dotted path, ``arguments`` are plain data. If ``variables`` is not None, the
    class takes an environment: that of its process with these variables replaced (None means
    unset), never logged. If ``files`` is not None, it takes a data folder with these files.
    """

    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str | None] | None = field(default=None, repr=False)
    files: Mapping[str, bytes] | None = field(default=None, repr=False)

    def build(self, environ: Mapping[str, str], folder: Path) -> Provider:
        """The provider, in a process with this environment; ``folder`` is its own."""
        more: dict[str, Any] = {}
        if self.variables is not None:
            changed = {**environ, **self.variables}
            more["environ"] = {name: it for name, it in changed.items() if it is not None}
        if self.files is not None:
            for name, content in self.files.items():
                (folder / name).write_bytes(content)
            more["home"] = folder
        made: Provider = plugins.resolve(self.target)(**self.arguments, **more)
        return made


@runtime_checkable
class Repeatable(Protocol):
    """A provider that returns its own recipe."""

    def recipe(self) -> Recipe:
        """Return a recipe for an equivalent provider."""
        ...


def recipe_of(provider: Provider) -> Recipe:
    """Return the recipe of this provider.

    Raises:
        SpecError: it has none.
    """
    if isinstance(provider, Repeatable):
        return provider.recipe()
    raise SpecError(
        f"{type(provider).__qualname__} can't be recreated in another process.",
        hint="Add a method recipe(), or run without an executor.",
    )
