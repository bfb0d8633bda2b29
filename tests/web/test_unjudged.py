"""A run page offers to judge again what got no judgment, without a command of a terminal."""

import pytest

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import BadResponse
from benchmaker.providers.scripted import Scripted
from benchmaker.testing.judges import judge_script
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving


@pytest.fixture
def unjudged(tmp_path):
    """A data folder with a run whose judge never replied; the run's id."""
    cases = [Case(id=f"c{at}", prompt=f"question {at}", expected="right") for at in range(3)]
    made = aside(
        benchmaker.run,
        Suite("judged", cases, scorer=ScorerSpec(id="llm_judge"), profile="robust"),
        provider=Scripted(lambda _: "an answer", models=["made/one"]),
        models=["made/one"],
        judge_provider=Scripted(judge_script(lambda _: BadResponse("cut off"))),
        home=tmp_path,
        options=RunOptions(
            judge="made/judge", limits=RunLimits(retry=Retry(base_s=0.001, empty_s=0.001))
        ),
    )
    return tmp_path, made.run_ids[0]


def test_the_page_has_a_button_in_place_of_the_command(unjudged):
    home, run = unjudged
    with serving(home) as address:
        page = fetched(f"{address}/runs/{run}")[2].decode()

    assert "Incomplete: 3 of 3 answers to be judged (100.0%) have no judgment." in page
    assert page.count("have no judgment") == 1
    assert "benchmaker resume" not in page
    assert f'action="/arena/{run}/resume"' in page
    assert "Judge 3 answers again</button>" in page
