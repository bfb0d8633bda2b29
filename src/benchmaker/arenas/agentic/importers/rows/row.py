"""One plain row of figures as the events of a session."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from benchmaker.arenas.agentic.importers.rows.content import (
    coerce,
    content_digest,
    is_absent,
    listed,
    whole_id,
)
from benchmaker.arenas.agentic.importers.rows.fields import (
    FACTS,
    FIGURES,
    KINDS,
    KNOWN,
    METRICS,
    TIMES,
    is_assigned_here,
    unused_name,
    with_known_names,
)
from benchmaker.arenas.agentic.importers.rows.tokens import (
    NEEDED,
    lacks_kinds,
    unknown_kind,
    why_total_too_small,
    with_remainder,
)
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    FileChange,
    RowIdentity,
    Session,
    SessionEnd,
    SessionPart,
    Totals,
)
from benchmaker.arenas.agentic.logs.lenient_json import quiet_options
from benchmaker.arenas.agentic.logs.numerals import number_in
from benchmaker.arenas.agentic.logs.options import (
    MAX_COUNT,
    Options,
    Skipped,
    fault,
    is_impossible,
    why_not_true,
)
from benchmaker.arenas.agentic.logs.plain_row import PlainRow
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.secrets.scan import holds_secret
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import Provenance, Status, TokenUsage
from benchmaker.record.unread import UNREAD

_TRUE = frozenset({"true", "yes", "1", "1.0", "pass", "passed", "success"})
_FALSE = frozenset({"false", "no", "0", "0.0", "fail", "failed", "failure"})
_AMOUNTS = frozenset({"wall_s", "active_s", "cost_usd"})
_FIGURES = {**METRICS, **KINDS}
_PATHS = {"wall_s": "time.wall_s", "active_s": "time.active_s", "cost_usd": "cost.reported_usd"}
"""The paths of figures in a submission whose name is another in a row."""
_SHOWN = 40
_NUMBERS = frozenset({int, float})
_SCALARS = frozenset({str, int, float, bool, type(None)})
_LONG = 200
_MOST_FIELDS = 60
_MOST_UNUSED = 20
_LAYOUTS = 1_000
_REMEMBERED = 20_000


class _Layout(NamedTuple):
    """The fields of rows with the same names: those with a meaning, others, and ignored ones."""

    figures: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    times: tuple[str, ...]
    others: tuple[str, ...]
    ignored: tuple[str, ...]

    @classmethod
    def of(cls, names: Collection[str]) -> "_Layout | None":
        """The layout of these names; None where rows of it are not plain."""
        if len(names) > _MOST_FIELDS or any(map(_is_not_plain, names)):
            return None
        ignored = tuple(name for name in names if is_assigned_here(name))
        return cls(
            figures=tuple((name, it) for name, it in METRICS.items() if name in names),
            facts=tuple((name, it) for name, it in FACTS.items() if name in names),
            times=tuple(name for name in TIMES if name in names),
            others=tuple(it for it in names if it not in KNOWN and not is_assigned_here(it)),
            ignored=ignored,
        )


@dataclass(slots=True)
class Rows:
    """Reads the rows of one file, and collects the fields that it ignored.

    ``unused`` are fields without a known name, ``unknown_kinds`` notes on fields that look like
    kinds of tokens, ``n_without_total`` counts the rows whose kinds make up no total, and
    ``missing_kinds`` are those that they lack.

    Those of a document are named by number, since one line may hold several.
    """

    path: Path
    options: Options
    is_document: bool = False
    ignored: dict[str, None] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)
    unknown_kinds: dict[str, None] = field(default_factory=dict)
    missing_kinds: dict[str, None] = field(default_factory=dict)
    n_without_total: int = 0
    _layouts: dict[tuple[str, ...], _Layout | None] = field(default_factory=dict)
    _harmless: set[str] = field(default_factory=set)

    def report_notes(self) -> None:
        """Report the fields that were ignored, and the rows without a total of tokens."""
        for why in self._notes():
            self.options.skip(Skipped(self.path, 0, why, is_note=True))

    def _notes(self) -> Iterator[str]:
        if self.ignored:
            names = ", ".join(sorted(self.ignored))
            yield f"ignored, since they are assigned here: {names}"
        if self.unused:
            notes = [note for name in self.unused if (note := unused_name(name))]
            more = len(notes) - _MOST_UNUSED
            names = ", ".join(notes[:_MOST_UNUSED]) + (f" and {more:,} more" if more > 0 else "")
            yield f"not used, since no figure has this name: {names}"
        if self.unknown_kinds:
            yield (
                f"ignored, since they are no kinds of tokens: {', '.join(self.unknown_kinds)}; "
                f"kinds: {', '.join(KINDS)}"
            )
        if self.n_without_total:
            yield (
                f"total of tokens unknown: {count(self.n_without_total, 'row')} without "
                f"total_tokens and without all kinds; add total_tokens, or "
                f"{', '.join(name for name in KINDS if name in self.missing_kinds)}"
            )

    def to_plain_row(self, row: Mapping[str, Any], number: int, line: int) -> PlainRow | None:
        """The row in one piece; None where it needs a closer look.

        It does where a figure or a text is out of the ordinary, where it has tokens of a kind,
        which have a price, or where it holds anything that looks like a secret.
        """
        row = with_known_names(row)
        layout = self._layout(tuple(row))
        if layout is None or not _SCALARS.issuperset(map(type, row.values())):
            return None
        if _has_files(row) or _why_unknown(row):
            return None
        figures = _plain_figures(row, layout)
        success = _truth(row.get("success"))
        if figures is None or (success is None and not is_absent(row.get("success"))):
            return None
        part = self._part(row, number, line)
        facts = {it: text for name, it in layout.facts if (text := _text(row[name]))}
        extra = {} if self.options.drop_content else _plain_extra(row, layout)
        if not self._are_plain(_texts(part, facts, extra)):
            return None
        self.ignored |= dict.fromkeys(layout.ignored)
        self.unused |= dict.fromkeys(layout.others)
        return PlainRow(
            part=part,
            session=_session(facts, extra, line),
            moments=tuple(at for name in layout.times if (at := seconds(row[name])) is not None),
            totals=Totals(**figures, line=line),
            figures=figures,
            ended=_session_end(success=success),
        )

    def _are_plain(self, texts: Iterable[str]) -> bool:
        """True if they are short and contain no secret; most were seen in earlier rows."""
        for text in texts:
            if text in self._harmless:
                continue
            if len(text) > _LONG or holds_secret(text):
                return False
            if len(self._harmless) > _REMEMBERED:
                self._harmless.clear()
            self._harmless.add(text)
        return True

    def _layout(self, names: tuple[str, ...]) -> _Layout | None:
        if names not in self._layouts:
            if len(self._layouts) > _LAYOUTS:
                self._layouts.clear()
            self._layouts[names] = _Layout.of(names)
        return self._layouts[names]

    def events(self, row: Mapping[str, Any], number: int, line: int) -> Iterator[Event]:
        """Yield the row with that number as a separate session.

        A row is refused and has no events if a figure is negative or not finite, or if its success
        is neither true nor false.
        """
        flat = _with_files(dict(with_known_names(dict(_flatten(with_known_names(row))))))
        self.ignored |= dict.fromkeys(name for name in flat if is_assigned_here(name))
        self.unknown_kinds |= dict.fromkeys(filter(None, map(unknown_kind, flat)))
        self.unused |= dict.fromkeys(
            it for it in flat if unused_name(it) is not None and unknown_kind(it) is None
        )
        if why := _why_refused(flat):
            self.options.refuse_row(f"{self._row_prefix(number)}{why}", path=self.path, line=line)
            return
        yield self._part(flat, number, line)
        facts = {FACTS[name]: text for name in FACTS if (text := _text(flat.get(name)))}
        yield _session(facts, self._extra_fields(flat) | self._unread(flat), line)
        for name in TIMES:
            if (at := seconds(flat.get(name))) is not None:
                yield Activity(at=at)
        yield self._totals(flat, self._row_prefix(number), line)
        yield from _files(flat.get("files_created"))
        ended = _session_end(success=_truth(flat.get("success")))
        if ended is not None:
            yield ended

    def _row_prefix(self, number: int) -> str:
        return f"row {number}, " if self.is_document else ""

    def _part(self, flat: Mapping[str, Any], number: int, line: int) -> SessionPart:
        own = whole_id(_text(flat.get("id")))
        place = number if self.is_document else 0
        digest = "" if own else content_digest(_own_fields(flat))
        row = RowIdentity(id=own or "", digest=digest, number=place)
        task = _text(flat.get("task_id"))
        return SessionPart(id=own or f"row {number}", task_id=task, row=row, line=line)

    def _totals(self, flat: Mapping[str, Any], where: str, line: int) -> Totals:
        figures: dict[str, float] = {}
        for name, metric in METRICS.items():
            figure = self._figure(flat.get(name), f"{where}{name}", metric, line)
            if figure is not None:
                figures.setdefault(metric, figure)
        kinds = {
            kind: n
            for name, kind in KINDS.items()
            if (n := self._count(flat.get(name), f"{where}{name}", line)) is not None
        }
        usage = TokenUsage(**kinds) if kinds else None
        return self._with_total(Totals(usage=usage, **figures, line=line))  # type: ignore[arg-type]  # counts and amounts by their names

    def _with_total(self, totals: Totals) -> Totals:
        """The totals with kinds that add up to the row's own, or marked as no total."""
        usage, total = totals.usage, totals.total_tokens
        if usage is None:
            return totals
        if total:
            return replace(totals, usage=with_remainder(usage, total))
        if not lacks_kinds(usage):
            return totals
        self.n_without_total += 1
        self.missing_kinds |= {
            f"usage.{kind}": None for kind in NEEDED if getattr(usage, kind) is None
        }
        return replace(totals, is_usage_partial=True)

    def _figure(self, value: Any, name: str, metric: str, line: int) -> float | None:  # noqa: ANN401  any JSON
        if metric not in _AMOUNTS:
            return self._count(value, name, line)
        return self.options.amount(_number(value), name, path=self.path, line=line)

    def _count(self, value: Any, name: str, line: int) -> int | None:  # noqa: ANN401  any JSON
        return self.options.count(_number(value), name, path=self.path, line=line)

    def _extra_fields(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of other names; ``files_created`` too where it is a number."""
        if self.options.drop_content:
            return {}
        kept = {
            name: coerce(value)
            for name, value in _own_fields(flat).items()
            if name not in KNOWN and not is_absent(value)
        }
        files = _number(flat.get("files_created"))
        return kept | ({"files_created": files} if isinstance(files, int | float) else {})

    def _unread(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Return the faults of unreadable figures, as an extra field."""
        found = {
            _PATHS.get(metric, name): self._fault(value)
            for name, metric in _FIGURES.items()
            if not is_absent(value := flat.get(name)) and not self._is_figure(value, metric)
        }
        return {UNREAD: found} if found else {}

    def _is_figure(self, value: Any, metric: str) -> bool:  # noqa: ANN401  any JSON
        quiet = quiet_options(self.options)
        read = quiet.amount if metric in _AMOUNTS else quiet.count
        return read(_number(value), metric, path=self.path) is not None

    def _fault(self, value: Any) -> str:  # noqa: ANN401  any JSON
        if self.options.drop_content:
            return "not a number"
        return f"{str(value)[:_SHOWN]!r}, which {fault(value)}"


def _is_not_plain(name: str) -> bool:
    """True if a field needs a closer look: a kind of tokens or the like, or a long name."""
    return name in KINDS or len(name) > _LONG or unknown_kind(name) is not None


def _session(facts: dict[str, str], extra: dict[str, Any], line: int) -> Session:
    return Session(
        **facts,  # type: ignore[arg-type]  # names of facts, all texts
        provenance=Provenance.SELF_REPORTED,
        extra=extra,
        line=line,
    )


def _session_end(*, success: bool | None) -> SessionEnd | None:
    if success is None:
        return None
    return SessionEnd(status=Status.COMPLETED if success else Status.FAILED, success=success)


def _plain_figures(row: Mapping[str, Any], layout: _Layout) -> dict[str, Any] | None:
    """The figures by metric; None where one of them is not valid."""
    figures: dict[str, Any] = {}
    for name, metric in layout.figures:
        value = _number(row[name])
        if value is None:
            continue
        if type(value) not in _NUMBERS or not 0 <= value <= MAX_COUNT:
            return None
        if metric in _AMOUNTS:
            value = float(value)
        elif type(value) is float:
            if not value.is_integer():
                return None
            value = int(value)
        figures.setdefault(metric, value)
    return figures


def _plain_extra(row: Mapping[str, Any], layout: _Layout) -> dict[str, Any]:
    """As :meth:`Rows._extra_fields`."""
    kept = {name: coerce(value) for name in layout.others if not is_absent(value := row[name])}
    files = _number(row.get("files_created"))
    return kept | ({"files_created": files} if isinstance(files, int | float) else {})


def _texts(part: SessionPart, facts: Mapping[str, str], extra: Mapping[str, Any]) -> Iterator[str]:
    """Everything of a row that is kept as a text."""
    yield part.id
    yield part.task_id or ""
    yield from facts.values()
    yield from extra
    yield from (value for value in extra.values() if isinstance(value, str))


def _why_refused(flat: Mapping[str, Any]) -> str:
    """Return the fault of the whole row; empty if it is valid."""
    if why := _why_unknown(flat):
        return why
    wrong = next((it for it in flat if it in _FIGURES and is_impossible(flat[it])), None)
    if wrong is not None:
        return why_not_true(wrong, flat[wrong])
    if why := why_total_too_small(flat):
        return why
    success = flat.get("success")
    if is_absent(success) or _truth(success) is not None:
        return ""
    return (
        f"success: {str(success)[:_SHOWN]!r} is not true or false; use true, false, 1, 0, "
        "yes or no, or omit it if unknown"
    )


def _why_unknown(flat: Mapping[str, Any]) -> str:
    """The names of the fields where a row has neither a known figure nor an id; else empty."""
    if any((name == "id" or name in FIGURES) and not is_absent(it) for name, it in flat.items()):
        return ""
    said = [name for name, it in flat.items() if not is_absent(it)]
    others = [name for name in said if name not in KNOWN and not is_assigned_here(name)]
    if not others:
        return ""
    return f"no figure of it is known; columns without a known name: {', '.join(others)[:_LONG]}"


def _flatten(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields by name; those of ``usage``, ``cost`` and ``time`` by their dotted path."""
    for name, value in row.items():
        if isinstance(value, dict) and name in {"usage", "cost", "time"}:
            yield from ((f"{name}.{inner}", it) for inner, it in value.items())
        else:
            yield str(name), value


def _own_fields(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those that are assigned here."""
    return {name: value for name, value in flat.items() if not is_assigned_here(name)}


def _text(value: Any) -> str | None:  # noqa: ANN401  any JSON
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None if isinstance(value, str | int | float) else None


def _number(value: Any) -> Any:  # noqa: ANN401  any JSON
    """The number in a cell of a table; anything else as it is."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    number = number_in(value)
    return value if number is None else number


def _truth(value: Any) -> bool | None:  # noqa: ANN401  any JSON
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _has_files(row: Mapping[str, Any]) -> bool:
    """True if a cell lists files; a number only counts them."""
    return isinstance(_number(row.get("files_created")), str)


def _with_files(flat: dict[str, Any]) -> dict[str, Any]:
    """The fields with the files of a cell as the list that JSON has."""
    return flat | {"files_created": listed(flat["files_created"])} if _has_files(flat) else flat


def _files(value: Any) -> Iterator[FileChange]:  # noqa: ANN401  any JSON
    if isinstance(value, list):
        for path in value:
            if isinstance(path, str):
                yield FileChange(path=path, change="created")
