"""A comparison with its options, and its output formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TextIO

from benchmaker.analysis.comparison.comparison import compare
from benchmaker.analysis.comparison.contradictions import corrected_pairs, warned_by_labels
from benchmaker.analysis.comparison.groups import GroupBy, compare_by
from benchmaker.analysis.comparison.reference import compare_with_reference
from benchmaker.analysis.comparison.results import Comparison, with_warnings
from benchmaker.analysis.effects.dimensions import Dimension
from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.effects.levels import compare_levels
from benchmaker.analysis.judges.correction import CorrectedDifferences
from benchmaker.cli.options.run_selection import SelectedRuns
from benchmaker.errors import NotEnoughData
from benchmaker.record import Run
from benchmaker.record.run import setups_named
from benchmaker.report.runs.comparison import (
    brief_text,
    comparison_json,
    comparison_markdown,
    comparison_text,
    write_comparison_csv,
)
from benchmaker.report.runs.correction import corrected_markdown, corrected_text
from benchmaker.report.runs.dimensions import (
    levels_markdown,
    levels_text,
    write_levels_csv,
)
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.markdown_escaping import escape_markdown
from benchmaker.report.tables.width import width_of
from benchmaker.stats.pairs.multiple_comparisons import Correction


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of ``benchmaker compare`` for analysis; ``margin`` is from 0 to 1."""

    models: tuple[str, ...]
    reference: str | None
    correction: Correction | None
    margin: float | None
    level: float
    metric: str | None = None

    @classmethod
    def of(
        cls,
        models: tuple[str, ...],
        reference: str | None,
        *,
        correction: Any,  # noqa: ANN401  one of the names that the option allows
        margin: float | None,
        level: float,
        metric: str | None,
    ) -> "Settings":
        """Out of the options: margins come in points of 100."""
        chosen = None if correction == "none" else correction
        return cls(
            models, reference, chosen, None if margin is None else margin / 100, level, metric
        )

    def to_keywords(self) -> dict[str, Any]:
        """Return the settings common to all comparisons."""
        return {
            "models": self.models,
            "correction": self.correction,
            "margin": self.margin,
            "level": self.level,
            "metric": self.metric,
        }


@dataclass(frozen=True, slots=True)
class ComparisonSet:
    """One comparison, or one for each group of cases."""

    comparisons: Mapping[str, Comparison]
    by: GroupBy | None
    left_out: Mapping[str, str]
    corrected: CorrectedDifferences | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the output of ``--json``: without groups, the one comparison itself."""
        if self.by is None:
            corrected = self.corrected.to_dict() if self.corrected else None
            return comparison_json(self.comparisons[""]) | {"corrected": corrected}
        return {
            "scale": "0-1",
            "by": self.by,
            "groups": {label: comparison_json(one) for label, one in self.comparisons.items()},
            "left_out": dict(self.left_out),
        }

    def write(
        self, runs: Sequence[Run], stream: TextIO, *, form: str, table: Literal["pairs", "models"]
    ) -> None:
        """As text, explained or not, as Markdown or CSV."""
        if form == "csv":
            write_comparison_csv(self.comparisons, stream, table=table, by=self.by)
            return
        if self.by is None:
            stream.write(_comparison_text(self.comparisons[""], runs, form, width_of(stream)))
            stream.write(self._corrected_text(form, width_of(stream)))
            return
        width = width_of(stream)
        texts = [self._group(label, one, form, width) for label, one in self.comparisons.items()]
        left = [
            f"{self._group_title(one)}: skipped. {why}\n\n" for one, why in self.left_out.items()
        ]
        stream.writelines([*texts, *left])
        stream.write(f"p-values are adjusted within each {self.by}, not across all of them.\n")

    def _corrected_text(self, form: str, width: int) -> str:
        if self.corrected is None:
            return ""
        if form == "markdown":
            return f"\n{corrected_markdown(self.corrected, noun=self.comparisons[''].noun)}"
        noun = self.comparisons[""].noun
        return f"\n{corrected_text(self.corrected, noun=noun, width=width)}"

    def _group(self, label: str, one: Comparison, form: str, width: int) -> str:
        if form == "markdown":
            return f"## {escape_markdown(self._group_title(label))}\n\n{comparison_markdown(one)}\n"
        return f"{self._group_title(label)}\n{brief_text(one, width=width)}\n"

    def _group_title(self, label: str) -> str:
        return f"{self.by} {name(label)}" if label else f"no {self.by}"


@dataclass(frozen=True, slots=True)
class LevelSet:
    """The comparison by model, prompt or effort."""

    made: LevelComparison

    def to_dict(self) -> dict[str, Any]:
        """Return the output of ``--json``."""
        return self.made.to_dict()

    def write(
        self, runs: Sequence[Run], stream: TextIO, *, form: str, table: Literal["pairs", "models"]
    ) -> None:
        """As text, explained or not, as Markdown or CSV."""
        if form == "csv":
            write_levels_csv(self.made, stream, table=table)
        elif form == "markdown":
            stream.write(levels_markdown(self.made, runs))
        else:
            width = width_of(stream)
            stream.write(levels_text(self.made, runs, explain=form == "explain", width=width))


def _comparison_text(one: Comparison, runs: Sequence[Run], form: str, width: int) -> str:
    if form == "markdown":
        return comparison_markdown(one, runs)
    return comparison_text(one, runs, explain=form == "explain", width=width)


def compare_runs(
    found: SelectedRuns, settings: Settings, *, by: Dimension | GroupBy | None
) -> ComparisonSet | LevelSet:
    """Return the requested comparison.

    Raises:
        NotEnoughData: none of the groups or levels can be compared.
    """
    match by:
        case "model" | "prompt" | "effort":
            return _compare_levels(found, settings, by)
        case _:
            return _compare_cases(found, settings, by)


def _compare_cases(found: SelectedRuns, settings: Settings, by: GroupBy | None) -> ComparisonSet:
    """All cases, or those of each group."""
    if by is None:
        made = with_warnings(
            compare(found.scores, found.runs, **settings.to_keywords()), found.warnings
        )
        one = _seen_from(made, settings)
        corrected = corrected_pairs(one, found.scores, found.labels)
        return ComparisonSet({"": warned_by_labels(one, corrected)}, None, {}, corrected)
    grouped = compare_by(
        found.scores,
        found.cases,
        by,
        runs=found.runs,
        labels=found.labels,
        **settings.to_keywords(),
    )
    if why := grouped.why_none:
        raise NotEnoughData(why, needed=2, got=int(bool(grouped.left_out)))
    seen = {
        label: _seen_from(with_warnings(one, found.warnings), settings)
        for label, one in grouped.comparisons.items()
    }
    return ComparisonSet(seen, by, grouped.left_out)


def _compare_levels(found: SelectedRuns, settings: Settings, by: Dimension) -> LevelSet:
    """The levels of one dimension; models are chosen by name or label."""
    options = settings.to_keywords()
    setups = setups_named(found.runs, found.scores.models, options.pop("models"))
    made = compare_levels(
        found.scores,
        by,
        found.runs,
        setups=setups,
        reference=settings.reference or "",
        **options,
    )
    return LevelSet(replace(made, warnings=(*found.warnings, *made.warnings)))


def _seen_from(made: Comparison, settings: Settings) -> Comparison:
    return compare_with_reference(made, settings.reference) if settings.reference else made
