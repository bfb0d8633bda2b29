"""The rows of an evaluation between reading and storing: each once, in the order of cases."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import lt
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
from benchmaker.arenas.standard.importers.row_blocks import AnswerBlock, PartedRows, RowBlock
from benchmaker.store.imports.row_spool import NewCase, NewRow, RowSpool
from benchmaker.store.suites.case_blocks import CaseBlock

_BATCH = 200
_DIGITS = re.compile(r"\d+")
_BARE = ImportedCase(id="")

_Batch = list[tuple[int, int, int, ImportedRow]]
"""Rows with key, number of the case and of the setup; the first row of a case holds the case."""

_unpack_answers = msgspec.msgpack.Decoder(AnswerBlock).decode
_unpack_cases = msgspec.msgpack.Decoder(CaseBlock).decode
_pack = msgspec.msgpack.Encoder().encode
_unpack_row = msgspec.msgpack.Decoder(ImportedRow).decode
_unpack_case = msgspec.msgpack.Decoder(ImportedCase).decode
_unpack_batch = msgspec.msgpack.Decoder(_Batch).decode


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


class PlacedRow(NamedTuple):
    """A row with its case, and the position of that in the suite, from 0."""

    row: SpooledRow
    case: SpooledCase
    position: int


_NO_CASE = SpooledCase(0, _BARE, {})


class _Order:
    """Checks that rows come in the order of their cases and setups, and numbers the cases."""

    def __init__(self) -> None:
        self.n_cases = 0
        self.has_choices = True
        self._case: ImportedCase | None = None
        self._sort = ("", "")
        self._setup = 0

    def batch(self, rows: Sequence[ImportedRow], setups: Sequence[int], tool: str) -> _Batch | None:
        """Return the next rows as a batch; None if they are not in order."""
        made: _Batch = []
        for row, setup in zip(rows, setups, strict=True):
            if self._is_new(row.case):
                if not self._begin(row.case):
                    return None
                kept = row
            elif setup < self._setup:
                return None
            else:
                kept = replace(row, case=_BARE)
            self._setup = setup
            made.append((row_key(tool, row), self.n_cases, setup, kept))
        return made

    def takes(self, block: RowBlock) -> bool:
        """True, and the next rows are those of a block, if their cases follow in order."""
        first, last = ((_sort_key(name), name) for name in (block.ids[0], block.ids[-1]))
        if not (self._sort < first and _are_in_order(block.ids)):
            return False
        # A further row of the last case is not in order: as new, the case does not follow itself.
        self._case, self._sort, self.has_choices = None, last, False
        self.n_cases += len(block.ids)
        return True

    def _is_new(self, case: ImportedCase) -> bool:
        last = self._case
        if last is None or case.id != last.id:
            return True
        if case is last:
            return False
        one, other = (question_digest(it, has_prompts=False) for it in (case, last))
        return one != other

    def _begin(self, case: ImportedCase) -> bool:
        """Make this the current case; False if it does not follow."""
        place = (_sort_key(case.id), case.id)
        if self.n_cases and place <= self._sort:
            return False
        self._case, self._sort = case, place
        self.n_cases += 1
        self.has_choices = self.has_choices and bool(case.choices)
        return True


class Spool:
    """The rows of one evaluation, each once, with their cases and setups.

    Rows that come in the order of their cases, as most tools write them, are kept in batches; those
    that a reader gives in blocks stay blocks. At the first row that is not in order, or has the key
    of another, all of them are sorted in a table.

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
        self._order: _Order | None = None if has_prompts else _Order()
        self._has_choices = True

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
        for part in rows.parts if isinstance(rows, PartedRows) else [rows]:
            if isinstance(part, RowBlock):
                self.lines += len(part)
                self._add_block(part)
            else:
                self._add_rows(part)

    def _add_rows(self, rows: Iterable[ImportedRow]) -> None:
        following = iter(rows)
        while some := list(islice(following, _BATCH)):
            self.lines += sum(row.lines for row in some)
            self._add(some)

    def _add_block(self, block: RowBlock) -> None:
        if self._order is None or not self._add_in_order(self._order, block):
            self._add(block.rows())

    def _add_in_order(self, order: _Order, block: RowBlock) -> bool:
        position = order.n_cases
        if not order.takes(block):
            return False
        keys = block.keys(self._tool)
        answers = block.answer_block(keys, position, self._setup_number(block.model, None))
        cases = block.case_block()
        self._rows.add_block(keys, cases=_pack(cases), answers=_pack(answers))
        return True

    def add_stored_case(self, case: ImportedCase, texts: Mapping[str, str]) -> None:
        """Add a case of an earlier import, with the texts sent for it by prompt."""
        self._sort()
        (number,) = self._rows.add_cases([self._new_case(case)])
        self._rows.rank_case(number)
        self._rows.add_texts((number, prompt, text) for prompt, text in texts.items())

    def _add(self, rows: Sequence[ImportedRow]) -> None:
        if self._order is None or not self._add_batch(self._order, rows):
            self._sort()
            self._add_sorted(rows)

    def _add_batch(self, order: _Order, rows: Sequence[ImportedRow]) -> bool:
        batch = order.batch(rows, list(map(self._setup_of, rows)), self._tool)
        if batch is None:
            return False
        return self._rows.add_batch([key for key, *_ in batch], _pack(batch))

    def _sort(self) -> None:
        """Put the rows of all batches into the table."""
        if self._order is not None:
            placed = self._batched_rows()
            self._order = None
            while some := list(islice(placed, _BATCH)):
                self._add_sorted([replace(it.row.row, case=it.case.case) for it in some])

    def _add_sorted(self, rows: Sequence[ImportedRow]) -> None:
        numbers = self._numbers(rows)
        if self._has_prompts:
            self._rows.add_texts(
                (number, row.prompt, row.case.messages[0][1])
                for row, number in zip(rows, numbers, strict=True)
                if row.prompt is not None and row.case.messages
            )
        new = list(map(self._new_row, rows, numbers))
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
        self._has_choices = self._has_choices and bool(case.choices)
        found = question_digest(case, has_prompts=self._has_prompts)
        return NewCase(case.id, found, _sort_key(case.id), _pack(case))

    def _new_row(self, row: ImportedRow, number: int) -> NewRow:
        body = _pack(replace(row, case=_BARE))
        return NewRow(row_key(self._tool, row), number, self._setup_of(row), body)

    def _setup_of(self, row: ImportedRow) -> int:
        return self._setup_number(row.model, row.prompt)

    def _setup_number(self, model: str, prompt: str | None) -> int:
        return self.setups.setdefault(SetupName(model, prompt), len(self.setups))

    def _merge(self, new: NewRow) -> None:
        """Add the scores that the row of this key lacks, or add the row as a repeat."""
        known, row = self.row_of(new.key), _unpack_row(new.body)
        if row.id or row.identity is not None or row.key is not None:
            if not row.scores.keys() <= known.scores.keys():
                self._rows.replace_body(new.key, _pack(merge_rows(known, row)))
            return
        number = 2
        while self._rows.add_rows([new._replace(key=repeated_key(new.key, number))]):
            number += 1

    def key_pages(self) -> Iterator[list[int]]:
        """Yield the keys of all rows, some at a time; rows may be removed meanwhile."""
        return self._rows.key_pages() if self._order is None else self._rows.batch_keys()

    def row_of(self, key: int) -> ImportedRow:
        """Return the row of a key, without its case."""
        self._sort()
        return _unpack_row(self._rows.body_of(key))

    def remove(self, keys: Iterable[int]) -> None:
        """Remove rows by their keys."""
        self._sort()
        self._rows.remove(keys)

    @property
    def is_empty(self) -> bool:
        """True without rows."""
        return self._rows.is_empty if self._order is None else not self._order.n_cases

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self._rows.n_cases if self._order is None else self._order.n_cases

    @property
    def has_choices(self) -> bool:
        """True if each case has options."""
        return self._has_choices if self._order is None else self._order.has_choices

    def rows(self) -> Iterator[PlacedRow]:
        """Yield all rows in the order of cases and setups."""
        return self._sorted_rows() if self._order is None else self._batched_rows()

    def answer_parts(self) -> Iterator[AnswerBlock | Iterable[PlacedRow]]:
        """Yield all rows in that order; those that came in blocks are in blocks again."""
        if self._order is None:
            yield self._sorted_rows()
            return
        case = _NO_CASE
        for body, answers in self._rows.batches("answers"):
            if body is None:
                yield _unpack_answers(answers)
            else:
                placed = list(_place(body, case))
                case = placed[-1].case
                yield placed

    def cases(self) -> Iterator[SpooledCase]:
        """Yield the cases in natural order of their ids, which differ."""
        return self._sorted_cases() if self._order is None else self._batched_cases()

    def case_parts(self) -> Iterator[CaseBlock | Iterable[SpooledCase]]:
        """Yield the cases in that order; those that came in blocks are in blocks again."""
        if self._order is None:
            yield self._sorted_cases()
            return
        last = 0
        for body, cases_of_block in self._rows.batches("cases"):
            if body is None:
                block = _unpack_cases(cases_of_block)
                last += len(block.ids)
                yield block
            else:
                cases = _cases_after(last, body)
                last += len(cases)
                yield cases

    def _batched_cases(self) -> Iterator[SpooledCase]:
        last = _NO_CASE
        for placed in self._batched_rows():
            if placed.case is not last:
                last = placed.case
                yield last

    def _batched_rows(self) -> Iterator[PlacedRow]:
        case = _NO_CASE
        models = [setup.model for setup in self.setups]
        for body, cases, answers in self._rows.batches("cases", "answers"):
            if body is None:
                block = _unpack_answers(answers)
                rows = block.rows(_unpack_cases(cases), models[block.setup])
                placed = [_place_row(row, block, at) for at, row in enumerate(rows, block.position)]
            else:
                placed = list(_place(body, case))
            case = placed[-1].case
            yield from placed

    def _sorted_rows(self) -> Iterator[PlacedRow]:
        cases = enumerate(self._sorted_cases())
        at, case = next(cases)
        for key, number, setup, body in self._rows.rows():
            while case.number != number:
                at, case = next(cases)
            yield PlacedRow(SpooledRow(key, number, setup, _unpack_row(body)), case, at)

    def _sorted_cases(self) -> Iterator[SpooledCase]:
        before = None
        for number, name, known, body in self._rows.cases():
            case = _unpack_case(body)
            if name == before:
                case = replace(case, id=f"{name}~{known.hex()[:6]}")
            before = name
            texts = self._rows.texts(number) if self._has_prompts else {}
            yield SpooledCase(number, case, texts)


def _place(body: bytes, case: SpooledCase) -> Iterator[PlacedRow]:
    """Yield the rows of a batch, whose first ones may belong to the last case before."""
    for spooled in map(SpooledRow._make, _unpack_batch(body)):
        number = spooled.case
        if number != case.number:
            case = SpooledCase(number, spooled.row.case, {})
        yield PlacedRow(spooled, case, number - 1)


def _place_row(row: ImportedRow, block: AnswerBlock, position: int) -> PlacedRow:
    """Return a row of a block, with its case at a position."""
    number = position + 1
    spooled = SpooledRow(row.key or 0, number, block.setup, row)
    return PlacedRow(spooled, SpooledCase(number, row.case, {}), position)


def _cases_after(last: int, body: bytes) -> list[SpooledCase]:
    """Return the cases of a batch whose numbers are higher."""
    found = {number: row.case for _, number, _, row in reversed(_unpack_batch(body))}
    return [SpooledCase(at, found[at], {}) for at in sorted(found) if at > last]


def merge_rows(known: ImportedRow, other: ImportedRow) -> ImportedRow:
    """Return a row with the scores, and the fields kept verbatim, of both."""
    return replace(
        known, scores={**other.scores, **known.scores}, rest={**other.rest, **known.rest}
    )


def _are_in_order(names: Sequence[str]) -> bool:
    """True if each id comes after the one before; ids that are numbers are compared as such."""
    if "".join(names).isascii() and all(map(str.isdigit, names)):
        numbers = list(map(int, names))
        if all(map(lt, numbers, numbers[1:])):
            return True
    places = [(_sort_key(name), name) for name in names]
    return all(map(lt, places, places[1:]))


def _sort_key(name: str) -> str:
    """Return a text that sorts numbers in ids by their value."""
    if name.isascii() and name.isdigit():
        return _number_key(name)
    return _DIGITS.sub(lambda found: _number_key(found[0]), name)


def _number_key(digits: str) -> str:
    bare = digits.lstrip("0")
    return f"{len(bare):03}{bare}"
