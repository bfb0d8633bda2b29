"""A run that ends at its budget says so, and is resumed with a higher one."""

import json
import re
import subprocess
import sys

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.waiting import until
from tests.web.answering import answering
from tests.web.aside import aside
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


def printed(home, *command):
    """What a command prints, in one line."""
    line = [sys.executable, "-m", "benchmaker", *command, "--home", str(home)]
    done = subprocess.run(line, capture_output=True, check=True, text=True)
    return " ".join(done.stdout.split())


def test_a_run_that_no_server_began_says_so_on_every_surface(tmp_path):
    suite = benchmaker.Suite(
        "sums", [benchmaker.Case(id=f"c{n}", prompt="6 * 7?", expected="42") for n in range(CASES)],
        scorer="numeric",
    )  # fmt: skip
    with answering() as models:
        models.usage = {"prompt_tokens": 10, "completion_tokens": 1_000, "total_tokens": 1_010}
        environ = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": models.url}
        name = "openai/gpt-4o-mini"
        made = aside(
            benchmaker.run, suite, models=[name], home=tmp_path, environ=environ,
            options=RunOptions(max_cost_usd=BUDGET),
        )  # fmt: skip
        (run,) = made.run_ids
        left = CASES - len(models.asked)
        end = made.runs[0].budget_end
        assert end.usd == BUDGET
        assert end.reason == made.halted
        with serving(tmp_path, works=False) as address:
            said = f"Stopped at its budget of $0.0025: raise it to run the remaining {left} trials."
            for path in (f"/arena/{run}", "/", "/runs"):
                assert said in page(address, path), path
            assert "Stopped at its budget of $0.0025." in page(address, f"/runs/{run}")
        assert "Stopped at its budget of $0.0025." in printed(tmp_path, "results", run)
        assert "interrupted at its budget" in printed(tmp_path, "runs")
        (row,) = json.loads(printed(tmp_path, "runs", "--json"))["runs"]
        assert row["budget_end"] == {"usd": BUDGET, "reason": made.halted}
        resumed = aside(
            benchmaker.resume, run, home=tmp_path, environ=environ,
            options=RunOptions(max_cost_usd=1.0),
        )  # fmt: skip
    assert resumed.runs[0].budget_end is None
    assert "at its budget" not in printed(tmp_path, "runs")
