"""Pages whose render failed: compared unnamed all the same, with the reason and another attempt."""

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.providers.scripted import Scripted
from benchmaker.store import Store
from benchmaker.web.code.run_ratings import standings_of
from benchmaker.web.code.subject import CodeRun
from tests.engine.rendered import a_suite
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_code_look import _main, _posted

WRITERS = ("amber", "birch")
WHY = "the page timed out on an overloaded machine, so there is no result"


def replies():
    """An answer of each model."""
    return Scripted({(model, "c0"): f"page-{at}" for at, model in enumerate(WRITERS)})


@pytest.fixture
def fault(tmp_path):
    """A file with the fault of every render, until it is deleted."""
    file = tmp_path / "fault"
    file.write_text(WHY)
    return file


@pytest.fixture
def run_id(tmp_path, fault):
    """A run of one prompt whose pages were not rendered."""
    options = RunOptions(judge={"models": []}, prepare={"fails": str(fault)})
    found = aside(
        lambda: benchmaker.run(a_suite(1), provider=replies(), home=tmp_path, options=options)
    )
    return found.run_ids[0]


@pytest.fixture
def address(tmp_path, run_id):  # noqa: ARG001  the run is stored first
    with serving(tmp_path, previews=True, works=False) as address:
        yield address


def test_its_models_stay_unnamed_until_the_vote(address, run_id):
    text = _main(f"{address}/code/{run_id}")
    assert "Answer A" in text
    assert "Model names are hidden" in text
    assert not any(model in text for model in WRITERS)


def test_it_has_a_reason_and_a_button_that_renders_it_again(address, run_id, tmp_path):
    for path in (f"/code/{run_id}", f"/code/{run_id}?names=1"):
        text = _main(address + path)
        assert "2 pages not rendered" in text
        assert WHY in text
        assert "Render again" in text
    for _ in range(2):
        status, place, _ = _posted(address, f"/code/{run_id}/render")
        assert (status, place) == (303, f"/code/{run_id}")
    with Store.open(tmp_path / "benchmaker.db") as store:
        job = store.jobs.find_newest(run_id)
    assert (job.kind, job.body["retry_failed"]) == ("resume", True)


def test_until_the_job_begins_a_page_is_already_being_rendered(address, run_id):
    """Nothing works on the job in this test."""
    _posted(address, f"/code/{run_id}/render")
    for path in (f"/code/{run_id}", f"/code/{run_id}?names=1"):
        text = _main(address + path)
        assert text.count("being rendered") >= 2
        assert WHY not in text


def test_a_page_that_is_rendered_again_has_no_old_reason(address, run_id, tmp_path):
    _posted(address, f"/code/{run_id}/render")
    with Store.open(tmp_path / "benchmaker.db") as store:
        assert store.await_judges(run_id) == 2
    for path, number in ((f"/code/{run_id}", 4), (f"/code/{run_id}?names=1", 2)):
        text = _main(address + path)
        assert text.count("being rendered") == number  # with the state of each preview
        assert WHY not in text


def test_the_live_stream_tells_the_reason_without_a_reload(address, run_id):
    for path, words in ((f"/code/{run_id}/1/live/events", 4), (f"/code/{run_id}/events", 2)):
        body = fetched(f"{address}{path}")[2].decode()
        assert body.count(WHY) == 2
        assert body.count("not rendered") == words  # with the state of each preview


def test_a_render_that_follows_takes_the_reason_away(tmp_path, run_id, fault):
    with Store.open(tmp_path / "benchmaker.db") as store:
        assert set(CodeRun.of(store, run_id).render_failures.values()) == {WHY}
    fault.unlink()
    options = RunOptions(retry_failed=True)
    aside(lambda: benchmaker.resume(run_id, provider=replies(), home=tmp_path, options=options))
    with Store.open(tmp_path / "benchmaker.db") as store:
        subject = CodeRun.of(store, run_id)
        assert subject.render_failures == {}
        assert all(made.rendering for made in subject.prepared_pages.values())


def test_no_judge_is_said_to_have_failed_on_it(tmp_path, run_id):
    with Store.open(tmp_path / "benchmaker.db") as store:
        assert {it.unjudged for it in standings_of(store, [run_id]).models} == {0}
