"""The lists of models of the user's own endpoints."""

import pytest

from benchmaker.providers.model_lists import KEPT_S, OwnModelLists
from tests.waiting import until
from tests.web.answering import answering


@pytest.fixture
def models():
    with answering() as found:
        yield found


def _endpoint(name, url, **more):
    return f"  {name}: " + str({"base_url": url, "local": True, **more}).replace("True", "true")


def _write(home, *endpoints):
    (home / "endpoints.yaml").write_text("endpoints:\n" + "\n".join(endpoints) + "\n")


def test_the_models_of_all_own_endpoints_are_listed_by_model_string(tmp_path, models):
    _write(tmp_path, _endpoint("one", models.url), _endpoint("two", models.url))
    found = OwnModelLists().find(tmp_path, environ={})
    assert sorted(found) == ["one/large", "one/small", "two/large", "two/small"]
    assert found["one/small"].context_tokens == 8_192


def test_without_own_endpoints_nothing_is_requested(tmp_path):
    assert OwnModelLists().find(tmp_path, environ={"OPENAI_API_KEY": "x"}) == {}


def test_an_endpoint_without_its_key_is_omitted(tmp_path, models):
    _write(tmp_path, _endpoint("one", models.url, key="ONE_KEY"))
    lists = OwnModelLists()
    assert lists.find(tmp_path, environ={}) == {}
    assert models.lists == 0
    assert "one/small" in lists.find(tmp_path, environ={"ONE_KEY": "secret"})


def test_a_list_is_requested_once_a_minute(tmp_path, models):
    now = [0.0]
    _write(tmp_path, _endpoint("one", models.url))
    lists = OwnModelLists(clock=lambda: now[0])
    for now[0] in (0.0, 1.0, KEPT_S - 1):
        assert len(lists.find(tmp_path, environ={})) == 2
    assert models.lists == 1
    now[0] = KEPT_S
    lists.find(tmp_path, environ={})
    assert models.lists == 2


def test_a_failing_endpoint_hides_no_other(tmp_path, models):
    _write(tmp_path, _endpoint("down", "http://127.0.0.1:9"), _endpoint("up", models.url))
    assert sorted(OwnModelLists().find(tmp_path, environ={})) == ["up/large", "up/small"]


def test_a_slow_list_is_there_for_a_later_search(tmp_path, models):
    models.flows.clear()
    _write(tmp_path, _endpoint("one", models.url))
    lists = OwnModelLists()
    assert lists.find(tmp_path, environ={}, patience_s=0.05) == {}
    models.flows.set()
    until(lambda: len(lists.find(tmp_path, environ={}, patience_s=0.05)) == 2)
    assert models.lists == 1
