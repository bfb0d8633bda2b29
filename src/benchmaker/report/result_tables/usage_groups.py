"""The tables of usage: of groups of sessions, and of blocks of five hours."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Final, NamedTuple, TypeAlias

from benchmaker.analysis.usage.blocks import UsageBlock
from benchmaker.analysis.usage.session_usage import IN_ORDER, UsageRow, UsageTable
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers, optional_figures
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

TOTAL: Final = "total"
_INDENT: Final = "  "
_NONE: Final = "–"
_NOT_REPORTED: Final = "not reported"


class UsageLine(NamedTuple):
    """A group, or the total; a line of a model also has the key of its group."""

    sums: UsageRow
    group: str = ""

    @property
    def key(self) -> str:
        """The group that it belongs to."""
        return self.group or self.sums.key


class BlockLine(NamedTuple):
    """The sums of a block, or of all blocks without one."""

    sums: UsageRow
    block: UsageBlock | None = None


@dataclass(frozen=True, slots=True)
class UsageView:
    """The lines of a table of usage; days and times are those of ``zone``.

    With ``is_page`` figures are written as on pages, which round tokens and give reasons. With
    ``has_whole_ids`` the ids of sessions are not broken: other columns give way.
    """

    lines: tuple[UsageLine, ...]
    by: str = ""
    zone: tzinfo | None = None
    is_page: bool = False
    has_whole_ids: bool = False

    @classmethod
    def of(
        cls,
        made: UsageTable,
        *,
        breakdown: bool = False,
        has_total: bool = True,
        zone: tzinfo | None = None,
    ) -> "UsageView":
        """All groups and the total; with ``breakdown`` the models of each below it."""
        rows = (*made.rows, made.total) if has_total else made.rows
        lines = tuple(line for row in rows for line in _lines(row, breakdown=breakdown))
        return cls(lines, made.by, zone)


@dataclass(frozen=True, slots=True)
class BlocksView:
    """The lines of a table of blocks."""

    lines: tuple[BlockLine, ...]
    zone: tzinfo | None = None
    is_page: bool = False

    @classmethod
    def of(
        cls,
        blocks: Iterable[UsageBlock],
        total: UsageRow | None = None,
        *,
        zone: tzinfo | None = None,
        is_page: bool = False,
    ) -> "BlocksView":
        """Blocks, and their total if it is given."""
        lines = [BlockLine(one.totals, one) for one in blocks]
        return cls((*lines, BlockLine(total)) if total else tuple(lines), zone, is_page)


View: TypeAlias = UsageView | BlocksView
Line: TypeAlias = UsageLine | BlockLine
UsageColumn: TypeAlias = TableColumn[UsageView, UsageLine]
BlockColumn: TypeAlias = TableColumn[BlocksView, BlockLine]


def _lines(row: UsageRow, *, breakdown: bool) -> Iterator[UsageLine]:
    yield UsageLine(row)
    for model in row.models if breakdown else ():
        yield UsageLine(model, row.key)


def _count(value: int | None, view: View) -> str:
    if not view.is_page:
        return optional_figures.grouped_count(value)
    return _NOT_REPORTED if value is None else numbers.tokens(value)


def _money(usd: float | None, view: View) -> str:
    return missing_figures.optional_money(usd) if view.is_page else optional_figures.dollars(usd)


def _duration(seconds: float | None, view: View) -> str:
    if not view.is_page:
        return optional_figures.seconds(seconds)
    return _NOT_REPORTED if seconds is None else numbers.duration(seconds)


def _head(words: str) -> Callable[[View], str]:
    """Heads of pages begin with a capital."""
    return lambda view: words.capitalize() if view.is_page else words


def _cost(line: Line, view: View) -> str:
    """The cost; a plus marks a sum that lacks sessions."""
    sums = line.sums
    is_partial = sums.sessions_unpriced and sums.cost_usd is not None
    return _money(sums.cost_usd, view) + ("+" if is_partial else "")


def _active(line: Line, view: View) -> str:
    """The active time; with a plus, that of the sessions whose time is known."""
    known = line.sums.known_active_s
    return _duration(known, view) + ("+" if line.sums.is_active_partial else "")


def page_cost(sums: UsageRow) -> str:
    """Return the cost as the table on a page has it, with a plus if some of it is unknown."""
    return _cost(UsageLine(sums), UsageView((), is_page=True))


def page_active_time(sums: UsageRow) -> str:
    """Return the active time as the table on a page has it."""
    return _active(UsageLine(sums), UsageView((), is_page=True))


def _cache_writes(line: Line, view: View) -> str:
    usage = line.sums.usage
    writes = [n for n in (usage.cache_write_5m, usage.cache_write_1h) if n is not None]
    return _count(sum(writes) if writes else None, view)


def _is_of_sessions(view: View, surface: Surface) -> bool:
    """True for the table by session in the terminal."""
    return isinstance(view, UsageView) and view.by == "session" and surface is Surface.TERMINAL


def _sum(name: str) -> TableColumn[Any, Any]:
    """A sum for files alone."""
    return TableColumn(name=name, value=lambda line, _: getattr(line.sums, name))


def _tokens(name: str, title: str = "", *, gives_way: int = 0) -> TableColumn[Any, Any]:
    """Tokens of a kind; without a title for files alone."""
    return TableColumn(
        name=name,
        value=lambda line, _: getattr(line.sums.usage, name),
        title=_head(title),
        text=(lambda line, view: _count(getattr(line.sums.usage, name), view)) if title else None,
        gives_way=gives_way,
    )


_COST: Final[TableColumn[Any, Any]] = TableColumn(
    name="cost_usd",
    value=lambda line, _: line.sums.cost_usd,
    title=_head("cost"),
    text=_cost,
    leads=lambda view: view.is_page,
)
_TOTAL_TOKENS: Final[TableColumn[Any, Any]] = TableColumn(
    name="total_tokens",
    value=lambda line, _: line.sums.total_tokens,
    title=_head("tokens"),
    text=lambda line, view: _count(line.sums.total_tokens, view),
)
_SUMS: Final[tuple[TableColumn[Any, Any], ...]] = (
    TableColumn(
        name="sessions",
        value=lambda line, _: line.sums.sessions,
        title=_head("sessions"),
        text=lambda line, _: f"{line.sums.sessions:,}",
        is_shown=lambda view, surface: not _is_of_sessions(view, surface),
        gives_way=6,
    ),
    _COST,
    _sum("sessions_unpriced"),
    _sum("sessions_without_tokens"),
    TableColumn(
        name="active_s",
        value=lambda line, _: line.sums.active_s,
        title=_head("active"),
        text=_active,
        gives_way=5,
    ),
    _sum("wall_s"),
    _TOTAL_TOKENS,
    _tokens("input_uncached", "input", gives_way=3),
    _tokens("cache_read", "cache read", gives_way=1),
    TableColumn(title=_head("cache write"), text=_cache_writes, gives_way=1),
    _tokens("cache_write_5m"),
    _tokens("cache_write_1h"),
    _tokens("output", "output", gives_way=4),
    _sum("first_at"),
    _sum("last_at"),
)
"""The sums of groups and of blocks."""


def _of_session(
    title: str, text: Callable[[UsageRow, UsageView], str], gives_way: int
) -> UsageColumn:
    """A fact about one session, for the table by session in the terminal."""
    return TableColumn(
        title=title,
        text=lambda line, view: (
            "" if line.group or line.sums.key == TOTAL else text(line.sums, view)
        ),
        is_right=False,
        is_shown=_is_of_sessions,
        gives_way=gives_way,
        folds_names=True,
    )


def _minute(at: str | None, view: View) -> str:
    if not at:
        return _NONE
    return f"{datetime.fromisoformat(at).astimezone(view.zone):%Y-%m-%d %H:%M}"


USAGE: TableDeclaration[UsageView, UsageLine] = TableDeclaration(
    "usage",
    (
        TableColumn(
            name="key",
            value=lambda line, _: line.key,
            title=lambda view: _head(view.by)(view),
            text=lambda line, _: f"{_INDENT}{line.sums.key}" if line.group else line.sums.key,
            is_right=False,
            is_whole=lambda view: view.by in IN_ORDER or view.has_whole_ids,
        ),
        TableColumn(name="model", value=lambda line, _: line.sums.key if line.group else None),
        *_SUMS,
        _of_session("tool", lambda sums, _: ", ".join(sums.tools), 6),
        _of_session("last answer", lambda sums, view: _minute(sums.last_at, view), 8),
        _of_session("project", lambda sums, _: ", ".join(sums.projects), 7),
    ),
    rows=lambda view: view.lines,
)
"""Sessions, cost, time and tokens of each group."""


def _of_block(
    value: Callable[[UsageBlock], Any],
) -> Callable[[BlockLine, BlocksView], Any]:
    """The value of a block; None for the total."""
    return lambda line, _: value(line.block) if line.block else None


def _block_text(
    text: Callable[[UsageBlock, BlocksView], str], *, total: str = ""
) -> Callable[[BlockLine, BlocksView], str]:
    """The cell of a block; ``total`` for the line of all of them."""
    return lambda line, view: text(line.block, view) if line.block else total


def _left(block: UsageBlock, view: BlocksView) -> str:
    """The time to the end of a block."""
    if block.projection:
        return _duration(block.projection.remaining_minutes * 60, view)
    over = "over" if view.is_page else _NONE
    return "active" if block.is_active else over


def _tokens_per_minute(block: UsageBlock) -> float | None:
    return block.burn_rate.tokens_per_minute if block.burn_rate else None


def _usd_per_hour(block: UsageBlock) -> float | None:
    return block.burn_rate.usd_per_hour if block.burn_rate else None


def _projection_text(block: UsageBlock, view: BlocksView) -> str:
    """The usage at the end of an active block; on pages its cost alone."""
    ahead = block.projection
    if view.is_page:
        return _money(ahead.cost_usd if ahead else None, view)
    return f"{_money(ahead.cost_usd, view)}, {_count(ahead.total_tokens, view)}" if ahead else _NONE


def _whole_number(value: float | None) -> str:
    return _NONE if value is None else optional_figures.grouped_count(round(value))


BLOCKS: TableDeclaration[BlocksView, BlockLine] = TableDeclaration(
    "blocks",
    (
        TableColumn(
            name="tool",
            value=_of_block(lambda block: block.tool),
            title=_head("tool"),
            text=_block_text(lambda block, _: block.tool),
            is_right=False,
            shown_after="start",
        ),
        TableColumn(
            name="start",
            value=_of_block(lambda block: block.start),
            title=_head("block"),
            text=_block_text(lambda block, view: _minute(block.start, view), total=TOTAL),
            is_right=False,
        ),
        TableColumn(name="end", value=_of_block(lambda block: block.end)),
        TableColumn(name="is_active", value=_of_block(lambda block: block.is_active)),
        *(
            one if one in (_COST, _TOTAL_TOKENS) else TableColumn(name=one.name, value=one.value)
            for one in _SUMS
            if one.name
        ),
        TableColumn(title=_head("left"), text=_block_text(_left)),
        TableColumn(
            name="tokens_per_minute",
            value=_of_block(_tokens_per_minute),
            title="tokens/min",
            text=_block_text(lambda block, _: _whole_number(_tokens_per_minute(block))),
            is_shown=lambda _, surface: surface is Surface.TERMINAL,
        ),
        TableColumn(
            name="usd_per_hour",
            value=_of_block(_usd_per_hour),
            title=lambda view: "Cost per hour" if view.is_page else "$/hour",
            text=_block_text(lambda block, view: _money(_usd_per_hour(block), view)),
        ),
        TableColumn(
            name="projected_tokens",
            value=_of_block(
                lambda block: block.projection.total_tokens if block.projection else None
            ),
        ),
        TableColumn(
            name="projected_usd",
            value=_of_block(lambda block: block.projection.cost_usd if block.projection else None),
            title=lambda view: "Projected" if view.is_page else "at its end",
            text=_block_text(_projection_text),
        ),
    ),
    rows=lambda view: view.lines,
)
"""Cost, tokens, burn rate and projection of each block of five hours."""
