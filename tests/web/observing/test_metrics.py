import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from benchmaker.arenas.standard.job_handlers import ask_for
from benchmaker.store import Store
from tests.web.serving import apps, serving
from tests.web.test_guard import ask

OUTSIDE = [
    {"X-Forwarded-For": "203.0.113.9"},
    {"Forwarded": "for=203.0.113.9"},
    {"X-Real-Ip": "203.0.113.9"},
    {"Via": "1.1 proxy"},
]


def figures(address):
    """Each sample's value by name and labels."""
    status, headers, body = ask(address, path="/metrics")
    assert status == 200
    assert headers["content-type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(body)
    return {
        (one.name, *sorted(one.labels.items())): one.value
        for family in families
        for one in family.samples
    }


def of(found, name, **labels):
    return found.get((name, *sorted(labels.items())))


def counted(address, wanted, **labels):
    """The figures once so many requests are counted, which is a moment after each was answered."""
    end = time.monotonic() + 120
    while of(found := figures(address), "benchmaker_http_requests_total", **labels) != wanted:
        assert time.monotonic() < end, found
        time.sleep(0.05)
    return found


@pytest.fixture
def measured(home):
    with serving(home, works=False, metrics=True, token="one-session-only") as address:
        yield address


def test_without_being_asked_for_there_are_none(demo):
    assert ask(demo, path="/metrics")[0] == 404
    assert apps[demo].state.metrics is None


def test_requests_are_counted_by_route_method_and_status(measured):
    for path in ("/healthz", "/healthz", "/runs?q=private", "/nothing/here"):
        ask(measured, path=path)
    counted(measured, 2, route="none", method="GET", status="401")
    found = counted(measured, 2, route="/healthz", method="GET", status="200")

    labels = {"route": "/healthz", "method": "GET"}
    assert of(found, "benchmaker_http_request_seconds_count", **labels) == 2
    assert of(found, "benchmaker_http_requests_open") >= 1


def test_routes_are_templates(home):
    with serving(home, works=False, metrics=True) as address:
        for name in ("one", "two", "three"):
            ask(address, path=f"/runs/{name}")
        counted(address, 3, route="/runs/{run}", method="GET", status="404")


def test_what_is_stored_is_counted(home):
    with Store.open(home / "benchmaker.db") as store:
        run = store.runs(limit=1)[0]
        outcomes = [store.outcomes([one.id])[one.id] for one in store.runs()]
        ask_for(store, "resume", run.series_id or run.id)
        ask_for(store, "<b>no kind of ours</b>", run.id)
    with serving(home, works=False, metrics=True) as address:
        found = figures(address)

    scored = sum(n for one in outcomes for name, n in one.items() if name == "scored")
    assert scored > 0
    assert of(found, "benchmaker_up") == 1
    assert of(found, "benchmaker_trials", outcome="scored") == scored
    assert of(found, "benchmaker_jobs", kind="resume", state="queued") == 1
    assert of(found, "benchmaker_jobs", kind="other", state="queued") == 1
    assert of(found, "benchmaker_queue_length", queue="jobs") == 2
    assert of(found, "benchmaker_store_bytes") > 10_000
    assert of(found, "benchmaker_sse_listeners") == 0
    assert of(found, "benchmaker_tokens", of="models", kind="output") is not None


def test_no_name_that_a_person_gave_is_a_label(home):
    with serving(home, works=False, metrics=True) as address:
        ask(address, path="/runs?q=some-words")
        body = ask(address, path="/metrics")[2]
        with Store.open(home / "benchmaker.db", read_only=True) as store:
            run = store.runs(limit=1)[0]
            texts = {run.id, run.suite_name, *run.models, "some-words", str(home)}
            texts |= {trial.text for trial in store.trials(run.id) if len(trial.text) > 8}

    assert [text for text in texts if text in body] == []


@pytest.mark.parametrize("headers", OUTSIDE, ids=[next(iter(one)) for one in OUTSIDE])
def test_what_a_proxy_hands_on_is_answered_with_nothing(measured, headers):
    status, _, body = ask(measured, path="/metrics", headers=headers)

    assert (status, body) == (404, "There is no such page.\n")


@pytest.mark.sqlite("it is the file that can't be made")
def test_a_store_that_can_not_be_read_leaves_the_rest(tmp_path):
    (tmp_path / "file").touch()
    with serving(tmp_path / "file" / "home", works=False, metrics=True) as address:
        found = figures(address)

    assert of(found, "benchmaker_up") == 0
    assert of(found, "benchmaker_trials", outcome="scored") is None
