"""Conversion of a file of another tool into a suite."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmaker.arenas.standard.conversion.data_rows import rows_of
from benchmaker.arenas.standard.conversion.deepeval_goldens import convert_goldens, is_golden
from benchmaker.arenas.standard.conversion.draft_suite import DraftSuite, Omission
from benchmaker.arenas.standard.conversion.inspect_dataset import convert_dataset, is_dataset
from benchmaker.arenas.standard.conversion.lm_eval.task_conversion import convert_task
from benchmaker.arenas.standard.conversion.lm_eval.task_files import is_task
from benchmaker.arenas.standard.conversion.openai_evals import convert_registry, is_registry
from benchmaker.arenas.standard.conversion.original_file import read_original
from benchmaker.arenas.standard.conversion.promptfoo.configuration import (
    convert_configuration,
    is_configuration,
)
from benchmaker.arenas.standard.conversion.suite_writing import suite_text
from benchmaker.arenas.standard.conversion.tool_names import TOOLS
from benchmaker.errors import SpecError
from benchmaker.record.counts import count
from benchmaker.scoring.check import load_checked

CONVERTERS: dict[str, Callable[[Path], DraftSuite]] = dict(
    zip(
        TOOLS,
        (convert_configuration, convert_task, convert_dataset, convert_goldens, convert_registry),
        strict=True,
    )
)
"""The converters by the name of their tool."""

_DOCUMENTS: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("openai-evals", is_registry),
    ("promptfoo", is_configuration),
    ("lm-eval", is_task),
)


_SCORE_DIFFERS = (
    "the verdicts are promptfoo's. promptfoo's score is the weighted share of the checks; here it "
    "is 0 or 100."
)


_WEIGHT_DIFFERS = (
    "promptfoo counts each combination as a test; here they share the weight of one case."
)


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of a conversion: the text of the suite, and what is not carried over.

    ``tool`` is the tool of the original, ``cases`` the number of cases with lists in ``vars``
    expanded. ``notes`` say what differs although it is carried over.
    """

    tool: str
    text: str
    cases: int
    omissions: tuple[Omission, ...]
    notes: tuple[str, ...] = ()


def convert_file(path: Path, tool: str | None = None) -> Conversion:
    """Return the suite of a file of another tool, which is recognised if ``tool`` is None.

    The suite is checked as ``benchmaker validate`` checks it.

    Raises:
        SpecError: the file can't be read, is of no known tool, or nothing can be carried over.
    """
    name = tool or _recognise(path)
    draft = CONVERTERS[name](path)
    if not draft.cases:
        reason = next((f": {one.what}" for one in draft.listed_omissions()), "")
        raise SpecError(f"no case of {path.name} can be carried over{reason}.", where=str(path))
    text = suite_text(draft)
    cases = _checked_cases(text, path)
    omissions = tuple(draft.listed_omissions())
    return Conversion(draft.tool, text, cases, omissions, _notes(draft))


def _notes(draft: DraftSuite) -> tuple[str, ...]:
    """The notes on promptfoo's tests whose score or weight differs."""
    if draft.tool != "promptfoo":
        return ()
    differing = sum(
        "threshold" not in case and len(case.get("checks", ())) > 1 for case in draft.cases
    )
    listed = sum(
        any(isinstance(value, list) for value in case.get("vars", {}).values())
        for case in draft.cases
    )
    notes = (
        (differing, f"with several checks and no threshold: {_SCORE_DIFFERS}"),
        (listed, f"with lists in vars: {_WEIGHT_DIFFERS}"),
    )
    return tuple(f"{count(number, 'case')} {said}" for number, said in notes if number)


def _recognise(path: Path) -> str:
    """The tool of a file, by its keys."""
    if path.suffix.lower() in {".csv", ".jsonl"}:
        return _tool_of_rows(path)
    data = read_original(path).data
    if isinstance(data, list):
        return _tool_of_rows(path)
    found = next((name for name, fits in _DOCUMENTS if fits(data)), None)
    return found or _unknown(path)


def _tool_of_rows(path: Path) -> str:
    first = next(islice(rows_of(path), 1), None)
    if first is not None and is_golden(first.values):
        return "deepeval"
    if first is not None and is_dataset(first.values):
        return "inspect"
    return _unknown(path)


def _unknown(path: Path) -> str:
    known = ", ".join(CONVERTERS)
    raise SpecError(
        "not recognised as a file of another tool.",
        where=str(path),
        hint=f"Name its tool with --from: {known}.",
    )


def _checked_cases(text: str, path: Path) -> int:
    """The number of cases of the suite, read as a run does; its faults name the original."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "suite.yaml"
        file.write_text(text, encoding="utf-8")
        try:
            return sum(1 for _ in load_checked(file))
        except SpecError as exc:
            reason = exc.findings[0].message if exc.findings else exc.message
            raise SpecError(
                f"the suite of {path.name} would not be valid: {reason}", where=str(path)
            ) from exc
