"""Live models through the public functions, against a local server that speaks the protocol."""

import asyncio

import pytest

from benchmaker import PrerequisiteError, RunOptions, SpecError, resume, run
from benchmaker.analysis.columns import columns_of
from benchmaker.analysis.comparison.case_costs import case_costs, cost_table
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.record import Outcome
from benchmaker.spec import Parameters
from tests.call_keywords import call_keywords
from tests.live.faulty import FaultyServer
from tests.live.runs import a_suite, environ_for

QUICK = RunLimits(retry=Retry(base_s=0.02, empty_s=0.01))
PRICES = """
prices:
  openai/plain: {input: 1000.0, output: 1000.0}
"""


@pytest.fixture(scope="module")
def server():
    with FaultyServer() as started:
        yield started


@pytest.fixture
def key(request):
    return f"sk-proj-{abs(hash(request.node.nodeid)):x}-0000"


@pytest.fixture
def asked(server, key, tmp_path):
    """Runs live models against the server, with this test's own key."""

    def ask(models=("openai/plain",), cases=3, **options):
        return run(
            a_suite(cases),
            models=models,
            environ=environ_for(server, key),
            home=tmp_path,
            **call_keywords({"limits": QUICK} | options),
        )

    return ask


def test_models_are_asked_by_their_names(asked, server, key):
    result = asked(["openai/plain", "anthropic/plain"])
    [recorded] = result.runs

    assert result.is_finished
    assert (result.mean("openai/plain"), result.mean("anthropic/plain")) == (1.0, 1.0)
    assert len(server.settled(key=key)) == 6
    assert recorded.provider["kind"] == "live"
    assert key not in str(recorded)
    assert recorded.price_version.startswith("genai-prices")


def test_an_answer_has_its_times_and_tokens(asked):
    [trial] = asked(cases=1).trials()
    [attempt] = trial.attempts

    assert 0 < attempt.first_byte_s <= attempt.last_byte_s
    assert trial.completion.first_byte_s == attempt.first_byte_s
    assert trial.completion.usage.output_tokens > 0


def test_benchmark_mode_locks_and_says_so(asked):
    [recorded] = asked(benchmark_mode=True).runs

    assert recorded.benchmark_mode
    assert recorded.parameters["temperature"] == 0.0
    assert recorded.notes == ("Benchmark Mode: set to 0 instead of temperature 0.7",)


@pytest.mark.parametrize("given", [{"max_tokens": 7}, Parameters(max_tokens=7)])
def test_parameters_stand_in_for_the_suites(asked, given):
    [recorded] = asked(parameters=given).runs

    assert recorded.parameters["max_tokens"] == 7
    assert recorded.parameters["temperature"] == 0.7


@pytest.mark.parametrize("path", ["", "/v1", "/v1/", "/v1/chat/completions"])
def test_a_base_url_of_chat_completions_may_say_more_or_less(server, key, tmp_path, path):
    environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.url + path}
    result = run(
        a_suite(1),
        models=["openai/plain"],
        environ=environ,
        home=tmp_path,
        options=RunOptions(limits=QUICK),
    )
    assert result.mean("openai/plain") == 1.0


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/messages"])
def test_a_base_url_of_messages_may_say_more_or_less(server, key, tmp_path, path):
    environ = {"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": server.url + path}
    result = run(
        a_suite(1),
        models=["anthropic/plain"],
        environ=environ,
        home=tmp_path,
        options=RunOptions(limits=QUICK),
    )
    assert result.mean("anthropic/plain") == 1.0


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("openai/fault:http_401", "Check that OPENAI_API_KEY"),
        ("anthropic/fault:http_401", "Check that ANTHROPIC_API_KEY"),
        ("openai/fault:http_404", "benchmaker models openai"),
        ("openai/fault:http_400", "--temperature none"),
    ],
)
def test_a_refusal_says_what_to_do(asked, model, words):
    [trial] = asked([model], cases=1, retries=0).trials()
    assert words in trial.error


def test_http_on_a_port_of_another_scheme_names_the_other(server, key, tmp_path):
    url = server.url.replace("http:", "https:") + "/v1"
    environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": url}
    result = run(
        a_suite(1),
        models=["openai/plain"],
        environ=environ,
        home=tmp_path,
        options=RunOptions(limits=QUICK),
    )
    [trial] = result.trials()
    assert f"set OPENAI_BASE_URL to {server.openai_url}" in trial.error


@pytest.mark.parametrize("wrong", [{"temprature": 0}, {"temperature": 9}])
def test_wrong_parameters_are_refused_before_anything_is_sent(asked, server, key, wrong):
    with pytest.raises(SpecError, match="invalid parameters"):
        asked(parameters=wrong)

    assert server.journal.entries(key=key) == []


def test_a_missing_key_is_refused_before_anything_is_sent(tmp_path):
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY") as caught:
        run(a_suite(), models=["openai/plain"], home=tmp_path)

    assert "environ=os.environ" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_key_is_left_out_where_that_is_wanted(asked):
    result = asked(["openai/plain", "groq/plain"], skip_unavailable=True)

    assert result.models == ("openai/plain",)
    assert "skipped groq/plain: no key" in result.runs[0].notes[0]


def test_a_key_in_a_dotenv_file_is_used(server, key, tmp_path):
    (tmp_path / ".env").write_text(
        f"OPENAI_API_KEY={key}\nOPENAI_BASE_URL={server.openai_url}\n", encoding="utf-8"
    )
    result = run(
        a_suite(),
        models=["openai/plain"],
        home=tmp_path / "home",
        options=RunOptions(dotenv=tmp_path / ".env"),
    )

    assert result.mean("openai/plain") == 1.0


def test_a_budget_needs_prices(asked, server, key):
    with pytest.raises(PrerequisiteError, match="openai/plain"):
        asked(max_cost_usd=1.0)

    assert server.journal.entries(key=key) == []


def test_a_budget_stops_a_run_which_can_be_resumed_with_more(asked, server, key, tmp_path):
    (tmp_path / "prices.yaml").write_text(PRICES, encoding="utf-8")
    small = {"max_tokens": 100}
    result = asked(cases=40, max_cost_usd=0.25, concurrency=2, parameters=small)
    spent = sum(trial.cost_usd for trial in result.trials())

    assert not result.is_finished
    assert "does not cover another request" in result.halted
    assert 0 < spent <= 0.25
    again = resume(home=tmp_path, environ=environ_for(server, key))
    assert again.halted
    assert len(server.settled(key=key)) == len(list(result.trials()))
    more = resume(
        home=tmp_path, environ=environ_for(server, key), options=RunOptions(max_cost_usd=1000.0)
    )
    assert more.is_finished


def test_a_timeout_holds_for_each_request_and_for_the_resumed_run(asked, server, key, tmp_path):
    result = asked(["openai/fault:hang"], cases=1, timeouts=0.2, retries=0)
    [trial] = result.trials()
    again = resume(
        home=tmp_path, environ=environ_for(server, key), options=RunOptions(retry_failed=True)
    )
    [after] = again.trials()

    assert (trial.outcome, len(trial.attempts)) == (Outcome.TIMEOUT, 1)
    assert (after.outcome, len(after.attempts)) == (Outcome.TIMEOUT, 2)


@pytest.mark.parametrize("timeouts", [0, -1.5])
def test_a_timeout_without_time_is_refused(asked, timeouts):
    with pytest.raises(SpecError, match="timeout"):
        asked(timeouts=timeouts)


def test_what_failed_is_asked_again_when_resumed_so(asked, server, key, tmp_path):
    result = asked(["openai/fault:http_500:2"], retries=1)
    again = resume(
        home=tmp_path, environ=environ_for(server, key), options=RunOptions(retry_failed=True)
    )
    trials = list(again.trials())

    assert {trial.outcome for trial in result.trials()} <= {Outcome.SCORED, Outcome.PROVIDER_ERROR}
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert again.run_ids == result.run_ids


def test_the_cache_answers_a_second_run(asked, server, key):
    first = asked(cache=True)
    second = asked(cache=True)

    assert len(server.settled(key=key)) == 3
    assert second.mean("openai/plain") == first.mean("openai/plain")
    assert second.summary.models[0].flags["cache_hit"] == 3
    assert second.summary.models[0].cost_usd == 0.0


def test_cached_answers_keep_the_cost_of_a_case(asked, tmp_path):
    (tmp_path / "prices.yaml").write_text(PRICES, encoding="utf-8")
    first, second = asked(cache=True), asked(cache=True)
    costs = [case_costs(cost_table(columns_of(it)), 0.95) for it in (first, second)]

    assert second.summary.spending.usd == 0.0
    assert costs[0]["openai/plain"].usd > 0
    assert costs[0] == costs[1]


def test_a_series_asks_anew_in_every_run_with_one_budget(asked, server, key, tmp_path):
    (tmp_path / "prices.yaml").write_text(PRICES, encoding="utf-8")
    result = asked(cases=2, runs=3, max_cost_usd=1000.0, cache=True)

    assert len(result.run_ids) == 3
    assert len(server.settled(key=key)) == 6


def test_a_run_that_goes_on_elsewhere_says_so(asked, key, tmp_path):
    stop = asyncio.Event()
    asked(cases=9, concurrency=1, stop=stop, on_progress=lambda _: stop.set())
    with FaultyServer() as other:
        result = resume(
            home=tmp_path, environ=environ_for(other, key), options=RunOptions(limits=QUICK)
        )
        answered = len(other.settled(key=key))

    assert result.is_finished
    assert (answered > 0) == any("changed base URL" in note for note in result.runs[0].notes)


def test_without_anybody_to_ask_a_run_is_refused(tmp_path):
    with pytest.raises(SpecError, match="no model and no answers given"):
        run(a_suite(), home=tmp_path)
