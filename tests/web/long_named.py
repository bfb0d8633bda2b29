"""A data folder whose models have long names, with results of 0, 1, 288 and 100,008 trials."""

from dataclasses import dataclass, replace
from pathlib import Path

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.providers.base import Completion, Request
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Run, RunState, Usage
from benchmaker.record.submissions.submission import System
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.web.agent_series_data import a_system, put_series
from tests.web.illustrated import PAGES, SYSTEMS, Names, code_run, illustrated, improved_run
from tests.web.results_data import many_cases_home

MODELS = (
    "openrouter/anthropic/claude-sonnet-4.5-20250929",
    "openrouter/openai/gpt-5.1-codex-max-2025-11-13",
    "openrouter/google/gemini-3-pro-preview-11-2025",
    "bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0",
    "together_ai/meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    "fireworks_ai/accounts/fireworks/models/deepseek-v3p1-terminus",
    "openrouter/mistralai/mistral-medium-3.1-2508-instruct",
    "openrouter/qwen/qwen3-235b-a22b-thinking-2507",
    "openrouter/x-ai/grok-4-fast-reasoning-2025-09",
    "azure/prod-eastus2/gpt-4.1-mini-2025-04-14",
    "vertex_ai/mistral-large-instruct-2411-v2",
    "ollama/phi-4-reasoning-plus-14b-q8_0-instruct",
)
TASKS = ("repair-the-parser-of-configuration-files", "migrate-the-accounts-of-the-spring")
SUITE = "customer-support-triage-of-the-spring"
HARNESS = "openhands-software-agent"
AGENTS = "agents-20261121-5w8n4r"
CASES, MANY = 24, 8_334
AT = "2026-11-20T14:02:00.000Z"


@dataclass(frozen=True, slots=True)
class LongNamed:
    """What is stored: names for the list of pages, and a run of one trial.

    Runs of no trial and of 100,008 have the ids ``none`` and ``many-1``.
    """

    names: Names
    one: str


def long_named(home: Path) -> LongNamed:
    """Store what every page shows, and after it the same with long names."""
    known = illustrated(home)
    before, suite = _run(home, SUITE, 0)
    after, _ = _run(home, SUITE, 1)
    series = _series(home)
    many_cases_home(home, MANY, names=MODELS)
    one, single = _run(home, "one-case", 0, cases=1, models=MODELS[:1])
    code = code_run(home, PAGES, MODELS)
    names = replace(
        known, run=after, other_run=before, series=series, suite=suite, suite_before=suite,
        code=code, improved=improved_run(home, code), submissions=_submissions(home),
        task=TASKS[0], agent_series=AGENTS, agent_trial=_agents(home),
    )  # fmt: skip
    _put_empty_run(home, single)
    return LongNamed(names, one)


def _run(
    home: Path, name: str, when: int, cases: int = CASES, models: tuple[str, ...] = MODELS
) -> tuple[str, str]:
    """The id of a run, and of its suite."""
    provider = Scripted(lambda request: _answer(request, when), models=models)
    made = benchmaker.run(_suite(name, cases), provider=provider, models=list(models), home=home)
    return made.run_ids[0], made.runs[0].suite_hash


def _series(home: Path) -> str:
    provider = Scripted(lambda request: _answer(request, request.run), models=MODELS)
    options = RunOptions(runs=2)
    made = benchmaker.run(_suite("repeated", 12), provider=provider, home=home, options=options)
    return str(made.series_id)


def _suite(name: str, cases: int) -> Suite:
    asked = [
        Case(id=f"c{at}", prompt=f"{at} + 7?", expected=str(at + 7), category=f"sums-{at % 3}")
        for at in range(cases)
    ]
    return Suite(name, asked, scorer="numeric", profile="robust")


def _answer(request: Request, when: int) -> Completion:
    rank, case = MODELS.index(request.model), int(request.case_id[1:])
    is_right = (case * 7 + rank * 5 + when) % 13 > rank % 5
    text = f"First {case}, then 7. The answer is {case + 7 if is_right else case + 70}."
    usage = Usage(input_tokens=123_456 + case, output_tokens=98_765)
    return Completion(text=text, cost_usd=1.2345 * (rank + 1), usage=usage)


def _put_empty_run(home: Path, suite: str) -> None:
    """A run that was interrupted before its first trial."""
    run = Run(
        id="none", suite_hash=suite, suite_name="one-case", models=MODELS, profile="robust",
        profile_version="2", planned=12, started_at=AT,
    )  # fmt: skip
    with Store.open(home / STORE_FILE) as store:
        store.add_run(run)
        store.set_run_state(run.id, RunState.INTERRUPTED, finished_at=AT)


def _submissions(home: Path) -> tuple[int, int, int]:
    """The numbers of three submissions, the last of which has a trace."""
    made = [
        a_submission(
            at,
            task=TASKS[at % 2],
            category="configuration",
            system=System(harness=HARNESS, model=MODELS[at % len(MODELS)], effort="high"),
        )
        for at in range(200, 224)  # others have the ids before
    ]
    benchmaker.evaluate(write_submissions(home.with_name("long.jsonl"), made), home=home)
    with Store.open(home / STORE_FILE) as store:
        by_harness = {one.system.harness: one.id for one in store.submissions()}
        long, short = by_harness[HARNESS], by_harness[SYSTEMS[0].harness]
        wanted = [long, short, by_harness["claude-code"]]
        found = store.submission_pages.numbers(wanted)
    first, second, last = (found[one] for one in wanted)
    return first, second, last


def _agents(home: Path) -> int:
    """The number of a trial of a series of agents."""
    systems = [a_system(HARNESS, model, "high") for model in MODELS]
    with Store.open(home / STORE_FILE) as store:
        return put_series(store, AGENTS, TASKS, systems, left=5)
