"""Runs with models, prompts and efforts, and their scores as columns."""

from dataclasses import dataclass

import numpy as np

from benchmaker.record import Completion, Outcome, Run, RunState, Score, Trial
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.record.setup import Setup, setup_name
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.store import Store, Writer


def setups_of(models=("alpha", "beta"), prompts=("plain", "few"), efforts=(None,)):
    return tuple(
        Setup(name=setup_name(model, prompt, effort), model=model, prompt_id=prompt, effort=effort)
        for model in models
        for prompt in prompts
        for effort in efforts
    )


def a_run(setups, **more):
    fixed = {"suite_hash": "h", "suite_name": "s", "profile": "robust", "profile_version": "2"}
    names = tuple(one.name for one in setups)
    return Run(**{"id": "r", **fixed, "models": names, "setups": tuple(setups), **more})


def columns_for(setups, scores, *, costs=None, groups=None, weights=None):
    """Cases × setups as columns; NaN is an unscored trial."""
    scores = np.asarray(scores, float)
    cases, count = scores.shape
    groups = np.full(cases, -1) if groups is None else np.asarray(groups)
    weights = np.ones(cases) if weights is None else np.asarray(weights, float)
    spent = np.full(scores.shape, np.nan) if costs is None else np.asarray(costs, float)
    unknown = np.full(scores.size, np.nan)
    return ScoreColumns(
        run_ids=("r",),
        models=tuple(one.name for one in setups),
        case_ids={at: f"c{at}" for at in range(cases)},
        run=np.zeros(scores.size, np.int32),
        model=np.tile(np.arange(count, dtype=np.int32), cases),
        position=np.repeat(np.arange(cases, dtype=np.int32), count),
        outcome=np.zeros(scores.size, np.int8),
        score=scores.ravel(),
        weight=np.repeat(weights, count),
        cost_usd=spent.ravel(),
        known_cost_usd=spent.ravel(),
        latency_s=unknown,
        input_tokens=unknown,
        output_tokens=unknown,
        reasoning_tokens=unknown,
        group=np.repeat(groups.astype(np.int32), count),
        flag_set=np.zeros(scores.size, np.int32),
        flag_sets=(frozenset(),),
    )


@dataclass(frozen=True)
class Design:
    """Setups with planted effects of each level, in points of 1, and their interaction."""

    setups: tuple[Setup, ...]
    prompt: dict
    model: dict
    effort: dict
    interaction: dict

    def truth(self):
        """The expected score of each setup."""
        return np.array([0.5 + self._effect(one) for one in self.setups])

    def _effect(self, one):
        return (
            self.model.get(one.model, 0.0)
            + self.prompt.get(one.prompt_id, 0.0)
            + self.effort.get(one.effort, 0.0)
            + self.interaction.get((one.model, one.prompt_id), 0.0)
        )

    def scores(self, random, cases, *, expansions=1):
        """Cases × setups: a case's difficulty, its own liking of each setup, and noise.

        With expansions, each case is a group of that many rows, which share difficulty and liking.
        """
        count = len(self.setups)
        difficulty = random.uniform(-0.15, 0.15, (cases, 1))
        liking = random.uniform(-0.1, 0.1, (cases, count))
        own = np.repeat(self.truth() + difficulty + liking, expansions, axis=0)
        return own + random.uniform(-0.08, 0.08, own.shape)

    def average(self, by, level):
        """The expected score of a level over all of its setups."""
        chosen = [getattr(one, by) == level for one in self.setups]
        return float(self.truth()[chosen].mean())


def a_design(**effects):
    given = {"prompt": {}, "model": {}, "effort": {}, "interaction": {}, **effects}
    setups = setups_of(("alpha", "beta", "gamma"), ("plain", "few"), ("low", "high"))
    return Design(setups, **given)


def stored_design(home, setups, scores, costs=None, *, run_id="dims-1", groups=None, dropped=()):
    """A finished run of these setups in the store of a home: cases × setups of scores.

    Each setup in ``dropped`` has its first two thirds of the cases.
    """
    suite = Suite(
        "dims",
        [
            Case(id=f"c{at}", prompt=f"{at}?", expected="1", group=groups[at] if groups else None)
            for at in range(len(scores))
        ],
        scorer=ScorerSpec(id="exact"),
        prompts=[
            {"id": prompt_id, "prompt": f"{prompt_id} {{{{ prompt }}}}"}
            for prompt_id in dict.fromkeys(one.prompt_id for one in setups)
            if prompt_id
        ],
    )
    with Store.open(home / "benchmaker.db") as store:
        found = store.put_suite(suite)
        planned = len(scores) * len(setups)
        run = a_run(
            setups,
            id=run_id,
            suite_hash=found,
            suite_name="dims",
            planned=planned,
            dropped=tuple(dropped),
        )
        store.add_run(run)
        with Writer(store) as writer:
            for at, row in enumerate(scores):
                for rank, setup in enumerate(setups):
                    if setup.name in dropped and 3 * at >= 2 * len(scores):
                        continue
                    usd = None if costs is None else float(costs[at][rank])
                    writer.put(_trial(run_id, at, setup, float(row[rank]), usd))
        store.set_run_state(run_id, RunState.FINISHED, finished_at="2026-11-20T14:02:00.000Z")
    return home


def _trial(run_id, at, setup, score, usd):
    return Trial(
        run_id=run_id,
        case_id=f"c{at}",
        model=setup.name,
        position=at,
        group=None,
        outcome=Outcome.SCORED,
        completion=Completion(text="1", cost_usd=usd),
        score=Score(score=score, scorer="exact"),
        finished_at="2026-11-20T14:02:00.000Z",
    )
