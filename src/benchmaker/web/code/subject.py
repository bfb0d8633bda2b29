"""A run with generated pages: its prompts, its pages, and its blind identities."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from benchmaker.arenas.code.duels import Duel, duels
from benchmaker.record import Run, Score, Trial
from benchmaker.record.artifact import ArtifactKind
from benchmaker.record.job import JobState
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.scoring.judged.code_judge import NOT_RENDERED
from benchmaker.spec import Case
from benchmaker.store import Store
from benchmaker.web.faults import Missing
from benchmaker.web.run_names import resolve_runs


@dataclass(frozen=True)
class CodeRun:
    """One run as the pages of the Code Arena see it."""

    store: Store
    run: Run

    @classmethod
    def of(cls, store: Store, run_id: str) -> "CodeRun":
        """The run of that id, a prefix of one, or ``latest``.

        Raises:
            Missing: there is no such run, or it is a series of several.
            SpecError: an ambiguous prefix.
        """
        found = resolve_runs(store, run_id).run_ids
        if len(found) != 1:
            raise Missing(f"{run_id} is a series of {len(found)} runs.", where="Choose one run.")
        return cls(store, store.run(found[0]))

    @cached_property
    def prompts(self) -> tuple[Case, ...]:
        """The prompts in their order."""
        return tuple(self.store.suite(self.run.suite_hash).cases)

    @property
    def prepared_pages(self) -> Mapping[tuple[str, str], PreparedAnswer]:
        """The prepared answers, by prompt and model."""
        return self._place_and_answers[1]

    @property
    def last_place(self) -> int:
        """The place in the store after which answers may be missing in :attr:`prepared_pages`."""
        return self._place_and_answers[0]

    @cached_property
    def _place_and_answers(self) -> tuple[int, Mapping[tuple[str, str], PreparedAnswer]]:
        last = self.store.renders.last_place(self.run.id)
        found = self.store.renders.each_prepared(self.run.id)
        return last, {(key.case_id, key.model): made for key, made in found}

    @cached_property
    def pages(self) -> dict[str, list[str]]:
        """The models whose answer holds a page, by prompt."""
        found: dict[str, list[str]] = {}
        for (case_id, model), made in self.prepared_pages.items():
            if made.artifact.kind is not ArtifactKind.NONE:
                found.setdefault(case_id, []).append(model)
        return found

    @cached_property
    def render_failures(self) -> Mapping[tuple[str, str], str]:
        """The reasons why pages were not rendered, by prompt and model."""
        found: dict[tuple[str, str], str] = {}
        for (case_id, model), made in self.prepared_pages.items():
            if made.rendering is not None or made.artifact.kind is ArtifactKind.NONE:
                continue
            trial = self.trials(case_id).get(model)
            if trial and trial.score is not None and NOT_RENDERED in trial.score.flags:
                found[case_id, model] = trial.score.notes or ""
        return found

    def trials(self, case_id: str) -> Mapping[str, Trial]:
        """The trials of a prompt by model, as they were when first asked for."""
        known = self._trials_by_prompt.get(case_id)
        if known is None:
            found = self.store.trials(self.run.id, case_id=case_id)
            known = self._trials_by_prompt[case_id] = {it.model: it for it in found}
        return known

    @cached_property
    def _trials_by_prompt(self) -> dict[str, dict[str, Trial]]:
        return {}

    @property
    def is_retry_queued(self) -> bool:
        """True if a job that renders failed pages again is about to start."""
        job = self.store.jobs.find_newest(self.run.series_id or self.run.id)
        if job is None or job.state is not JobState.QUEUED or not job.body.get("retry_failed"):
            return False
        return job.body.get("run") in {None, self.run.id}

    def prompt(self, number: int) -> Case:
        """The prompt of that number, from 1."""
        if not 1 <= number <= len(self.prompts):
            raise Missing(f"there is no prompt {number}.", where=self.run.id)
        return self.prompts[number - 1]

    def number(self, case_id: str) -> int:
        """The number of a prompt, from 1."""
        return next(at for at, case in enumerate(self.prompts, 1) if case.id == case_id)

    def queue(self, voter: str) -> tuple[Duel, ...]:
        """Every pair in the order of this voter."""
        return duels(self.run.id, self.pages, voter=voter)

    def is_paired(self, case_id: str) -> bool:
        """True if at least two answers to this prompt are pages, for a comparison."""
        return len(self.pages.get(case_id, ())) > 1

    def waiting_pairs(self, voter: str) -> tuple[Duel, ...]:
        """Return the pairs without a vote of this voter."""
        given = {
            (vote.case_id, vote.model_a, vote.model_b)
            for vote in self.store.votes.read([self.run.id], actor=voter)
        }
        return tuple(
            duel
            for duel in self.queue(voter)
            if (duel.case_id, duel.model_a, duel.model_b) not in given
        )

    def blind_order(self, case_id: str, voter: str) -> tuple[str, ...]:
        """Return the models that answered a prompt, in an order that does not reveal them."""
        models = self.run.models
        return tuple(sorted(models, key=lambda it: _blind(self.run.id, case_id, it, voter)))

    def score(self, case_id: str, model: str) -> Score | None:
        """The newest score of a page; None where it has none."""
        return self.store.trial(self.run.id, model, case_id).score


def letter_of(number: int) -> str:
    """Return the letter of an unnamed answer by its number from 1.

    >>> letter_of(1), letter_of(26), letter_of(27)
    ('A', 'Z', 'AA')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _blind(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
