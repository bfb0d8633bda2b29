"""Conversion of a file of another tool into a suite."""

from dataclasses import dataclass
from pathlib import Path

from benchmaker.arenas.standard.conversion.draft_suite import DraftSuite, Omission
from benchmaker.arenas.standard.conversion.promptfoo.configuration import convert_configuration
from benchmaker.arenas.standard.conversion.suite_writing import suite_text


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of a conversion: the text of the suite, and what is not carried over."""

    tool: str
    text: str
    cases: int
    omissions: tuple[Omission, ...]


def convert_file(path: Path) -> Conversion:
    """Return the suite of a file of another tool."""
    return conversion_of(convert_configuration(path))


def conversion_of(draft: DraftSuite) -> Conversion:
    """Return the conversion with the text of a draft."""
    omissions = tuple(draft.listed_omissions())
    return Conversion(draft.tool, suite_text(draft), len(draft.cases), omissions)
