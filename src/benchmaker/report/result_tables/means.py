"""The table of means: a row for each model of a run or a series."""

from typing import TextIO

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.redact import Redactor
from benchmaker.report.sentences import means_words, missing_figures, notes
from benchmaker.report.tables import numbers
from benchmaker.report.tables.column_kinds import ColumnKind
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration
from benchmaker.report.tables.table import SCALE

_SPREAD, _SECOND, _COUNT, _LATENCY, _COST = range(1, 6)
"""What gives way first on a narrow terminal."""

_NARROW = frozenset({Surface.PAGE, Surface.GROUPS})
"""Where the figure beside the metric's has no column for its interval."""

_WITH_SPENDING = frozenset({Surface.TERMINAL, Surface.PAGE})
"""Where cost and latency are columns of the table."""


def write_summary_csv(
    summary: Summary, stream: TextIO, *, redactor: Redactor | None = None
) -> None:
    """Write a row for each model, with every figure behind the terminal's table.

    Scores are 0 to 1; what is missing is an empty cell. Secrets are taken out, formulas made
    harmless.
    """
    MEANS.write_csv(summary, stream, redactor=redactor or Redactor())


def scored_count(model: ModelSummary) -> str:
    """Return the number of scored trials that count, and the total if some are missing."""
    of = model.n_counted
    return f"{model.n_scored:,}" if of == model.n_scored else f"{model.n_scored:,}/{of:,}"


def _has_means(summary: Summary, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return not summary.is_right_or_wrong


def _has_mean_interval(summary: Summary, surface: Surface) -> bool:
    return _has_means(summary, surface) and (surface not in _NARROW or not _strict_leads(summary))


def _has_strict_interval(summary: Summary, surface: Surface) -> bool:
    return surface not in _NARROW or _strict_leads(summary)


def _has_sd(summary: Summary, surface: Surface) -> bool:
    return summary.is_series or _has_means(summary, surface)


def _has_cost(summary: Summary, surface: Surface) -> bool:
    return surface in _WITH_SPENDING and any(one.cost_known_trials for one in summary.models)


def _has_latency(summary: Summary, surface: Surface) -> bool:
    known = [one.median_latency_s is not None for one in summary.models]
    return surface in _WITH_SPENDING and any(known)


def _mean_is_wide(summary: Summary, surface: Surface) -> bool:
    return surface is Surface.PAGE and _strict_leads(summary)


def _strict_is_wide(summary: Summary, surface: Surface) -> bool:
    return surface is Surface.PAGE and not _strict_leads(summary)


def _cost(model: ModelSummary) -> str:
    """The cost in a cell: a sum that lacks trials is marked, as in ``usage``."""
    if model.cost_usd is None and model.cost_usd_at_least:
        return f"{numbers.money(model.cost_usd_at_least)}+"
    return missing_figures.optional_money(model.cost_usd)


def _strict_leads(summary: Summary) -> bool:
    return summary.is_right_or_wrong or summary.metric != "mean"


def _outcomes(model: ModelSummary) -> str:
    return " ".join(f"{kind}:{n}" for kind, n in model.outcomes.items())


def _run_scores(model: ModelSummary) -> str:
    return " ".join(map(repr, model.runs.scores)) if model.runs else ""


def _of_runs(name: str, kind: ColumnKind) -> TableColumn[Summary, ModelSummary]:
    """A figure of the spread over runs; missing where there is a single run."""
    return TableColumn(
        name=f"runs_{name}",
        value=lambda model, _: getattr(model.runs, name) if model.runs else None,
        kind=kind,
    )


MEANS: TableDeclaration[Summary, ModelSummary] = TableDeclaration(
    "means",
    (
        TableColumn(
            name="model",
            title=lambda summary: summary.noun.capitalize(),
            text=lambda model, _: notes.name(model.model),
            is_right=False,
        ),
        TableColumn(name="measure", value=lambda _, summary: summary.measure),
        TableColumn(
            name="mean",
            title=means_words.mean_head,
            unit=SCALE,
            text=lambda model, _: missing_figures.optional_score(model.mean),
            help=means_words.mean_legend,
            is_shown=_has_means,
            gives_way=lambda summary: _SECOND if _strict_leads(summary) else 0,
            is_wide=_mean_is_wide,
        ),
        TableColumn(
            name="ci95",
            keys=("ci95_low", "ci95_high"),
            title="95% CI",
            unit="cases",
            text=lambda model, _: missing_figures.optional_interval(model.ci95),
            help=means_words.interval_legend,
            beside="mean",
            is_shown=_has_mean_interval,
            gives_way=lambda summary: _SECOND if _strict_leads(summary) else 0,
        ),
        TableColumn(name="ci95_method"),
        TableColumn(name="ci95_reason"),
        TableColumn(
            name="sd",
            title="SD",
            unit=lambda summary: "runs" if summary.is_series else "cases",
            text=lambda model, _: missing_figures.sd(model.sd),
            help=means_words.sd_legend,
            shown_after="n_cases",
            is_shown=_has_sd,
            gives_way=_SPREAD,
        ),
        TableColumn(name="sd_over"),
        TableColumn(
            name="strict_accuracy",
            title=means_words.strict_head,
            text=lambda model, _: missing_figures.optional_share(model.strict_accuracy),
            help=means_words.strict_legend,
            leads=_strict_leads,
            gives_way=lambda summary: 0 if _strict_leads(summary) else _SECOND,
            is_wide=_strict_is_wide,
        ),
        TableColumn(
            name="strict_ci95",
            keys=("strict_ci95_low", "strict_ci95_high"),
            title="95% CI",
            unit="cases",
            text=lambda model, _: missing_figures.optional_interval(model.strict_ci95),
            help=means_words.interval_legend,
            beside="strict_accuracy",
            leads=_strict_leads,
            is_shown=_has_strict_interval,
            gives_way=lambda summary: 0 if _strict_leads(summary) else _SECOND,
        ),
        TableColumn(name="strict_ci95_method"),
        TableColumn(name="provisional"),
        TableColumn(
            name="n_scored",
            title="Scored\ntrials",
            text=lambda model, _: scored_count(model),
            is_shown=lambda _, surface: surface not in _NARROW,
            gives_way=lambda summary: _COUNT if _has_latency(summary, Surface.TERMINAL) else 0,
        ),
        TableColumn(name="n_strict"),
        TableColumn(name="n_counted"),
        TableColumn(
            name="n_cases",
            title="Scored\ncases",
            text=lambda model, _: f"{model.n_cases:,}",
            is_shown=lambda _, surface: surface is Surface.GROUPS,
        ),
        TableColumn(name="n_trials"),
        TableColumn(name="n_planned"),
        TableColumn(name="outcomes", value=lambda model, _: _outcomes(model)),
        TableColumn(name="auto_pass"),
        TableColumn(
            name="cost_usd",
            title="Cost",
            text=lambda model, _: _cost(model),
            help="Cost: of all requests; + marks a sum that lacks trials.",
            shown_after="ci95",
            is_shown=_has_cost,
            gives_way=_COST,
            folds_names=True,
        ),
        TableColumn(name="cost_usd_at_least"),
        TableColumn(name="cost_known_trials"),
        TableColumn(
            name="median_latency_s",
            title="Latency",
            unit="median",
            text=lambda model, _: missing_figures.optional_seconds(model.median_latency_s),
            help="Latency: median over trials, from request to end of the answer.",
            shown_after="cost_usd",
            is_shown=_has_latency,
            gives_way=_LATENCY,
            folds_names=True,
        ),
        TableColumn(name="input_tokens"),
        TableColumn(name="output_tokens"),
        TableColumn(name="reasoning_tokens"),
        TableColumn(name="tokens_known_trials"),
        TableColumn(name="run_scores", value=lambda model, _: _run_scores(model)),
        _of_runs("metric", ColumnKind.TEXT),
        _of_runs("n_cases", ColumnKind.INTEGER),
        _of_runs("common_mean", ColumnKind.NUMBER),
        TableColumn(
            name="runs_ci95",
            keys=("runs_ci95_low", "runs_ci95_high"),
            value=lambda model, _: model.runs.ci95 if model.runs else None,
        ),
    ),
    rows=lambda summary: summary.models,
)
"""Means, strict accuracy and spread, with intervals; scores from 0 to 1 in files."""
