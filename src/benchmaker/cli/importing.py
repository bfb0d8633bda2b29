"""Taking runs from an export into the store."""

from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import place_of

if TYPE_CHECKING:
    from benchmaker.engine.intake import Imported
    from benchmaker.report.exported import Export


def take_in(context: Context, file: Path) -> "tuple[Export, Imported]":
    """Read an export, check all of it, then store it; a second time changes nothing.

    Raises:
        SpecError: the file is no sound export.
        Conflict: the store has a run of the same id with other content.
    """
    from benchmaker.engine.intake import import_export  # noqa: PLC0415  loads the store
    from benchmaker.report.exported import read_export  # noqa: PLC0415  loads pydantic

    export = read_export(file)
    with place_of(context).opened() as store:
        return export, import_export(store, export)
