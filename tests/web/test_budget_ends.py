"""A run that ends at its budget says so, and is resumed with a higher one."""

import re

import pytest

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.waiting import until
from tests.web.answering import answering
from tests.web.plain_figures import text_of
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_arena_control import posted
from tests.web.test_arena_live import begun, put

pytestmark = pytest.mark.long

CASES, BUDGET = 6, 0.0025


def state_of(home, name):
    with Store.open(home / STORE_FILE, read_only=True) as store:
        job = store.jobs.find_newest(name)
        return "open" if job.is_open else str(store.run(name).state)


def page(address, path):
    return " ".join(text_of(fetched(address + path)[2].decode()).split())


def test_a_run_that_reached_its_budget_says_so_and_is_resumed_with_another(tmp_path):
    suite = put(tmp_path, cases=CASES)
    with answering() as models:
        models.usage = {"prompt_tokens": 10, "completion_tokens": 1_000, "total_tokens": 1_010}
        environ = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": models.url}
        with serving(tmp_path, environ=environ) as address:
            name = begun(address, suite, ["openai/gpt-4o-mini"], max_cost=BUDGET)
            until(lambda: state_of(tmp_path, name) == "interrupted")
            left = CASES - len(models.asked)
            assert 0 < left < CASES
            said = f"Stopped at its budget of $0.0025: raise it to run the remaining {left} trials."
            for path in (f"/arena/{name}", "/", "/runs"):
                assert said in page(address, path), path
            live = fetched(f"{address}/arena/{name}")[2].decode()
            assert "does not cover another request" in live
            assert f"remaining {left} trials. The budget" in page(address, f"/arena/{name}")
            form = re.search(r'action="/arena/[^"]*/resume".*?</form>', live, re.DOTALL)[0]
            assert 'name="max_cost"' in form
            assert posted(address, f"/arena/{name}/resume", max_cost="-1")[0] == 422
            assert posted(address, f"/arena/{name}/resume", max_cost="1")[0] == 303
            until(lambda: state_of(tmp_path, name) == "finished")
            assert len(models.asked) == CASES
            for path in (f"/arena/{name}", "/", "/runs"):
                assert "Stopped at its budget" not in page(address, path), path
            assert "trials/s" not in page(address, f"/arena/{name}")


def test_a_budget_set_by_hand_is_named_until_another_one_is_set(tmp_path):
    suite = put(tmp_path, cases=CASES)
    with answering() as models:
        models.usage = {"prompt_tokens": 10, "completion_tokens": 1_000, "total_tokens": 1_010}
        models.flows.clear()
        environ = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": models.url}
        with serving(tmp_path, environ=environ) as address:
            name = begun(address, suite, ["openai/gpt-4o-mini"], concurrency=1)
            until(lambda: len(models.asked) == 1)
            assert posted(address, f"/arena/{name}/control", max_cost=str(BUDGET))[0] == 303
            until(lambda: "Last change: the budget is $0.0025" in page(address, f"/arena/{name}"))
            models.flows.set()
            until(lambda: state_of(tmp_path, name) == "interrupted")
            assert "Last change: the budget is $0.0025" in page(address, f"/arena/{name}")
            models.flows.clear()
            assert posted(address, f"/arena/{name}/resume", max_cost="1")[0] == 303
            until(lambda: state_of(tmp_path, name) == "open")
            assert "Last change" not in page(address, f"/arena/{name}")
            models.flows.set()
            until(lambda: state_of(tmp_path, name) == "finished")
            assert "Last change" not in page(address, f"/arena/{name}")
