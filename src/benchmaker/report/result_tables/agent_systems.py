"""The table of a series of agent trials: a row for each system."""

from benchmaker.arenas.agentic.series.series_results import AgentSeriesResult, SystemFigures
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

_RELIABILITY, _PASS_HAT, _PASS_AT, _COST = range(1, 5)
"""What gives way first on a narrow terminal."""


def _most(made: AgentSeriesResult) -> str:
    """The largest k of pass@k, as text."""
    return max((k for it in made.systems for k in it.pass_at_k), key=int, default="1")


def _is_repeated(made: AgentSeriesResult, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return _most(made) != "1"


def _has_models(made: AgentSeriesResult, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return any(it.model for it in made.systems)


def _pass_at(row: SystemFigures, made: AgentSeriesResult) -> float | None:
    share = row.pass_at_k.get(_most(made))
    return share.mean if share else None


def _pass_hat(row: SystemFigures, made: AgentSeriesResult) -> float | None:
    share = row.pass_hat_k.get(_most(made))
    return share.mean if share else None


def _interval(row: SystemFigures) -> tuple[float, float] | None:
    return None if row.low is None or row.high is None else (row.low, row.high)


def _share(value: float | None) -> str:
    return missing_figures.NOT_KNOWN if value is None else numbers.share(value)


def _money(row: SystemFigures, usd: float | None) -> str:
    return missing_figures.optional_money(usd) if row.model else "no model"


def _cost(row: SystemFigures) -> str:
    """The cost; with a plus if that of a request is unknown."""
    if row.cost_usd is None and row.known_cost_usd is not None:
        return f"{numbers.money(row.known_cost_usd)}+"
    return _money(row, row.cost_usd)


def _reliable(row: SystemFigures) -> str:
    it = row.reliability
    return f"{it.always} · {it.sometimes} · {it.never}"


AGENT_SYSTEMS: TableDeclaration[AgentSeriesResult, SystemFigures] = TableDeclaration(
    "agent_systems",
    (
        TableColumn(
            name="system", title="System", text=lambda row, _: name(row.system), is_right=False
        ),
        TableColumn(name="agent"),
        TableColumn(name="model"),
        TableColumn(name="effort"),
        TableColumn(name="version"),
        TableColumn(name="success", title="Solved", text=lambda row, _: _share(row.success)),
        TableColumn(
            name="success_ci95",
            keys=("success_ci95_low", "success_ci95_high"),
            value=lambda row, _: _interval(row),
            title="95% CI",
            unit="tasks",
            text=lambda row, _: missing_figures.optional_interval(_interval(row)),
            help="The interval of the share solved, over tasks.",
            beside="success",
        ),
        TableColumn(
            name="trials",
            title="Trials",
            text=lambda row, _: (
                f"{row.trials:,} of {row.planned:,}" if row.unscored else f"{row.trials:,}"
            ),
        ),
        TableColumn(name="planned"),
        TableColumn(name="unscored"),
        TableColumn(name="solved"),
        TableColumn(
            name="pass_at_k",
            value=_pass_at,
            title=lambda made: f"pass@{_most(made)}",
            text=lambda row, made: _share(_pass_at(row, made)),
            help="The chance that at least one of k attempts at a task solves it.",
            is_shown=_is_repeated,
            gives_way=_PASS_AT,
        ),
        TableColumn(
            name="pass_hat_k",
            value=_pass_hat,
            title=lambda made: f"pass^{_most(made)}",
            text=lambda row, made: _share(_pass_hat(row, made)),
            help="The chance that all k attempts at a task solve it.",
            is_shown=_is_repeated,
            gives_way=_PASS_HAT,
        ),
        TableColumn(
            name="tasks_by_verdict",
            keys=("tasks_always", "tasks_sometimes", "tasks_never"),
            value=lambda row, _: (
                row.reliability.always,
                row.reliability.sometimes,
                row.reliability.never,
            ),
            title="Tasks",
            unit="always · sometimes · never solved",
            text=lambda row, _: _reliable(row),
            is_shown=_is_repeated,
            gives_way=_RELIABILITY,
        ),
        TableColumn(name="requests"),
        TableColumn(
            name="cost_usd",
            title="Cost",
            text=lambda row, _: _cost(row),
            help="With a plus, the cost of some requests is unknown and not included.",
            is_shown=_has_models,
            gives_way=_COST,
        ),
        TableColumn(name="known_cost_usd"),
        TableColumn(
            name="cost_per_success",
            title="Per success",
            text=lambda row, _: _money(row, row.cost_per_success),
            help="The cost of all trials, failed ones included, over the number solved.",
            is_shown=_has_models,
        ),
    ),
    rows=lambda made: made.systems,
)
