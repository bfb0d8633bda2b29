"""The rows of an evaluation between reading and storing: each once, in the order of cases."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import NamedTuple, Self

import msgspec
from msgspec.structs import replace

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedRow,
    question_digest,
    repeated_key,
    row_key,
)
from benchmaker.store.imports.row_spool import NewCase, NewRow, RowSpool

_BATCH = 1_000
_DIGITS = re.compile(r"\d+")
_BARE = ImportedCase(id="")

_pack = msgspec.msgpack.Encoder().encode
_unpack_row = msgspec.msgpack.Decoder(ImportedRow).decode
_unpack_case = msgspec.msgpack.Decoder(ImportedCase).decode


class SetupName(NamedTuple):
    """A model, with a prompt if the evaluation compares several."""

    model: str
    prompt: str | None


class SpooledRow(NamedTuple):
    """A row with its key, the number of its case and that of its setup."""

    key: int
    case: int
    setup: int
    row: ImportedRow


class SpooledCase(NamedTuple):
    """A case with its number, and the text sent for it with each prompt."""

    number: int
    case: ImportedCase
    texts: dict[str, str]


class Spool:
    """The rows of one evaluation, each once, with their cases and setups.

    Rows with one id are one row: the scores that only one of them has are added. Rows without an
    id that have the same content are repeats. Cases with one
    id and different questions get different ids. Memory does not grow with the number of rows.
    ``lines`` counts the rows of the file. ``has_choices`` is true if each case has options.
    """

    def __init__(self, tool: str, *, has_prompts: bool) -> None:
        self.setups: dict[SetupName, int] = {}
        self.lines = 0
        self._tool, self._has_prompts = tool, has_prompts
        self._rows = RowSpool()
        self.has_choices = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._rows.close()

    def add_all(self, rows: Iterable[ImportedRow]) -> None:
        """Add rows; those that are there already are merged."""
        following = iter(rows)
        while some := list(islice(following, _BATCH)):
            self.lines += sum(row.lines for row in some)
            self._add(some)

    def add_stored_case(self, case: ImportedCase, texts: Mapping[str, str]) -> None:
        """Add a case of an earlier import, with the texts sent for it by prompt."""
        (number,) = self._rows.add_cases([self._new_case(case)])
        self._rows.rank_case(number)
        self._rows.add_texts((number, prompt, text) for prompt, text in texts.items())

    def _add(self, rows: Sequence[ImportedRow]) -> None:
        numbers = self._numbers(rows)
        if self._has_prompts:
            self._rows.add_texts(
                (number, row.prompt, row.case.messages[0][1])
                for row, number in zip(rows, numbers, strict=True)
                if row.prompt is not None and row.case.messages
            )
        new = [self._new_row(row, number) for row, number in zip(rows, numbers, strict=True)]
        for left_out in self._rows.add_rows(new):
            self._merge(left_out)

    def _numbers(self, rows: Sequence[ImportedRow]) -> list[int]:
        """The number of the case of each row; readers often use one case for several rows."""
        found: dict[tuple[str, bytes], int] = {}
        new: list[NewCase] = []
        places, last, place = [], None, 0
        for row in rows:
            if row.case is not last:
                last, case = row.case, self._new_case(row.case)
                place = found.setdefault((case.id, case.digest), len(new))
                if place == len(new):
                    new.append(case)
            places.append(place)
        numbers = self._rows.add_cases(new)
        return [numbers[place] for place in places]

    def _new_case(self, case: ImportedCase) -> NewCase:
        self.has_choices = self.has_choices and bool(case.choices)
        found = question_digest(case, has_prompts=self._has_prompts)
        return NewCase(case.id, found, _sort_key(case.id), _pack(case))

    def _new_row(self, row: ImportedRow, number: int) -> NewRow:
        name = SetupName(row.model, row.prompt)
        setup = self.setups.setdefault(name, len(self.setups))
        body = _pack(replace(row, case=_BARE))
        return NewRow(row_key(self._tool, row), number, setup, row.epoch, body)

    def _merge(self, new: NewRow) -> None:
        """Add the scores that the row of this key lacks, or add the row as a repeat."""
        known, row = self.row_of(new.key), _unpack_row(new.body)
        if row.id or row.identity is not None:
            if not row.scores.keys() <= known.scores.keys():
                self._rows.replace_body(new.key, _pack(merge_rows(known, row)))
            return
        number = 2
        while self._rows.add_rows([new._replace(key=repeated_key(new.key, number))]):
            number += 1

    def key_pages(self) -> Iterator[list[int]]:
        """Yield the keys of all rows, some at a time; rows may be removed meanwhile."""
        return self._rows.key_pages()

    def row_of(self, key: int) -> ImportedRow:
        """Return the row of a key, without its case."""
        return _unpack_row(self._rows.body_of(key))

    def remove(self, keys: Iterable[int]) -> None:
        """Remove rows by their keys."""
        self._rows.remove(keys)

    @property
    def is_empty(self) -> bool:
        """True without rows."""
        return self._rows.is_empty

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self._rows.n_cases

    def rows(self) -> Iterator[SpooledRow]:
        """Yield all rows in the order of cases and setups, each with the number of its case."""
        for key, number, setup, body in self._rows.rows():
            yield SpooledRow(key, number, setup, _unpack_row(body))

    def cases(self) -> Iterator[SpooledCase]:
        """Yield the cases in natural order of their ids, which differ."""
        before = None
        for found in self._rows.cases():
            case = _unpack_case(found.body)
            if found.id == before:
                case = replace(case, id=f"{found.id}~{found.digest.hex()[:6]}")
            before = found.id
            texts = self._rows.texts(found.number) if self._has_prompts else {}
            yield SpooledCase(found.number, case, texts)


def merge_rows(known: ImportedRow, other: ImportedRow) -> ImportedRow:
    """Return a row with the scores, and the fields kept verbatim, of both."""
    return replace(
        known, scores={**other.scores, **known.scores}, rest={**other.rest, **known.rest}
    )


def _sort_key(name: str) -> str:
    """Return a text that sorts numbers in ids by their value."""
    if name.isascii() and name.isdigit():
        return _number_key(name)
    return _DIGITS.sub(lambda found: _number_key(found[0]), name)


def _number_key(digits: str) -> str:
    bare = digits.lstrip("0")
    return f"{len(bare):03}{bare}"
