"""All data on the pages of a run, prompt by prompt, for exports."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmaker.arenas.code.preview import Bundle, assemble
from benchmaker.record import Run, Score, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.spec import Case
from benchmaker.store import Store
from benchmaker.store.runs.renders import Blob


class GatheredPage(NamedTuple):
    """One model's page for one prompt; ``prepared`` None where it was not made ready."""

    case: Case
    number: int
    model: str
    rank: int
    trial: Trial
    prepared: PreparedAnswer | None

    @property
    def text(self) -> str:
        """The answer."""
        return self.trial.text

    @property
    def score(self) -> Score | None:
        """Its newest score; None without one."""
        return self.trial.score


def gather_pages(store: Store, run: Run) -> Iterator[GatheredPage]:
    """The pages of a run in the order of prompts, then of the run's models."""
    made = dict(store.renders.each_prepared(run.id))
    cases = {case.id: case for case in store.suite(run.suite_hash).cases}
    ranks = {model: rank for rank, model in enumerate(run.models)}
    for trial in store.trials(run.id):
        yield GatheredPage(
            cases[trial.case_id],
            trial.position + 1,
            trial.model,
            ranks[trial.model],
            trial,
            made.get(trial.key),
        )


def screenshots(store: Store, page: GatheredPage) -> list[tuple[int, Blob]]:
    """The screenshots of a page by the width in CSS pixels at which they were taken."""
    report = page.prepared.report if page.prepared else None
    shots = report.screenshots if report else ()
    return [(shot.viewport, store.renders.find_blob(shot.sha256)) for shot in shots]


def bundle_beside(page: GatheredPage, vendor: str) -> Bundle | None:
    """The page as files, with the libraries that ship under ``vendor``; None without code."""
    if page.prepared is None or page.prepared.artifact.reason:
        return None
    return assemble(page.prepared.artifact, vendor=vendor)
