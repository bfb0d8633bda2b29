"""The Arena plans, prices and sends the same as ``benchmaker.run`` with the same choice."""

import html
import json
import re
from urllib.parse import urlencode

import pytest

import benchmaker
from benchmaker import Case, Parameters, RunOptions, Suite
from benchmaker.arenas import standard
from benchmaker.record.dollars import dollar_range
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.waiting import until
from tests.web.answering import answering
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.stored import put
from tests.web.test_arena import posted

pytestmark = pytest.mark.long

PROMPTS = [{"id": one, "prompt": f"{one}: {{{{ n }}}}?"} for one in ("plain", "steps")]
EFFORTS = ("none", "high")
PARAMETERS = (
    Parameters(),
    Parameters(max_tokens=2048),
    Parameters(max_tokens=6000, temperature=0.2),
)
TYPED = ({}, {"max_tokens": 2048}, {"top_p": 1, "max_tokens": 300})
CHOICES = [(own, typed) for own in PARAMETERS for typed in TYPED]


def a_suite(parameters):
    cases = [Case(id=f"c{n}", vars={"n": n}, expected="42") for n in range(2)]
    return Suite("sums", cases, scorer="numeric", prompts=PROMPTS, parameters=parameters)


def fields_of(suite, models, typed):
    return {"suite": suite, "models": ",".join(models), "efforts": ",".join(EFFORTS), **typed}


@pytest.mark.parametrize(("own", "typed"), CHOICES)
def test_the_page_shows_the_estimate_of_the_command(tmp_path, own, typed):
    models = ["openai/gpt-5", "openai/gpt-5-mini"]
    suite = put(tmp_path, a_suite(own))[0]
    options = RunOptions(efforts=EFFORTS, parameters=typed)
    made = standard.estimate(a_suite(own), models=models, home=tmp_path, options=options)
    with serving(tmp_path, works=False) as address:
        words = urlencode(fields_of(suite, models, typed))
        body = html.unescape(fetched(f"{address}/arena?{words}")[2].decode())
    shown = " ".join(re.sub(r"<[^>]+>", "", body).split())
    assert f"an estimated {dollar_range(made.cost_usd.low, made.cost_usd.high)}" in shown
    assert "2 cases × 8 setups × 1 run = 16 trials" in shown


def test_the_page_sends_the_requests_of_the_command(tmp_path):
    for own, typed in CHOICES[:2] + CHOICES[3:4]:
        by_command = sent_by_command(tmp_path / "own", own, typed)
        assert sent_by_page(tmp_path / "page", own, typed) == by_command


def sent_by_command(home, own, typed):
    options = RunOptions(efforts=EFFORTS, parameters=typed)
    with answering() as models:
        names = [f"{models.url}#{name}" for name in ("small", "large")]
        benchmaker.run(a_suite(own), models=names, home=home, options=options)
        return in_order(models.bodies)


def sent_by_page(home, own, typed):
    suite = put(home, a_suite(own))[0]
    with answering() as models, serving(home) as address:
        names = [f"{models.url}#{name}" for name in ("small", "large")]
        page = fetched(f"{address}/arena?{urlencode({'suite': suite})}")[2].decode()
        filled_in = dict(re.findall(r'type="text"[^>]* name="(\w+)" value="([^"]*)"', page))
        form = {"set": 1, **filled_in, **fields_of(suite, names, typed)}
        target = posted(address, form)
        with Store.open(home / STORE_FILE) as store:
            until(lambda: store.run(target).state == "finished")
        return in_order(models.bodies)


def in_order(bodies):
    return sorted(json.dumps(one, sort_keys=True) for one in bodies)
