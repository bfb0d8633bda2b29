"""Baselines of runs out of plain lists of scores."""

import pytest

from benchmaker.record import Setup
from benchmaker.record.baselines.run_baseline import (
    SCHEMA,
    BaselineAnswer,
    BaselineCase,
    BaselineScores,
    RunBaseline,
    hash_answer,
)


def make_answer(score, text=None, *, judged=False, metrics=None):
    """An answer; its text is the score's unless another is given."""
    text = str(score) if text is None else text
    return BaselineAnswer(
        sha256=hash_answer(text), score=score, text=text, judged=judged, metrics=metrics or {}
    )


def make_side(scores, *, groups=None, weights=None, ids=None, scoring=None, question=None, **more):
    """A side out of {setup: [score, or list of answers, per case]}."""
    size = len(next(iter(scores.values())))
    names = ids or [f"c{at}" for at in range(size)]
    cases = []
    for at, name in enumerate(names):
        setups = {}
        for setup, row in scores.items():
            value = row[at]
            answers = value if isinstance(value, list) else [make_answer(value)]
            setups[setup] = BaselineScores.of(answers, len(answers))
        told = (scoring or {}).get(name, "s")
        cases.append(
            BaselineCase(
                id=name,
                sha256=f"{(question or {}).get(name, 'q')}-{told}",
                scoring_sha256=told,
                weight=weights[at] if weights else 1.0,
                group=groups[at] if groups else None,
                setups=setups,
            )
        )
    fields = {
        "schema_version": SCHEMA,
        "package_version": "1",
        "suite": "capitals",
        "suite_sha256": "ab",
        "run_ids": ("r1",),
        "profile": "robust/2",
        "metric": "mean",
        "judges": (),
        "setups": tuple(Setup(name=name, model=name) for name in scores),
        "cases": tuple(cases),
    }
    return RunBaseline(**{**fields, **more})


@pytest.fixture
def side():
    return make_side


@pytest.fixture
def answer():
    return make_answer
