"""How a provider is made again in another process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.providers.base import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A class and what it is called with; printing shows the class alone.

    ``target`` is a dotted path, ``arguments`` are plain data. Where ``variables`` is not None, the
    class takes an environment: that of its process, but with these variables as they are here (one
    of None is not set), and without a word of them in any log. Where ``files`` is not None, it
    takes a data folder with these files.
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
    """A provider that says how it is made again."""

    def recipe(self) -> Recipe:
        """How to make one that answers alike."""
        ...


def recipe_of(provider: Provider) -> Recipe:
    """How to make this provider again elsewhere.

    Raises:
        SpecError: it does not say.
    """
    if isinstance(provider, Repeatable):
        return provider.recipe()
    raise SpecError(
        f"{type(provider).__qualname__} can't be recreated in another process.",
        hint="Add a method recipe(), or run without an executor.",
    )
