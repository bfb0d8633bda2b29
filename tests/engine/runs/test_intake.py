from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from benchmaker.engine.runs.intake import fingerprint, import_export
from benchmaker.errors import Conflict, ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState, Series
from benchmaker.testing import a_score, a_trial
from tests.engine.run_data import begun, executed, opened, right, sums


@dataclass
class AnExport:
    """What was read from the export of a store's runs."""

    suite: object
    runs: tuple
    rows: list
    series: object = None
    path: Path = field(default_factory=lambda: Path("/elsewhere/export.json"))

    replies: tuple = ()

    def trials(self):
        return iter(self.rows)

    def judgments(self):
        return iter(self.replies)


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path / "there") as opened_store:
        yield opened_store


@pytest.fixture
def export(tmp_path):
    with opened(tmp_path / "here") as source:
        return exported(source)


def exported(source):
    def answer(request):
        return ProviderError("gone") if request.case_id == "c1" else right(request)

    suite = sums(4)
    run = begun(source, suite)
    ended, _ = executed(source, run, Scripted(answer))
    rows = [(trial, ((1, trial.score),) if trial.score else ()) for trial in source.trials(run.id)]
    return AnExport(suite, (ended,), rows)


def test_an_import_brings_everything(store, export):
    done = import_export(store, export)
    [run] = export.runs

    assert done.run_ids == (run.id,)
    assert not done.already_there
    assert list(store.trials(run.id)) == [trial for trial, _ in export.rows]
    assert store.run(run.id) == replace(run, imported_from="export.json")


def test_a_second_import_changes_nothing(store, export):
    import_export(store, export)
    before = list(store.trials("run-1"))
    done = import_export(store, export)

    assert done.already_there == ("run-1",)
    assert list(store.trials("run-1")) == before


def test_the_order_of_the_trials_does_not_matter(store, export):
    import_export(store, export)
    export.rows.reverse()

    assert import_export(store, export).already_there == ("run-1",)


def test_a_run_can_be_imported_where_it_came_from(tmp_path):
    with opened(tmp_path) as source:
        assert import_export(source, exported(source)).already_there == ("run-1",)


def test_other_content_under_the_same_id_is_refused(store, export):
    import_export(store, export)
    trial, scores = export.rows[0]
    export.rows[0] = (replace(trial, weight=2.0), scores)

    with pytest.raises(Conflict, match="'run-1' with different content"):
        import_export(store, export)


def test_every_version_of_a_score_is_brought(store, export):
    trial, _ = export.rows[0]
    first, second = a_score(0.25), a_score(1.0)
    export.rows[0] = (
        replace(trial, score=second, score_version=2),
        ((1, first), (2, second)),
    )
    import_export(store, export)

    assert store.scores.versions(*trial.key) == [first, second]
    assert import_export(store, export).already_there == ("run-1",)


def test_an_import_that_was_cut_off_is_begun_anew(store, export):
    whole = export.rows

    def breaks():
        yield from whole[:3]
        raise OSError("the medium was pulled out")

    broken = AnExport(export.suite, export.runs, [])
    broken.trials = breaks
    with pytest.raises(OSError, match="pulled out"):
        import_export(store, broken)
    torso = store.run("run-1").state
    import_export(store, export)

    assert torso is RunState.INTERRUPTED
    assert store.run("run-1").state is RunState.FINISHED
    assert len(list(store.trials("run-1"))) == len(whole)


def test_a_run_exported_while_it_ran_is_interrupted_here(store, export):
    export.runs = (replace(export.runs[0], state=RunState.RUNNING, finished_at=None),)
    import_export(store, export)

    assert store.run("run-1").state is RunState.INTERRUPTED
    assert import_export(store, export).already_there == ("run-1",)


def test_a_series_comes_with_its_runs(store, export):
    [run] = export.runs
    export.series = Series(
        id="s-1", suite_hash=run.suite_hash, runs=2, created_at="2026-01-01T00:00:00.000Z"
    )
    export.runs = tuple(
        replace(run, id=f"run-{number}", number=number, series_id="s-1") for number in (1, 2)
    )
    export.rows = [
        (replace(trial, run_id=member.id), scores)
        for member in export.runs
        for trial, scores in export.rows
    ]
    done = import_export(store, export)

    assert done.series_id == "s-1"
    assert store.resolve("s-1").run_ids == ("run-1", "run-2")
    assert import_export(store, export).already_there == ("run-1", "run-2")


def test_a_fingerprint_knows_sets_apart_and_no_order():
    trials = [a_trial(case_id=f"c{n}") for n in range(20)]
    shuffled = Random(1).sample(trials, 20)  # noqa: S311  seeded on purpose

    assert fingerprint(trials) == fingerprint(shuffled)
    assert fingerprint(trials) != fingerprint(trials[1:])
    assert fingerprint(trials) != fingerprint([*trials[1:], a_trial(case_id="c0", weight=2.0)])
