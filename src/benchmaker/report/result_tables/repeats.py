"""The tables of repeats: pass@k, pass^k and majority of each model, and the flaky cases."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmaker.analysis import Summary
from benchmaker.analysis.summary.repeats import FlakyCase, RepeatedShare, Repeats
from benchmaker.record.run import FULL_RUNS
from benchmaker.report.sentences import missing_figures, notes
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration

_SAME_AS_MEAN, _MAJORITY_INTERVAL, _MAJORITY, _HAT, _AT = range(1, 6)
"""What gives way first on a narrow terminal."""


@dataclass(frozen=True, slots=True)
class ModelRepeats:
    """The repeats of a model; ``k`` is the largest for which pass@k can be known."""

    model: str
    k: int
    repeats: Repeats

    @property
    def shares(self) -> dict[str, RepeatedShare]:
        """The figures over cases, by their names in files."""
        made = self.repeats
        return {
            "pass_at_1": made.pass_at_k["1"],
            "pass_at_k": made.pass_at_k[str(self.k)],
            "pass_hat_k": made.pass_hat_k[str(self.k)],
            "majority": made.majority,
        }


@dataclass(frozen=True, slots=True)
class FlakyRow:
    """A case whose runs differ in score for a model."""

    model: str
    case: FlakyCase

    def to_dict(self) -> dict[str, Any]:
        """Plain data by the names of its fields."""
        return {"model": self.model, **self.case.to_dict()}


def model_repeats(summary: Summary) -> tuple[ModelRepeats, ...]:
    """Return the repeats of each model of a series, in the order of the table of means."""
    return tuple(
        ModelRepeats(model.model, _largest_k(model.repeats), model.repeats)
        for model in summary.models
        if model.repeats is not None
    )


def flaky_rows(summary: Summary) -> tuple[FlakyRow, ...]:
    """Return the flaky cases of all models, most undecided first."""
    rows = [
        FlakyRow(row.model, case) for row in model_repeats(summary) for case in row.repeats.flaky
    ]
    return tuple(sorted(rows, key=lambda row: (abs(row.case.share - 0.5), -row.case.n)))


def _largest_k(made: Repeats) -> int:
    return FULL_RUNS if made.uncertain_only else max(map(int, made.pass_at_k))


def _title(sign: str) -> Callable[[Summary], str]:
    def title(summary: Summary) -> str:
        ks = {row.k for row in model_repeats(summary)}
        return f"pass{sign}{ks.pop()}" if len(ks) == 1 else f"pass{sign}k"

    return title


def _share(
    name: str,
    title: str | Callable[[Summary], str],
    *,
    gives_way: int = 0,
    interval_gives_way: int = 0,
) -> tuple[TableColumn[Summary, ModelRepeats], ...]:
    """The columns of a share over cases, with its interval."""
    return (
        TableColumn(
            name=name,
            value=lambda row, _: row.shares[name].mean,
            title=title,
            text=lambda row, _: _percent(row.shares[name]),
            gives_way=gives_way,
        ),
        TableColumn(
            name=f"{name}_ci95",
            keys=(f"{name}_ci95_low", f"{name}_ci95_high"),
            value=lambda row, _: row.shares[name].ci95,
            title="95% CI",
            unit="cases",
            text=lambda row, _: missing_figures.optional_interval(row.shares[name].ci95),
            beside=name,
            gives_way=interval_gives_way or gives_way,
        ),
        TableColumn(name=f"{name}_reason", value=lambda row, _: row.shares[name].reason or None),
    )


def _percent(share: RepeatedShare) -> str:
    return missing_figures.NOT_KNOWN if share.mean is None else numbers.share(share.mean)


REPEATS: TableDeclaration[Summary, ModelRepeats] = TableDeclaration(
    "repeats",
    (
        TableColumn(
            name="model",
            value=lambda row, _: row.model,
            title=lambda summary: summary.noun.capitalize(),
            text=lambda row, _: notes.name(row.model),
            is_right=False,
        ),
        TableColumn(name="n_cases", value=lambda row, _: row.repeats.n_cases),
        TableColumn(name="k", value=lambda row, _: row.k),
        *_share("pass_at_1", "pass@1", interval_gives_way=_SAME_AS_MEAN),
        *_share("pass_at_k", _title("@"), gives_way=_AT),
        *_share("pass_hat_k", _title("^"), gives_way=_HAT),
        *_share("majority", "Majority", gives_way=_MAJORITY, interval_gives_way=_MAJORITY_INTERVAL),
        TableColumn(
            name="n_flaky",
            value=lambda row, _: row.repeats.n_flaky,
            title="Flaky\ncases",
            text=lambda row, _: f"{row.repeats.n_flaky:,}",
        ),
    ),
    rows=model_repeats,
)
"""Shares over cases with intervals, from 0 to 1 in files."""


FLAKY_CASES: TableDeclaration[Summary, FlakyRow] = TableDeclaration(
    "flaky",
    (
        TableColumn(
            name="case_id",
            title="Flaky case",
            text=lambda row, _: notes.name(row.case.case_id),
            is_right=False,
        ),
        TableColumn(
            name="model",
            title=lambda summary: summary.noun.capitalize(),
            text=lambda row, _: notes.name(row.model),
            is_right=False,
            is_shown=lambda summary, _: len(summary.models) > 1,
        ),
        TableColumn(
            name="right",
            title="Right\nruns",
            text=lambda row, _: f"{row.case.right:,} of {row.case.n:,}",
        ),
        TableColumn(name="n"),
        TableColumn(name="share", title="Share", text=lambda row, _: numbers.share(row.case.share)),
        TableColumn(
            name="ci95",
            keys=("ci95_low", "ci95_high"),
            title="95% CI",
            unit="runs",
            text=lambda row, _: numbers.interval(row.case.ci95),
            beside="share",
        ),
    ),
    rows=flaky_rows,
)
"""The cases whose runs differ in score, with the share of right runs."""
