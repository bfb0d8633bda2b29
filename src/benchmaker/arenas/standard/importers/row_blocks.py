"""The short way for rows that are alike: blocks of them in columns, without an object for each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedRow,
    keys_of,
)
from benchmaker.record import Outcome, Score
from benchmaker.record.run import IMPORTED
from benchmaker.spec import Case
from benchmaker.store.database.json_values import decode, encode_all
from benchmaker.store.imports.trial_blocks import TrialBlock
from benchmaker.store.suites.case_blocks import CaseBlock

LONGEST_ID: Final = 512
"""The longest id of a case."""

NO_SCALE: Final = "the tool's scores are not from 0 to 1"
"""The note of an answer without a score of ours."""


_PLAIN: Final = Case(id="case", prompt="").model_dump()


def plain_question(
    name: str, prompt: str, expected: Sequence[str], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a case with a question and its right answers as plain data."""
    return {
        **_PLAIN,
        "id": name,
        "prompt": prompt,
        "expected": expected[0] if len(expected) == 1 else list(expected) or None,
        "metadata": metadata,
    }


class RowBlock(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Rows of one model, each of a case of its own, in columns.

    A row has a text, a value for each of the same scorers, and fields kept verbatim. Its case has
    an id, a question, right answers and fields kept verbatim. It has nothing else that
    :class:`ImportedRow` knows. Rows of cases with different ids have different identities.
    """

    model: str
    scorer: str
    ids: list[str]
    questions: list[str]
    expected: list[tuple[str, ...]]
    metadata: list[dict[str, Any]]
    outputs: list[str]
    scores: list[dict[str, float | None]]
    values: list[float | None]
    identities: list[Any]
    rests: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self) -> list[ImportedRow]:
        """Return the rows one by one."""
        answers = zip(
            self.cases(), self.outputs, self.scores, self.values, self.identities, self.rests,
            strict=True,
        )  # fmt: skip
        return [
            ImportedRow(
                case=case,
                model=self.model,
                output=output,
                scores=scores,
                score=value,
                scorer=self.scorer,
                identity=identity,
                rest=rest,
            )
            for case, output, scores, value, identity, rest in answers
        ]

    def cases(self) -> list[ImportedCase]:
        """Return the case of each row."""
        columns = zip(self.ids, self.questions, self.expected, self.metadata, strict=True)
        return [
            ImportedCase(
                id=name,
                messages=(("user", question),) if question else (),
                expected=expected,
                metadata=metadata,
            )
            for name, question, expected, metadata in columns
        ]

    def keys(self, tool: str) -> list[int]:
        """Return the keys of the rows."""
        return keys_of([(tool, identity) for identity in self.identities])

    def case_block(self) -> CaseBlock:
        """Return the cases as the store keeps them."""
        columns = zip(self.ids, self.questions, self.expected, self.metadata, strict=True)
        return CaseBlock.of([plain_question(*values) for values in columns])

    def answer_block(self, keys: list[int], position: int, setup: int) -> "AnswerBlock":
        """Return the answers as they are written, of cases from a position on, in their setup."""
        return AnswerBlock(
            position=position,
            setup=setup,
            scorer=self.scorer,
            keys=keys,
            ids=self.ids,
            expected=self.expected,
            outputs=self.outputs,
            values=self.values,
            scores=encode_all(self.scores),
            rests=encode_all(self.rests),
        )


class AnswerBlock(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The answers of a block with their keys; ``scores`` and ``rests`` are JSON texts."""

    position: int
    setup: int
    scorer: str
    keys: list[int]
    ids: list[str]
    expected: list[tuple[str, ...]]
    outputs: list[str]
    values: list[float | None]
    scores: list[str]
    rests: list[str]

    def rows(self, cases: CaseBlock, model: str) -> list[ImportedRow]:
        """Return the rows with their cases one by one, known by their keys."""
        columns = zip(
            cases.bodies, self.expected, self.outputs, self.scores, self.values, self.keys,
            self.rests, strict=True,
        )  # fmt: skip
        return [
            ImportedRow(
                case=_case_of(decode(body, dict[str, Any]), expected),
                model=model,
                output=output,
                scores=decode(scores, dict[str, float | None]),
                score=value,
                scorer=self.scorer,
                key=key,
                rest=decode(rest, dict[str, Any]),
            )
            for body, expected, output, scores, value, key, rest in columns
        ]

    def trial_block(self, rank: int, *, version: str, at: str) -> TrialBlock:
        """Return the trials of a run; ``version`` is the tool's, ``at`` the time of their end."""
        return TrialBlock(
            rank=rank,
            position=self.position,
            case_ids=self.ids,
            outcomes=[_OUTCOMES[value is None] for value in self.values],
            finished_at=at,
            texts=self.outputs,
            scores=[
                Score(
                    score=value,
                    notes="" if value is not None else NO_SCALE,
                    scorer=self.scorer,
                    scorer_version=version,
                    profile=IMPORTED,
                    expected=expected[0] if expected else None,
                    also_expected=expected[1:],
                )
                for value, expected in zip(self.values, self.expected, strict=True)
            ],
            keys=self.keys,
            tool_scores=self.scores,
            rests=self.rests,
        )


def _case_of(plain: dict[str, Any], expected: tuple[str, ...]) -> ImportedCase:
    return ImportedCase(
        id=plain["id"],
        messages=(("user", plain["prompt"]),) if plain["prompt"] else (),
        expected=expected,
        metadata=plain["metadata"],
    )


_OUTCOMES = (Outcome.SCORED.value, Outcome.UNSCORED.value)

RowPart = RowBlock | Sequence[ImportedRow]
"""Rows that stand together in a file, in columns if they are alike."""


@dataclass(frozen=True, slots=True)
class PartedRows:
    """The rows of a file in parts; an iteration yields them one by one. They are read once."""

    parts: Iterable[RowPart]

    def __iter__(self) -> Iterator[ImportedRow]:
        for part in self.parts:
            yield from part.rows() if isinstance(part, RowBlock) else part


def rename_models(
    rows: Iterable[ImportedRow], rename: Callable[[str], str]
) -> Iterable[ImportedRow]:
    """Return rows with other names of models; parts stay parts."""
    if isinstance(rows, PartedRows):
        return PartedRows(_rename_part(part, rename) for part in rows.parts)
    return (replace(row, model=rename(row.model)) for row in rows)


def _rename_part(part: RowPart, rename: Callable[[str], str]) -> RowPart:
    if isinstance(part, RowBlock):
        return replace(part, model=rename(part.model))
    return [replace(row, model=rename(row.model)) for row in part]
