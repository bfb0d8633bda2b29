"""Models, prompts and efforts of a suite through the API."""

import pytest

from benchmaker.store import Store
from tests.web.api.asking import Client
from tests.web.serving import serving

SUITE = {
    "name": "prompted",
    "profile": "robust",
    "scorer": {"id": "exact"},
    "vars": {"unit": "km"},
    "models": ["ollama/a", {"model": "ollama/b", "label": "cold", "parameters": {"top_k": 4}}],
    "prompts": [{"id": "p", "prompt": "P {{ n }} {{ unit }}"}, "Q {{ n }}"],
    "efforts": ["low", "high"],
    "cases": [{"id": "a", "vars": {"n": [1, 2]}, "expected": "{{ n }}"}],
}


@pytest.fixture
def idle(own_home):
    """A server over a copy that carries nothing out."""
    with serving(own_home, works=False) as address:
        yield Client(address)


def test_a_suite_with_prompts_reads_back(idle):
    made = idle.post("/suites", SUITE, status=201)
    assert [one["id"] for one in made["prompts"]] == ["p", "prompt-2"]
    assert (made["efforts"], made["vars"], made["cases"]) == (["low", "high"], {"unit": "km"}, 2)
    path = f"/suites/{made['suite_hash']}"
    cases = [row["case"] for row in idle.rows(f"{path}/cases")]
    assert [(one["id"], one["expected"], one["group"]) for one in cases] == [
        ("a/1", "1", "a"),
        ("a/2", "2", "a"),
    ]
    text = idle.ask("GET", f"{path}/export.yaml").body
    again = idle.upload("/suites/import", "again.yaml", text)
    assert again.data["suite_hash"] == made["suite_hash"]


def test_a_case_of_a_suite_with_prompts_needs_no_prompt(idle):
    made = idle.post("/suites", SUITE, status=201)["suite_hash"]
    added = idle.post(
        f"/suites/{made}/cases", {"id": "b", "vars": {"n": 3}, "expected": "{{ n }}"}, status=201
    )
    assert idle.get(f"/suites/{added['suite_hash']}/cases/3")["case"]["expected"] == "3"
    newest = added["suite_hash"]
    lacking = idle.ask("POST", f"/suites/{newest}/cases", body={"id": "c", "expected": "x"})
    assert lacking.status == 422
    assert "undefined variable 'n'" in lacking.error["message"]


def test_another_header_keeps_prompts_and_variables(idle):
    made = idle.post("/suites", SUITE, status=201)["suite_hash"]
    changed = idle.ask("PATCH", f"/suites/{made}", body={"description": "Towns"}).data
    assert changed["prompts"][0]["prompt"] == "P {{ n }} {{ unit }}"
    assert changed["models"][1]["label"] == "cold"


def test_a_run_takes_the_suites_models_and_the_chosen_prompts_and_efforts(idle, own_home):
    content = idle.post("/suites", SUITE, status=201)["suite_hash"]
    order = {"suite": content, "prompts": ["p"], "efforts": ["high"]}
    (run,) = idle.post("/runs", order, status=202)["run_ids"]
    with Store.open(own_home / "benchmaker.db", read_only=True) as store:
        stored = store.run(run)
    assert stored.models == ("ollama/a · p · high", "cold · p · high")
    assert stored.setup("cold · p · high").parameters["top_k"] == 4
    assert stored.planned == 4
    estimated = idle.post("/runs/estimate", order)
    assert [one["model"] for one in estimated["models"]] == list(stored.models)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"prompts": ["z"]}, "has no prompt 'z'"),
        ({"efforts": ["lots"]}, "unknown effort 'lots'"),
    ],
)
def test_an_unknown_prompt_or_effort_is_refused(idle, order, words):
    content = idle.post("/suites", SUITE, status=201)["suite_hash"]
    found = idle.ask("POST", "/runs", body={"suite": content, **order})
    assert found.status == 422
    assert words in found.error["message"]


@pytest.mark.parametrize("chosen", [[], ["x"]])
def test_a_program_among_the_models_of_a_suite_is_not_started(idle, chosen):
    suite = SUITE | {"models": [{"model": "command:touch owned", "label": "x"}]}
    content = idle.post("/suites", suite, status=201)["suite_hash"]
    found = idle.ask("POST", "/runs", body={"suite": content, "models": chosen})
    assert found.status == 422
    assert "starts a program" in found.error["message"]
