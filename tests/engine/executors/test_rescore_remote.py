"""Stored answers marked anew elsewhere come out as they do here."""

import asyncio

import pytest

from benchmaker.engine.judges.judge_makers import Judges, NoJudge
from benchmaker.engine.runs.rescore import rescore
from benchmaker.errors import ProviderError, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.spec import ScorerSpec
from tests.engine.executors.crews import NearHands
from tests.engine.run_data import begun, executed, opened, sums


def answer(request):
    number = int(request.case_id.removeprefix("c"))
    if number % 11 == 3:
        raise ProviderError("there is none.")
    return f"It is {number}." if number % 2 else "?"


def rescored(folder, crew, *, count=400, **how):
    folder.mkdir()
    with opened(folder) as store:
        run = begun(store, sums(count))
        executed(store, run, Scripted(answer))
        how = {"scorer": ScorerSpec(id="numeric"), "profile": "robust", **how}
        done = asyncio.run(rescore(store, run.id, crew=crew, **how))
        rows = [
            (trial.position, trial.model, trial.outcome, trial.text, trial.score,
             trial.score_version, trial.flags, trial.error_type, trial.error)
            for trial in store.trials(run.id)
        ]  # fmt: skip
        return done._replace(run_id=""), rows, store.run(run.id).profile


@pytest.mark.parametrize("deaths", [(), (1,), (2, 5)])
def test_scores_are_those_of_this_process_though_workers_die(tmp_path, deaths):
    here = rescored(tmp_path / "here", None)
    there = rescored(tmp_path / "there", NearHands(2, deaths))

    assert there == here
    assert here[0].scored == 726
    assert here[0].changed > 0


def test_a_scorer_that_fails_fails_alike(tmp_path):
    how = {
        "scorer": ScorerSpec(id="tests.engine.executors.test_rescore_remote:Broken"),
        "count": 20,
    }

    assert rescored(tmp_path / "there", NearHands(2), **how) == rescored(
        tmp_path / "here", None, **how
    )


class Broken:
    """Fails at everything."""

    id, version, kind = "broken", "1", "scorer"

    def score(self, case, trial):
        raise RuntimeError(f"{case.id} {trial.model}")


def test_where_judges_judge_it_is_refused(tmp_path):
    with opened(tmp_path) as store:
        run = begun(store, sums(1))
        with pytest.raises(SpecError, match="an executor can't query judges"):
            asyncio.run(rescore(store, run.id, crew=NearHands(1), judges=Judges(NoJudge())))


def test_once_told_to_stop_the_rest_stays_as_it_was(tmp_path):
    stop = asyncio.Event()
    stop.set()
    done, rows, profile = rescored(tmp_path / "there", NearHands(1), count=10, stop=stop)

    assert (done.scored, profile) == (0, "classic")
    assert {row[5] for row in rows if row[4] is not None} == {1}
