"""The results of each prompt of a suite in its latest runs, as the page of these runs has them."""

from dataclasses import dataclass
from typing import NamedTuple

from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.errors import BenchmakerError
from benchmaker.record import Run
from benchmaker.redact import Redactor
from benchmaker.report.result_tables.levels import LEVELS
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import PageCell, Surface
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.runs.target_pages import Target
from benchmaker.web.agentic.background_work import compute_in_background
from benchmaker.web.results.run_cache import OverviewCache, RunsOverview
from benchmaker.web.workbench import Workbench

_LATEST = 12
_FIGURES = ("figure", "mean", "strict_accuracy")


class PromptFigure(NamedTuple):
    """A figure with its interval and cost, each as text; ``cost`` is "" where none is known.

    ``ended_early`` says that the setup was dropped or stopped, and after how many cases.
    """

    name: str
    figure: str
    interval: str
    cost: str
    ended_early: str = ""


@dataclass(frozen=True, slots=True)
class PromptResult:
    """The figures of a prompt: over its setups if there are several, and of each of them.

    ``differences`` are the comparisons with other prompts in which it is the better one.
    """

    overall: PromptFigure | None
    setups: tuple[PromptFigure, ...]
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptResults:
    """The results by prompt, and the series or run that they come from.

    ``others`` are the prompts whose text was another one in these runs. ``verdict`` compares the
    best with the next. ``is_pending`` is true while the results are computed.
    """

    runs: Target
    by_prompt: dict[str, PromptResult]
    others: frozenset[str] = frozenset()
    is_pending: bool = False

    @property
    def page(self) -> str:
        """The address of these results."""
        run = self.runs[0]
        return f"/series/{run.series_id}" if run.series_id else f"/runs/{run.id}"

    @property
    def suite_hash(self) -> str:
        """The version of the suite that was run."""
        return self.runs[0].suite_hash


def prompt_results(bench: Workbench, known: OverviewCache, suite: Suite) -> PromptResults | None:
    """Return the results of the prompts in the latest runs of the suite; None without any.

    Runs of this version come before those of others.
    """
    target = _latest_target(bench.store, suite)
    if target is None:
        return None
    ids = tuple(run.id for run in target)
    try:
        made = compute_in_background(
            bench, ("prompts", ids), lambda: known.of_runs(bench.store, ids)
        )
    except BenchmakerError:
        return None
    others = _changed_prompts(bench.store, suite, target[0])
    if made is None:
        return PromptResults(target, {}, others, is_pending=True)
    return PromptResults(target, _by_prompt(made, bench.redactor), others)


def _latest_target(store: Store, suite: Suite) -> Target | None:
    found = store.target_pages.latest_of_suites([suite.name], _LATEST)[suite.name]
    named = [one for one in reversed(found) if any(it.prompt_id for it in one[0].setups)]
    own = (one for one in named if one[0].suite_hash == suite.content_hash)
    return next(own, named[0] if named else None)


def _changed_prompts(store: Store, suite: Suite, run: Run) -> frozenset[str]:
    if run.suite_hash == suite.content_hash:
        return frozenset()
    there = {one.id: one for one in store.suite(run.suite_hash).prompts}
    return frozenset(
        str(one.id) for one in suite.prompts if one.id in there and one != there[one.id]
    )


def _by_prompt(made: RunsOverview, redactor: Redactor) -> dict[str, PromptResult]:
    setups = {one.name: one for run in made.runs for one in run.setups}
    ends = made.summary.ended_early
    found: dict[str, list[PromptFigure]] = {}
    for model in made.summary.models:
        setup = setups.get(model.model)
        if setup is None or not setup.prompt_id:
            continue
        name = " · ".join(one for one in (setup.model_label, setup.effort or "") if one)
        cells = MEANS.page_cells(model, made.summary, Surface.PAGE)
        figure = _figure(redactor.text(name), cells)
        figure = figure._replace(ended_early=ends.get(model.model, ""))
        found.setdefault(setup.prompt_id, []).append(figure)
    comparison = _comparison(made)
    return {
        prompt: PromptResult(
            _overall(prompt, comparison) if len(figures) > 1 else None,
            tuple(figures),
            _differences(prompt, comparison, redactor),
        )
        for prompt, figures in found.items()
    }


def _comparison(made: RunsOverview) -> LevelComparison | None:
    comparisons = made.effects.comparisons if made.effects else ()
    return next((one for one in comparisons if one.by == "prompt"), None)


def _figure(name: str, cells: list[PageCell]) -> PromptFigure:
    texts = {cell.name: cell.text for cell in cells}
    first = next(cell for cell in cells if cell.name in _FIGURES)
    return PromptFigure(
        name,
        first.text,
        first.below or missing_figures.NO_INTERVAL,
        texts.get("cost_usd", ""),
    )


def _overall(prompt: str, made: LevelComparison | None) -> PromptFigure | None:
    """The figure over all setups of a prompt, from the table of levels."""
    for row in LEVELS.rows(made) if made else ():
        if row.level.level == prompt and made:
            cells = LEVELS.page_cells(row, made, Surface.PAGE)
            return _figure(f"over {len(row.level.setups):,} setups", cells)
    return None


def _differences(prompt: str, made: LevelComparison | None, redactor: Redactor) -> tuple[str, ...]:
    pairs = made.pairs if made else ()
    sentences = (one.sentence for one in pairs if one.a == prompt)
    return tuple(sanitise(redactor.text(numbers.with_minus(said))) for said in sentences)
