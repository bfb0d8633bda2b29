"""The values of an option that names a plug-in."""

from collections.abc import Sequence

import click

from benchmaker.plugins import Kind, list_ids


class PluginChoice(click.Choice[str]):
    """The ids of a kind of plug-in, further words, or the dotted path of a class.

    The ids are read when they are first needed, and no plug-in is imported for them.
    """

    def __init__(self, kind: Kind, further: Sequence[str] = ()) -> None:
        self._kind = kind
        self._further = tuple(further)
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # click keeps them in a field
        """The ids and the further words."""
        return (*list_ids(self._kind), *self._further)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value unchanged if it is one of the choices or a dotted path."""
        return value if ":" in value else super().convert(value, param, ctx)
