"""Prices of ``prices.yaml`` for models that are programs, functions or registered providers."""

import asyncio
import json
import re
import shlex
import sys

import pytest

from benchmaker import PrerequisiteError, RunOptions, SpecError, estimate, run
from benchmaker.plugins import provider
from benchmaker.providers.live import Live
from benchmaker.record import Completion, Usage
from benchmaker.report.sentences.unknown_costs import unknown_cost_reason
from benchmaker.spec import Parameters
from benchmaker.testing import a_request
from tests.engine.run_data import sums

COUNTED = json.dumps({"output": "4", "usage": {"input_tokens": 1000, "output_tokens": 200}})
SHORT = {"max_tokens": 100}
BUDGET = RunOptions(max_cost_usd=1.0, concurrency=1, parameters=SHORT)


def program(output):
    return f"command:{shlex.quote(sys.executable)} -c {shlex.quote(f'print({output!r})')}"


def counted(_request):
    return Completion(text="4", usage=Usage(input_tokens=1000, output_tokens=200))


def plain(_request):
    return "4"


def function(name):
    return f"python:{__name__}:{name}"


def write_prices(home, **prices):
    home.mkdir(exist_ok=True)
    (home / "prices.yaml").write_text(json.dumps({"prices": prices}))


def costs(home, model, *, options=BUDGET):
    made = run(sums(2), models=[model], home=home, options=options)
    return [it.cost_usd for it in made.trials()]


def refusal(home, model):
    with pytest.raises(PrerequisiteError) as caught:
        costs(home, model)
    return caught.value


@pytest.mark.parametrize("model", [program(COUNTED), function("counted")])
def test_the_printed_price_makes_the_budget_work(tmp_path, model):
    found = refusal(tmp_path, model)
    assert "is unknown, so a budget can't be enforced" in found.message
    line = re.search(r"per million tokens: (.*?\}\})\.", found.hint)[1]
    (tmp_path / "prices.yaml").write_text(line)
    assert costs(tmp_path, model) == [pytest.approx((1000 * 1.25 + 200 * 10) / 1e6)] * 2


@pytest.mark.parametrize("model", [program("4"), function("plain")])
def test_the_printed_price_per_request_needs_no_tokens(tmp_path, model):
    line = re.search(r"price per request: (.*?\}\})\.", refusal(tmp_path, model).hint)[1]
    (tmp_path / "prices.yaml").write_text(line)
    assert costs(tmp_path, model) == [0.01] * 2


@pytest.mark.parametrize("name", ["command:*", "python:*", "*"])
def test_a_pattern_prices_programs(tmp_path, name):
    write_prices(tmp_path, **{name: {"input": 1, "output": 2}})
    model = function("counted") if name.startswith("python") else program(COUNTED)
    assert costs(tmp_path, model) == [pytest.approx(0.0014)] * 2


@pytest.mark.parametrize("model", [program("4"), program(COUNTED), function("plain")])
def test_rates_of_0_cost_nothing_with_and_without_tokens(tmp_path, model):
    write_prices(tmp_path, **{"*": {"input": 0, "output": 0}})
    assert costs(tmp_path, model, options=RunOptions(max_cost_usd=0.0)) == [0.0] * 2


def test_a_program_that_states_its_cost_is_believed(tmp_path):
    write_prices(tmp_path, **{"*": {"input": 0, "output": 0}})
    stated = program(json.dumps({"output": "4", "cost_usd": 0.25}))
    assert costs(tmp_path, stated) == [0.25] * 2


@pytest.mark.parametrize("model", [program("4"), function("plain")])
def test_without_tokens_the_cost_is_unknown_and_the_summary_says_why(tmp_path, model):
    write_prices(tmp_path, **{"*": {"input": 1, "output": 2}})
    made = run(sums(2), models=[model], home=tmp_path, options=BUDGET)
    assert [it.cost_usd for it in made.trials()] == [None, None]
    assert unknown_cost_reason(made.summary) == f"{model} reports no tokens"


def test_a_budget_used_up_by_unknown_costs_says_so(tmp_path):
    write_prices(tmp_path, **{"*": {"input": 0, "output": 10}})
    options = RunOptions(max_cost_usd=0.0015, concurrency=1, parameters=SHORT)
    made = run(sums(2), models=[function("plain")], home=tmp_path, options=options)
    assert made.halted == (
        "the budget of $0.0015 does not cover another request: $0.001 spent (1 request of unknown "
        "cost counts with its maximum, $0.001), and the next request may cost up to $0.001"
    )


def test_the_maximum_of_a_request_is_bounded_by_max_tokens(tmp_path):
    write_prices(tmp_path, **{"*": {"input": 0, "output": 10}})
    model = function("plain")
    live = Live([model], home=tmp_path)
    assert live.most_usd(a_request(model=model, parameters=Parameters(max_tokens=100))) == 0.001
    assert live.most_usd(a_request(model=model, parameters=Parameters(max_tokens=None))) == 10.0


def test_the_estimate_knows_the_prices_of_programs(tmp_path):
    model = function("plain")
    write_prices(tmp_path, **{model: {"input": 0, "output": 10}})
    (one,) = estimate(sums(2), models=model, parameters=SHORT, home=tmp_path).models
    assert one.cost_usd.high == pytest.approx(0.002)


def test_the_price_is_of_the_model_and_not_of_its_setup(tmp_path):
    model = function("counted")
    live = Live({"short": model}, home=tmp_path)
    assert live.most_usd(a_request(model="short")) is None
    write_prices(tmp_path, **{model: {"input": 0, "output": 0}})
    live = Live({"short": model}, home=tmp_path)
    assert live.most_usd(a_request(model="short")) == 0.0


@provider(id="priced_parrot")
class Parrot:
    """A provider without prices."""

    async def complete(self, request):
        return counted(request)


@provider(id="priced_dear")
class Dear(Parrot):
    def most_usd(self, _request):
        return 5.0


@pytest.fixture
def registered(tmp_path, monkeypatch):
    """The two providers, as an installed package registers them."""
    info = tmp_path / "site" / "bm_priced-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bm-priced\nVersion: 1.0\n")
    points = (
        f"priced_{cls.__name__.lower()} = {__name__}:{cls.__name__}" for cls in (Parrot, Dear)
    )
    (info / "entry_points.txt").write_text("\n".join(["[benchmaker.providers]", *points]))
    monkeypatch.syspath_prepend(info.parent)


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(("model", "most"), [("priced_parrot/x", 0.001), ("priced_dear/x", 5.0)])
def test_the_users_prices_apply_where_a_registered_provider_has_none(tmp_path, model, most):
    write_prices(tmp_path, **{"priced_*": {"input": 0, "output": 10}})
    live = Live([model], home=tmp_path)
    asked = a_request(model=model, parameters=Parameters(max_tokens=100))
    assert live.most_usd(asked) == most
    assert asyncio.run(live.complete(asked)).cost_usd == pytest.approx(0.002)


def test_a_provider_without_prices_gets_a_remedy_of_its_own(tmp_path):
    with pytest.raises(PrerequisiteError) as caught:
        run(sums(1), provider=Parrot(), models=["m"], home=tmp_path, options=BUDGET)
    assert caught.value.message == "the provider states no prices, so a budget can't be enforced."
    assert "most_usd" in caught.value.hint
    assert "prices.yaml" not in caught.value.hint


def test_a_wrong_price_is_named_at_the_start(tmp_path):
    write_prices(tmp_path, **{"python:*": {"input": 1}})
    with pytest.raises(SpecError, match=r"prices\.yaml"):
        costs(tmp_path, function("plain"))
