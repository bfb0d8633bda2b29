"""One plain row of figures as the events of a session."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmaker.arenas.agentic.events import (
    Ended,
    Event,
    FileChange,
    Moment,
    Part,
    Row,
    Session,
    Totals,
)
from benchmaker.arenas.agentic.importers.rows.content import content_digest, is_absent, typed
from benchmaker.arenas.agentic.importers.rows.fields import (
    FACTS,
    KINDS,
    KNOWN,
    METRICS,
    TIMES,
    is_assigned_here,
)
from benchmaker.arenas.agentic.options import Options, is_impossible, why_not_true
from benchmaker.arenas.agentic.times import seconds
from benchmaker.record.submission import Provenance, Status, TokenUsage

_TRUE = frozenset({"true", "yes", "1", "1.0", "pass", "passed", "success"})
_FALSE = frozenset({"false", "no", "0", "0.0", "fail", "failed", "failure"})
_AMOUNTS = frozenset({"wall_s", "active_s", "cost_usd"})
_FIGURES = frozenset({*METRICS, *KINDS})
_SHOWN = 40


@dataclass(slots=True)
class Rows:
    """Reads the rows of one file; ``ignored`` collects the fields that it ignored.

    Those of a document are named by number, since one line may hold several.
    """

    path: Path
    options: Options
    ignored: dict[str, None]
    is_document: bool = False

    def events(self, row: Mapping[str, Any], number: int, line: int) -> Iterator[Event]:
        """The row of that number as a session of its own.

        A row is refused and has no events if a figure is negative or not finite, or if its success
        is neither true nor false.
        """
        flat = dict(_flat(row))
        self.ignored |= dict.fromkeys(name for name in flat if is_assigned_here(name))
        if why := _why_refused(flat):
            self.options.refuse_row(f"{self._where(number)}{why}", path=self.path, line=line)
            return
        yield self._part(flat, number, line)
        yield Session(
            **{FACTS[name]: text for name in FACTS if (text := _text(flat.get(name)))},  # type: ignore[arg-type]  # names of facts, all texts
            provenance=Provenance.SELF_REPORTED,
            extra=self._extra(flat),
            line=line,
        )
        for name in TIMES:
            if (at := seconds(flat.get(name))) is not None:
                yield Moment(at=at)
        yield self._totals(flat, self._where(number), line)
        yield from _files(flat.get("files_created"))
        success = _truth(flat.get("success"))
        if success is not None:
            status = Status.COMPLETED if success else Status.FAILED
            yield Ended(status=status, success=success)

    def _where(self, number: int) -> str:
        return f"row {number}, " if self.is_document else ""

    def _part(self, flat: Mapping[str, Any], number: int, line: int) -> Part:
        own = _text(flat.get("id"))
        place = number if self.is_document else 0
        digest = "" if own else content_digest(_said(flat))
        row = Row(id=own or "", digest=digest, number=place)
        task = _text(flat.get("task_id"))
        return Part(id=own or f"row {number}", task_id=task, row=row, line=line)

    def _totals(self, flat: Mapping[str, Any], where: str, line: int) -> Totals:
        figures: dict[str, float] = {}
        for name, metric in METRICS.items():
            figure = self._figure(flat.get(name), f"{where}{name}", metric, line)
            if figure is not None:
                figures.setdefault(metric, figure)
        kinds = {
            kind: count
            for name, kind in KINDS.items()
            if (count := self._count(flat.get(name), f"{where}{name}", line)) is not None
        }
        usage = TokenUsage(**kinds) if kinds else None
        return Totals(usage=usage, **figures, line=line)  # type: ignore[arg-type]  # counts and amounts by their names

    def _figure(self, value: Any, name: str, metric: str, line: int) -> float | None:  # noqa: ANN401  any JSON
        if metric not in _AMOUNTS:
            return self._count(value, name, line)
        return self.options.amount(_number(value), name, path=self.path, line=line)

    def _count(self, value: Any, name: str, line: int) -> int | None:  # noqa: ANN401  any JSON
        return self.options.count(_number(value), name, path=self.path, line=line)

    def _extra(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of other names; ``files_created`` too where it is a number."""
        if self.options.drop_content:
            return {}
        kept = {
            name: typed(value)
            for name, value in _said(flat).items()
            if name not in KNOWN and not is_absent(value)
        }
        files = _number(flat.get("files_created"))
        return kept | ({"files_created": files} if isinstance(files, int | float) else {})


def _why_refused(flat: Mapping[str, Any]) -> str:
    """What is wrong with the whole row; empty where nothing is."""
    wrong = next((it for it in flat if it in _FIGURES and is_impossible(flat[it])), None)
    if wrong is not None:
        return why_not_true(wrong, flat[wrong])
    success = flat.get("success")
    if is_absent(success) or _truth(success) is not None:
        return ""
    return (
        f"success: {str(success)[:_SHOWN]!r} is neither true nor false; write true, false, 1, 0, "
        "yes or no, or leave it out where it is not known"
    )


def _flat(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields by name; those of ``usage``, ``cost`` and ``time`` by their dotted path."""
    for name, value in row.items():
        if isinstance(value, dict) and name in {"usage", "cost", "time"}:
            yield from ((f"{name}.{inner}", it) for inner, it in value.items())
        else:
            yield str(name), value


def _said(flat: Mapping[str, Any]) -> dict[str, Any]:
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
    text = value.strip()
    if not text:
        return None
    try:
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        return value


def _truth(value: Any) -> bool | None:  # noqa: ANN401  any JSON
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _files(value: Any) -> Iterator[FileChange]:  # noqa: ANN401  any JSON
    if isinstance(value, list):
        for path in value:
            if isinstance(path, str):
                yield FileChange(path=path, change="created")
