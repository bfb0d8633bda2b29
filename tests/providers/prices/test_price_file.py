import pytest

from benchmaker.errors import SpecError
from benchmaker.providers.prices.price_file import OwnPrices
from benchmaker.record import Usage

TEXT = """
prices:
  lab/big:
    input: 1.5
    output: 6
    cache_read: 0.15
    request: 0.001
    above:
      - {tokens: 1000, input: 3, output: 12}
  lab/*: {input: 0, output: 0}
"""


def read(tmp_path, text=TEXT) -> OwnPrices:
    (tmp_path / "prices.yaml").write_text(text, encoding="utf-8")
    return OwnPrices.read(tmp_path)


def test_without_a_file_there_are_none(tmp_path):
    assert OwnPrices.read(tmp_path) == OwnPrices.read(None) == OwnPrices()


def test_rates_steps_and_requests_are_read(tmp_path):
    card = read(tmp_path).card("lab/big")
    short = card.cost_usd(Usage(input_tokens=1000, cache_read_tokens=0, output_tokens=10))
    long = card.cost_usd(Usage(input_tokens=1001, output_tokens=10))
    assert short == pytest.approx(0.001 + (1000 * 1.5 + 10 * 6) / 1e6)
    assert long == pytest.approx(0.001 + (1001 * 3 + 10 * 12) / 1e6)


def test_a_models_own_price_goes_before_a_pattern(tmp_path):
    own = read(tmp_path)
    assert own.card("lab/other").cost_usd(Usage(input_tokens=9, output_tokens=9)) == 0.0
    assert own.card("lab/big").input.usd == 1.5
    assert own.card("elsewhere/x") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prices: {m: {input: 1}}", "output is missing"),
        ("prices: {m: {input: -1, output: 1}}", "at least 0"),
        ("prices: {m: {input: 1, output: 1, ouptut: 2}}", "Did you mean 'output'?"),
        ("prices: {m: {input: .inf, output: 1}}", "not a valid number"),
        ("price: {}", "Did you mean 'prices'?"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, message):
    with pytest.raises(SpecError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "prices.yaml:1:" in str(caught.value)
