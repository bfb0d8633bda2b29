"""Effects of prompts, models and efforts as sentences, text, Markdown and CSV."""

from collections.abc import Sequence
from typing import Literal, TextIO

from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.effects.run_effects import RunEffects
from benchmaker.record import Run
from benchmaker.report.result_tables.levels import LEVEL_PAIRS, LEVELS
from benchmaker.report.result_tables.matrix import fitting_tables, markdown_tables
from benchmaker.report.runs.comparison import (
    comparison_legend,
    comparison_notes,
    joined_runs_note,
    name_in,
    run_facts,
    unfinished_runs,
)
from benchmaker.report.runs.differences import stack_names
from benchmaker.report.runs.within_margin import (
    within_margin_claim,
    within_margin_markdown,
    within_margin_notes,
    within_margin_sentence,
    within_margin_tables,
)
from benchmaker.report.sentences.pair_verdicts import first_verdict, pairs_verdict
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import Table, bullets, omission_note, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_EXPLAINED = "Methods and notes: add --explain."
_MARGINS = "Margins: the mean over the setups of a row or column, in cases scored for all of them."


def effect_sentences(effects: RunEffects) -> list[str]:
    """The verdict on each dimension, then the significant interactions."""
    verdicts = [said for one in effects.comparisons for said in level_verdict(one)]
    found = [one.sentence for one in effects.interactions if one.is_significant]
    return [*verdicts, *map(_clean, found)]


def level_verdict(made: LevelComparison) -> list[str]:
    """The best level compared with the next, and the number of significant pairs."""
    first = first_verdict(made.comparison, made.headline.sentence)
    of_pairs = pairs_verdict(made.comparison, of=f"{made.by}s")
    return [said for said in (_clean(first), of_pairs) if said]


def matrix_text(effects: RunEffects, *, width: int = WIDTH, styled: bool = False) -> str:
    """The matrix as grids that fit the terminal; empty without one."""
    if effects.matrix is None:
        return ""
    tables = fitting_tables(effects.matrix, width)
    *first, last = tables
    grids = [table.grid_text(width=width, styled=styled) for table in first]
    note = wrap_paragraphs([omission_note(tables, width)], width)
    return "\n".join([*grids, f"{last.grid_text(width=width, styled=styled)}{note}"])


def effects_markdown(effects: RunEffects) -> str:
    """The verdicts and the matrix for pull requests."""
    tables = markdown_tables(effects.matrix) if effects.matrix else []
    said = bullets([*effect_sentences(effects), *matrix_notes(effects)])
    return "\n".join(["## Prompts, models and efforts\n", said, *(it.markdown() for it in tables)])


def matrix_notes(effects: RunEffects) -> list[str]:
    """The meaning of the margins of the matrix."""
    return [_MARGINS] if effects.matrix else []


def levels_text(
    made: LevelComparison,
    runs: Sequence[Run] = (),
    *,
    explain: bool = False,
    width: int = WIDTH,
    styled: bool = False,
) -> str:
    """The verdict with the interactions and warnings, the levels, and the pairs.

    The cheapest level within a margin comes first, with its table above the others. Arguments as
    in :func:`~benchmaker.report.runs.comparison.comparison_text`.
    """
    within = within_margin_tables(made.within_margin)
    tables = [LEVELS.table(made), displayed_level_pairs(made, width)]
    above = [
        *within_margin_sentence(made.within_margin),
        *_verdict(made),
        *_warnings(made),
        *unfinished_runs(runs),
        _setup_runs_note(runs),
    ]
    below = [*within_margin_claim(made.within_margin), _EXPLAINED]
    if explain:
        below = [*within_margin_notes(made.within_margin), *_details(made, runs)]
    return "\n".join(
        [
            wrap_paragraphs(above, width),
            *(table.grid_text(width=width, styled=styled) for table in within),
            *(table.grid_text(width=width, styled=styled) for table in tables),
            wrap_paragraphs([omission_note([*within, *tables], width), *below], width),
        ]
    )


def displayed_level_pairs(made: LevelComparison, width: int) -> Table:
    """The pairs, both names in one column where more columns fit that way in as many lines."""
    table = LEVEL_PAIRS.table(made)
    choices = (stack_names(table), table)
    return min(choices, key=lambda one: (len(one.omitted_names(width)), one.n_lines(width)))


def _setup_runs_note(runs: Sequence[Run]) -> str:
    """A note on setups with several runs."""
    return joined_runs_note(list(dict.fromkeys(name for run in runs for name in run.models)), runs)


def levels_markdown(made: LevelComparison, runs: Sequence[Run] = ()) -> str:
    """The same for pull requests."""
    first, *others = _verdict(made)
    parts = [
        *within_margin_markdown(made.within_margin),
        f"**{bullets([first])[2:].rstrip()}**\n",
        LEVELS.table(made, Surface.MARKDOWN).markdown(),
        LEVEL_PAIRS.table(made, Surface.MARKDOWN).markdown(),
    ]
    warnings = [*_warnings(made), *unfinished_runs(runs), _setup_runs_note(runs)]
    notes = [*others, *warnings, *_details(made, runs)]
    return "\n".join([*parts, bullets(notes)])


def write_levels_csv(
    made: LevelComparison, stream: TextIO, *, table: Literal["pairs", "models"] = "pairs"
) -> None:
    """The pairs, or the levels, with every figure in full; scores from 0 to 1."""
    if table == "pairs":
        LEVEL_PAIRS.write_csv(made, stream)
    else:
        LEVELS.write_csv(made, stream)


def _verdict(made: LevelComparison) -> list[str]:
    return [*level_verdict(made), *(_clean(one.sentence) for one in made.interactions)]


def _warnings(made: LevelComparison) -> list[str]:
    return comparison_notes(made.comparison)[: len(made.comparison.warnings)]


def _details(made: LevelComparison, runs: Sequence[Run]) -> list[str]:
    """Remarks on pairs, the cases still needed, and the methods."""
    interactions = [f"Interactions: {one.method}." for one in made.interactions[:1]]
    return [
        *comparison_notes(made.comparison)[len(made.comparison.warnings) :],
        *comparison_legend(made.comparison),
        *interactions,
        *run_facts(made.run_ids, runs),
    ]


def _clean(sentence: str) -> str:
    return numbers.with_minus(name_in(sentence))
