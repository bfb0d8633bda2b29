"""promptfoo: results as CSV, with a group of columns for each prompt and provider."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedRow,
    as_score,
    digest,
    plain_vars,
    prompt_label,
)
from benchmaker.arenas.standard.importers.other_forms import FORM
from benchmaker.arenas.standard.importers.promptfoo import PASS, SCORE
from benchmaker.arenas.standard.importers.reading import FILES, Tally, a_dict
from benchmaker.errors import SpecError
from benchmaker.record import Outcome
from benchmaker.spec.documents.files import open_regular

STATUS = "Status"
_PROVIDER = re.compile(r"^\[(?P<model>[^\]]*)\]\s*(?P<prompt>.*)$", re.DOTALL)
_VERDICTS = {"PASS": 1.0, "FAIL": 0.0, "ERROR": None}


class _Output(NamedTuple):
    """The group of columns of one prompt and provider: the output, its status, and the rest."""

    model: str
    prompt: str
    start: int
    end: int


class PromptfooTable:
    """Results of promptfoo as CSV."""

    tool = "promptfoo"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By the columns after an output."""
        return b",Status,Score,Named Scores" in start

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation; a row of the file has an answer for each output column."""
        yield ImportedEvaluation(
            tool="promptfoo",
            task="evaluation",
            known={FORM: "csv"},
            has_prompts=True,
            files=(path.name,),
            rows=tally.count_all(_rows(path, tally)),
        )


@dataclass(slots=True)
class _Lines:
    """The lines of a file as text; ``is_cut`` is true after one without an end."""

    stream: Iterable[bytes]
    is_cut: bool = False

    def __iter__(self) -> Iterator[str]:
        """Yield each line, as it is read."""
        for line in self.stream:
            self.is_cut = not line.endswith(b"\n")
            yield line.decode("utf-8", "replace")


def _rows(path: Path, tally: Tally) -> Iterator[ImportedRow]:
    with open_regular(path, limits=FILES, takes_utf16=True) as stream:
        lines = _Lines(stream)
        table = csv.reader(lines)
        try:
            header = next(table)
            groups = list(_outputs(header))
            for number, cells in enumerate(table, 2):
                is_cut = lines.is_cut and len(cells) < len(header)
                whole = [one for one in groups if not is_cut or one.end < len(cells)]
                yield from _answers(header, whole, cells, number, tally)
                for group in groups[len(whole) :]:
                    tally.refuse(
                        f"row {number}: unexpected end of file in the columns of {group.model}."
                    )
        except (StopIteration, csv.Error) as exc:
            raise SpecError(f"the table can't be read: {exc}.", where=str(path)) from exc


def _outputs(header: Sequence[str]) -> Iterator[_Output]:
    starts = [at - 1 for at, name in enumerate(header) if name == STATUS and at > 0]
    for start, end in zip(starts, [*starts[1:], len(header)], strict=True):
        found = _PROVIDER.match(header[start])
        model = found["model"] if found else "unknown"
        yield _Output(model, prompt_label(found["prompt"] if found else header[start]), start, end)


def _answers(
    header: Sequence[str], groups: Sequence[_Output], cells: Sequence[str], number: int,
    tally: Tally,
) -> Iterator[ImportedRow]:  # fmt: skip
    if not (cells and groups):
        return
    first = groups[0].start
    given = dict(zip(header[:first], cells, strict=False))
    description = given.pop("Description", "")
    variables = {name: value for name, value in given.items() if value}
    for group in groups:
        own = dict(zip(header[group.start + 1 : group.end], cells[group.start + 1 :], strict=False))
        if own.get(STATUS) not in _VERDICTS:
            if group.start < len(cells):
                tally.refuse(f"row {number}: no status after the output of {group.model}.")
            continue
        yield _row(group, cells[group.start], own, variables, description)


def _row(
    group: _Output, output: str, own: dict[str, str], variables: dict[str, str], description: str
) -> ImportedRow:  # fmt: skip
    verdict = _VERDICTS[own[STATUS]]
    is_failure = own[STATUS] == "ERROR"
    said = prompt_label(", ".join(variables.values()) or description)[:80]
    mark = digest((variables, description)).hex()[:6]
    kept = {
        name: value
        for name, value in own.items()
        if value and name not in {STATUS, "Score", "Named Scores"}
        and not name.startswith("Metric: ")
    }  # fmt: skip
    return ImportedRow(
        case=ImportedCase(
            id=f"{said} {mark}".strip(),
            vars=plain_vars(variables),
            metadata={"description": description} if description else {},
        ),
        model=group.model,
        prompt=group.prompt,
        output=None if is_failure and not output else output,
        scores={} if is_failure else _scores(own, verdict),
        score=verdict,
        scorer=PASS,
        outcome=Outcome.PROVIDER_ERROR if is_failure else Outcome.SCORED,
        error=(own.get("Grader Reason") or "the request failed") if is_failure else None,
        rest=kept,
    )


def _scores(own: dict[str, str], verdict: float | None) -> dict[str, float | None]:
    named: dict[str, Any] = {}
    with suppress(ValueError):
        named = a_dict(json.loads(own.get("Named Scores") or "{}"))
    return {
        PASS: verdict,
        SCORE: _number(own.get("Score", "")),
        **{f"promptfoo/{name}": as_score(value) for name, value in named.items()},
    }


def _number(text: str) -> float | None:
    try:
        return as_score(float(text))
    except ValueError:
        return None
