"""Comparing and ranking stored runs by their names."""

import pytest

from benchmaker import Case, ScorerSpec, SpecError, Suite, compare, rank, results, run
from benchmaker.providers.scripted import Scripted

SUMS = Suite(
    "sums",
    tuple(Case(id=f"c{n}", prompt=f"{n} + 1?", expected=str(n + 1)) for n in range(8)),
    scorer=ScorerSpec(id="exact"),
)


def replied(request):
    number = int(request.case_id[1:])
    return str(number + 1) if request.model == "a" or number % 3 else "wrong"


@pytest.fixture
def home(tmp_path):
    """A store with a run of two models."""
    run(SUMS, provider=Scripted(replied, models=("a", "b")), home=tmp_path)
    return tmp_path


@pytest.mark.parametrize("analyse", [compare, rank])
def test_a_run_is_named(home, analyse):
    stored = results("latest", home=home)
    assert analyse("latest", home=home) == analyse(stored)
    assert analyse(stored.run_ids[0], home=home) == analyse(stored)


@pytest.mark.parametrize("analyse", [compare, rank])
def test_several_runs_are_named(home, analyse):
    latest = results("latest", home=home)
    other = run(SUMS, provider=Scripted(replied, models=("c",)), home=home)
    names = [latest.run_ids[0], "latest"]
    assert analyse(names, home=home) == analyse([latest, other])


@pytest.mark.parametrize("analyse", [compare, rank])
def test_a_name_that_is_not_there_is_refused(home, analyse):
    with pytest.raises(SpecError, match="nosuch"):
        analyse("nosuch", home=home)


@pytest.mark.parametrize("analyse", [compare, rank])
def test_results_know_their_own_home(home, analyse):
    with pytest.raises(SpecError, match="only to run ids"):
        analyse(results("latest", home=home), home=home)
