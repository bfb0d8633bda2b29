"""The report as one page: a single file without scripts and external resources."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, TextIO

from benchmaker.analysis import Comparison, Ranking, Summary
from benchmaker.analysis.effects.run_effects import RunEffects
from benchmaker.record import Trial
from benchmaker.redact import Redactor
from benchmaker.report.runs.dimension_panels import effects_panel, within_margin_panel
from benchmaker.report.runs.grid import Grid
from benchmaker.report.runs.lowest import lowest_trials
from benchmaker.report.runs.page import SHOWN, ReportPage
from benchmaker.report.runs.panels import (
    corrected_means_panel,
    differences_panel,
    ranks_panel,
    repeats_panel,
)
from benchmaker.report.sentences import notes
from benchmaker.spec import Suite

Theme = Literal["auto", "light", "dark"]


def write_html(
    summary: Summary,
    stream: TextIO,
    *,
    trials: Iterable[Trial] = (),
    suite: Suite | None = None,
    comparison: Comparison | None = None,
    ranking: Ranking | None = None,
    effects: RunEffects | None = None,
    categories: Mapping[str, Summary] = MappingProxyType({}),
    theme: Theme = "auto",
    redactor: Redactor | None = None,
) -> None:
    """Write tables and plots of a run or series, a heat map, and the lowest-scored answers.

    All content from suites and models is escaped. Secrets are removed.

    Args:
        summary: the summary.
        stream: text, written as UTF-8.
        trials: trials of the same runs, read once; the 200 with the lowest scores are shown.
        suite: the suite, for the questions.
        comparison: the comparison of the same runs, for the verdict, the differences, and the
            cheapest setup within its margin.
        ranking: the ranking of the same runs, for the ranks.
        effects: those of prompts, models and efforts, for runs that have these dimensions.
        categories: summaries of the cases of each category, from ``summarise_by``.
        theme: light, dark, or the system's setting.
        redactor: removes further secrets; texts that look like keys are always removed.
    """
    page = ReportPage(summary, redactor or Redactor())
    grid = Grid(summary)
    lowest = lowest_trials(grid.accumulate(trials), SHOWN)
    within = comparison.within_margin if comparison else None
    css = source_of("tokens.css") + source_of("report.css")
    content: dict[str, Any] = {
        "css": css,
        "policy": policy_of(css),
        "theme": theme,
        "complete": summary.is_complete,
        "repeatable": page.clean(notes.reproducibility_line(summary)),
        **page.head(suite, comparison, effects),
        **page.tables(),
        "differences": differences_panel(page, comparison) if comparison else None,
        "within": within_margin_panel(page, within) if within else None,
        "effects": effects_panel(page, effects) if effects else None,
        "ranks": ranks_panel(page, ranking) if ranking else None,
        "repeats": repeats_panel(page, summary),
        "corrected": corrected_means_panel(page, summary),
        "categories": page.categories(categories) if categories else None,
        "heat": page.heat_map(grid),
        **page.answers(lowest, suite),
    }
    stream.writelines(template_of("report.html.jinja").generate(content))
    stream.write("\n")


def policy_of(css: str) -> str:
    """Return a policy that loads and runs nothing; the one style sheet is allowed by its hash."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Any:  # noqa: ANN401  Jinja is imported where it is used
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415

    return Environment(
        loader=PackageLoader("benchmaker.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )


def template_of(name: str) -> Any:  # noqa: ANN401  Jinja is imported where it is used
    """Return a template of this package, with autoescaping."""
    return _environment().get_template(name)


def source_of(name: str) -> str:
    """Return the text of a file next to the templates."""
    source: str = _environment().loader.get_source(_environment(), name)[0]
    return source
