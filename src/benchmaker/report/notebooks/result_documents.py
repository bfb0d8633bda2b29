"""The content of a result for people: the verdict, the tables and the notes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmaker.analysis import Comparison, Ranking
from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.gates.gate_results import BaselineGate
from benchmaker.analysis.trends.trend_results import Trend
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.arenas.standard.result import RunResult
from benchmaker.report.arenas.leaderboard import board_report
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.gates.gate_formats import SHOWN
from benchmaker.report.gates.gate_sentences import (
    changed_sentence,
    facts,
    gate_sentences,
    what_decides,
)
from benchmaker.report.result_tables.gated_models import GATED_MODELS
from benchmaker.report.result_tables.levels import LEVEL_PAIRS, LEVELS
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.named_metrics import NAMED_METRICS, named_means
from benchmaker.report.result_tables.repeats import REPEATS, model_repeats
from benchmaker.report.runs.comparison import comparison_notes, comparison_verdict
from benchmaker.report.runs.differences import displayed_pairs, models_table
from benchmaker.report.runs.dimensions import level_verdict
from benchmaker.report.runs.ranking import ranking_notes, ranking_table, ranking_verdict
from benchmaker.report.runs.trend import points_table, trend_notes, trend_verdict
from benchmaker.report.runs.verdict import compare_models, effects_of, result_sentences
from benchmaker.report.runs.within_margin import within_margin_sentence, within_margin_tables
from benchmaker.report.sentences import notes
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables.table import Table
from benchmaker.tabular import Tabular


def document_of_result(made: Tabular) -> ReportDocument:
    """Return the verdict, the tables and the notes of a result, with the terminal's figures."""
    return next(write(made) for kind, write in _DOCUMENTS.items() if isinstance(made, kind))


def _run(result: RunResult) -> ReportDocument:
    summary = result.summary
    verdict = result_sentences(summary, compare_models(result), effects_of(result))
    warnings = notes.summary_warnings(summary, result.stopped)
    return ReportDocument(
        title="Run",
        verdict=tuple(verdict),
        sections=tuple(map(Section, _run_tables(result))),
        notes=(*warnings, notes.summary_line(summary)),
    )


def _run_tables(result: RunResult) -> Iterator[Table]:
    yield MEANS.table(result.summary)
    if named_means(result.summary):
        yield NAMED_METRICS.table(result.summary)
    if model_repeats(result.summary):
        yield REPEATS.table(result.summary)


def _comparison(made: Comparison) -> ReportDocument:
    tables = (*within_margin_tables(made.within_margin), models_table(made), displayed_pairs(made))
    return ReportDocument(
        title="Comparison",
        verdict=(*within_margin_sentence(made.within_margin), *comparison_verdict(made)),
        sections=tuple(map(Section, tables)),
        notes=tuple(comparison_notes(made)),
    )


def _levels(made: LevelComparison) -> ReportDocument:
    tables = (LEVELS.table(made), LEVEL_PAIRS.table(made))
    return ReportDocument(
        title="Comparison",
        verdict=(*within_margin_sentence(made.within_margin), *level_verdict(made)),
        sections=tuple(map(Section, (*within_margin_tables(made.within_margin), *tables))),
        notes=tuple(comparison_notes(made.comparison)),
    )


def _ranking(made: Ranking) -> ReportDocument:
    return ReportDocument(
        title="Ranking",
        verdict=tuple(ranking_verdict(made)),
        sections=(Section(ranking_table(made)),),
        notes=tuple(ranking_notes(made)),
    )


def _gate(made: BaselineGate) -> ReportDocument:
    more = len(made.changed) - SHOWN
    changes = [changed_sentence(one, made) for one in made.changed[:SHOWN]]
    rest = [f'{more:,} more changed cases: to_polars("changed")'] if more > 0 else []
    return ReportDocument(
        title="Gate",
        verdict=tuple(map(capitalise, gate_sentences(made))),
        sections=(Section(GATED_MODELS.table(made), notes=(*changes, *rest)),),
        notes=(*what_decides(made), *made.notes, facts(made)),
    )


def _trend(made: Trend) -> ReportDocument:
    tables = [points_table(made, model) for model in made.models if model.points]
    return ReportDocument(
        title="Trend",
        verdict=tuple(trend_verdict(made)),
        sections=tuple(map(Section, tables)),
        notes=tuple(trend_notes(made)),
    )


_DOCUMENTS: Mapping[type[Tabular], Callable[[Any], ReportDocument]] = {
    RunResult: _run,
    Comparison: _comparison,
    LevelComparison: _levels,
    Ranking: _ranking,
    BaselineGate: _gate,
    Board: board_report,
    Trend: _trend,
}
