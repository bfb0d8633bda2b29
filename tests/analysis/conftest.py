"""Builders of trials and runs for the analyses."""

import pytest

from benchmaker.record import Completion, Outcome, Run, RunState, Score, Trial, Usage


def make_trial(position=0, score=1.0, *, model="m", run="r1", weight=1.0, outcome=None, **more):
    """A trial; a score of None is an unscored one."""
    figures = {key: more.pop(key) for key in ("cost_usd", "latency_s") if key in more}
    tokens = more.pop("tokens", None)
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1]) if tokens else None
    flags = more.pop("score_flags", ())
    made = Score.unscored("no verdict") if score is None else Score.of(score, flags=flags)
    return Trial(
        run_id=run,
        case_id=more.pop("case_id", f"c{position}"),
        model=model,
        position=position,
        weight=weight,
        outcome=outcome or (Outcome.UNSCORED if score is None else Outcome.SCORED),
        completion=Completion(text="x", usage=usage, **figures),
        score=made,
        **more,
    )


@pytest.fixture(scope="session")
def a_trial():
    return make_trial


@pytest.fixture
def a_run():
    def make(run_id="r1", *, models=("m",), planned=0, **more):
        return Run(
            **{
                "id": run_id,
                "suite_hash": "ab" * 32,
                "suite_name": "capitals",
                "models": models,
                "profile": "robust",
                "profile_version": "1",
                "planned": planned,
                "state": RunState.FINISHED,
            }
            | more
        )

    return make
