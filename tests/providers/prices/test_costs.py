import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version

import pytest
from genai_prices import Usage as Listed
from genai_prices import calc_price
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.providers.endpoints.endpoints import endpoint_table
from benchmaker.providers.prices.costs import Prices, Tariff
from benchmaker.record import Usage

WHEN = datetime(2026, 10, 20, 6, 0, tzinfo=UTC)
KNOWN = [
    ("openai", "gpt-4o-mini"),
    ("anthropic", "claude-sonnet-4-5"),
    ("google", "gemini-2.5-pro"),
    ("mistral", "mistral-large-latest"),
    ("groq", "llama-3.3-70b-versatile"),
    ("deepseek", "deepseek-chat"),
    ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
    ("xai", "grok-4"),
    ("openrouter", "openai/gpt-4o"),
]
COUNTS = st.integers(0, 400_000)


def tariff(endpoint, model, home=None) -> Tariff:
    return Prices(home).tariff(endpoint_table()[endpoint], model, requested=f"{endpoint}/{model}")


@pytest.mark.parametrize(("endpoint", "model"), KNOWN)
@settings(max_examples=20, deadline=None)
@given(counts=st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
def test_a_cost_is_what_the_price_list_itself_computes(endpoint, model, counts):
    plain, read, short, output = counts
    ours = tariff(endpoint, model).cost_usd(
        Usage(
            input_tokens=plain,
            cache_read_tokens=read,
            cache_write_5m_tokens=short,
            output_tokens=output,
        ),
        WHEN,
    )
    theirs = calc_price(
        Listed(
            input_tokens=plain + read + short,
            cache_read_tokens=read,
            cache_write_tokens=short,
            output_tokens=output,
        ),
        model,
        provider_id=endpoint_table()[endpoint].prices,
        genai_request_timestamp=WHEN,
    )
    assert ours == pytest.approx(float(theirs.total_price), rel=1e-12)


def test_an_hours_cache_has_its_own_rate():
    card = tariff("anthropic", "claude-sonnet-4-5").card(WHEN)
    assert card.cache_write_1h.usd > card.cache_write.usd > card.input.usd > card.cache_read.usd


def test_a_price_may_depend_on_the_hour():
    found = tariff("deepseek", "deepseek-chat")
    rates = {found.card(WHEN.replace(hour=hour)).input.usd for hour in range(24)}
    assert len(rates) == 2


def test_an_unknown_model_has_an_unknown_cost():
    found = tariff("openai", "no-such-model-at-all")
    assert found.cost_usd(Usage(input_tokens=1, output_tokens=1)) is None
    assert found.card() is None


@pytest.mark.parametrize("endpoint", ["ollama", "vllm", "lmstudio"])
def test_a_local_model_has_an_unknown_cost_and_no_list_is_read(endpoint):
    found = tariff(endpoint, "gpt-4o-mini")
    assert found.is_ready
    assert found.cost_usd(Usage(input_tokens=1, output_tokens=1)) is None


def test_the_users_prices_go_first(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "prices:\n  ollama/*: {input: 1, output: 2}\n  openai/gpt-4o-mini: {input: 7, output: 8}\n"
    )
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    assert tariff("ollama", "llama3", tmp_path).cost_usd(usage) == 3.0
    assert tariff("openai", "gpt-4o-mini", tmp_path).cost_usd(usage) == 15.0
    assert tariff("openai", "gpt-4o", tmp_path).cost_usd(usage) == 12.5


def test_the_version_names_the_package_and_the_users_file(tmp_path):
    assert Prices().version == f"genai-prices {version('genai-prices')}"
    (tmp_path / "prices.yaml").write_text("prices: {}\n")
    assert "+ prices.yaml " in Prices(tmp_path).version


def test_the_context_is_what_the_list_says():
    assert tariff("openai", "gpt-4o-mini").context_tokens == 128_000
    assert tariff("ollama", "llama3").context_tokens is None


def test_the_list_is_loaded_when_a_price_is_needed_and_starts_nothing():
    program = (
        "import sys, threading\n"
        "from benchmaker.providers.endpoints.endpoints import endpoint_table\n"
        "from benchmaker.providers.prices.costs import Prices\n"
        "found = Prices().tariff(endpoint_table()['openai'], 'gpt-4o-mini', requested='')\n"
        "assert 'genai_prices' not in sys.modules\n"
        "assert found.card().input.usd > 0\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
