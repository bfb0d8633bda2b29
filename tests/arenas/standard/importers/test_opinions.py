"""Second opinions on imported evaluations: planted faults are found, and nothing else."""

from random import Random

import pytest

from benchmaker.arenas.standard.importers.opinions import opinions
from benchmaker.store import Store
from tests.arenas.standard.importers.files import imported
from tests.arenas.standard.importers.planted import CLEAN, PLANTED

SEEDS = 20


def opinion_on(folder, write, seed):
    """The second opinion on logs written with a seed."""
    folder.mkdir(parents=True)
    paths = write(folder, Random(seed))  # noqa: S311  planted faults
    with Store.open(folder / "benchmaker.db") as store:
        files = imported(store, *paths)
        (made,) = opinions(store, [run_id for one in files for run_id in one.runs])
    return made


def kinds(made):
    return {one.kind for one in made.findings}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "tool"), PLANTED)
def test_a_planted_fault_is_found_and_no_other(tmp_path, kind, tool):
    found = [
        kinds(opinion_on(tmp_path / str(seed), PLANTED[kind, tool], seed)) for seed in range(SEEDS)
    ]
    assert sum(kind in one for one in found) >= 0.95 * SEEDS
    assert [one - {kind} for one in found if one - {kind}] == []


@pytest.mark.long
@pytest.mark.parametrize("tool", CLEAN)
def test_a_log_without_a_fault_has_no_finding(tmp_path, tool):
    found = [kinds(opinion_on(tmp_path / str(seed), CLEAN[tool], seed)) for seed in range(SEEDS)]
    assert sum(map(len, found)) <= 0.02 * SEEDS


@pytest.mark.data
@pytest.mark.long
def test_the_headline_of_genuine_files_is_the_stated_figure(tmp_path, shared):
    folder = shared / "incoming-t2"
    with Store.open(tmp_path / "benchmaker.db") as store:
        files = imported(store, folder)
        for one in files:
            for made in opinions(store, one.runs):
                stated = store.imported_rows.header(one.runs[0]).figures
                own = (made.headline.scorer, made.headline.metric)
                values = [it["value"] for it in stated if (it["scorer"], it["metric"]) == own]
                assert not values or made.headline.value in values
                computed = [
                    it["value"]
                    for it in made.headline.figures
                    if (it["scorer"], it["metric"]) == own
                ]
                assert any(made.headline.value == pytest.approx(it) for it in computed)
                assert "stated_figure_differs" not in kinds(made)
            assert [note for note in one.tally.notes if "the file states" in note] == []
