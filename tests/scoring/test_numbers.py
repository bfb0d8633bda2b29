import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.numbers import (
    find_numbers,
    format_number,
    last_number,
    read_number,
    stated_number,
)
from tests.draws import draws
from tests.growth import is_linear

WHOLE = st.integers(-(10**12), 10**12)
DECIMAL = st.decimals(-(10**9), 10**9, places=3, allow_nan=False).map(lambda it: it.normalize())
VULGAR = {"½": 0.5, "⅓": 1 / 3, "¼": 0.25, "¾": 0.75, "⅛": 0.125}


def value(text):
    number = read_number(text)
    return None if number is None else number.value


def slow_plain(text):
    """Second road: the plainest numbers by splitting at every other character."""
    kept = "".join(char if char.isdigit() or char == "." else " " for char in text)
    words = [word.strip(".") for word in kept.split()]
    return [float(word) for word in words if word and word.count(".") < 2]


def in_lakhs(number):
    """Groups of two digits before the last three."""
    sign, digits = "-" if number < 0 else "", str(abs(number))
    head, tail = digits[:-3], digits[-3:]
    pairs = [head[max(end - 2, 0) : end] for end in range(len(head), 0, -2)]
    return sign + ",".join([*reversed(pairs), tail])


STYLES = {
    "plain": str,
    "thousands": "{:,}".format,
    "lakhs and crores": in_lakhs,
    "underscores": "{:_}".format,
    "apostrophes": lambda n: f"{n:,}".replace(",", "'"),
    "no-break spaces": lambda n: f"{n:,}".replace(",", "\u00a0"),
    "narrow spaces": lambda n: f"{n:,}".replace(",", "\u202f"),
    "latex thin spaces": lambda n: f"{n:,}".replace(",", r"\,"),
    "latex commas": lambda n: f"{n:,}".replace(",", "{,}"),
    "unicode minus": lambda n: str(n).replace("-", "\u2212"),
    "full width": lambda n: str(n).translate({48 + i: 0xFF10 + i for i in range(10)}),
    "currency": lambda n: f"-${-n:,}" if n < 0 else f"${n:,}",
    "currency apart": lambda n: f"-€ {-n}" if n < 0 else f"€ {n}",
    "latex currency": lambda n: rf"-\${-n}" if n < 0 else rf"\${n}",
    "unit": "{} eggs".format,
    "unit attached": "{}kg".format,
    "heading mark": "# {}".format,
    "bold": "**{}**".format,
    "math": r"\({}\)".format,
    "latex text": r"{}\text{{ dollars}}".format,
    "parentheses": "({})".format,
    "equals": "x = {}".format,
    "full stop": "{}.".format,
    "cents": "{:,}.00".format,
    "sum": "1 + 1 = {}".format,
}


@pytest.mark.parametrize("style", STYLES)
@given(number=WHOLE)
def test_a_whole_number_comes_back_from_every_style(style, number):
    assert value(STYLES[style](number)) == number


DECIMAL_STYLES = {
    "plain": "{:f}".format,
    "thousands": "{:,f}".format,
    "european": lambda n: f"{n:,.3f}".translate(str.maketrans(",.", ".,")),
    "money": "${:,f} a month".format,
    "unicode minus": lambda n: f"{n:f}".replace("-", "\u2212"),
}


@pytest.mark.parametrize("style", DECIMAL_STYLES)
@given(number=DECIMAL)
def test_a_decimal_comes_back_from_every_style(style, number):
    if style == "european" and abs(number) < 1000:  # 1,234 alone is a thousand
        number += 1000 if number >= 0 else -1000
    assert value(DECIMAL_STYLES[style](number)) == float(number)


SCIENTIFIC = {
    "e": "{}e{}".format,
    "E": "{}E{}".format,
    "times": "{}×10^{}".format,
    "times spaced": "{} × 10^{}".format,
    "latex": r"{}\times 10^{{{}}}".format,
    "dot": r"{} \cdot 10^{{{}}}".format,
    "star": "{} * 10^{}".format,
    "python": "{}*10**{}".format,
    "letter x": "{} x 10^{}".format,
    "superscript": lambda m, e: (
        f"{m}×10{str(e).translate(str.maketrans('0123456789-', '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'))}"
    ),
}


@pytest.mark.parametrize("style", SCIENTIFIC)
@given(mantissa=st.decimals(1, 9, places=2), exponent=st.integers(-200, 200))
def test_scientific_notation_comes_back_from_every_style(style, mantissa, exponent):
    assert value(SCIENTIFIC[style](mantissa, exponent)) == float(f"{mantissa}e{exponent}")


FRACTIONS = {
    "slash": "{}/{}".format,
    "spaced": "{} / {}".format,
    "latex": r"\frac{{{}}}{{{}}}".format,
    "dfrac": r"\dfrac{{{}}}{{{}}}".format,
    "math": r"\(\tfrac{{{}}}{{{}}}\)".format,
    "fraction slash": "{}\u2044{}".format,
}


@pytest.mark.parametrize("style", FRACTIONS)
@given(over=st.integers(0, 10**6), below=st.integers(1, 10**6))
def test_a_fraction_comes_back_from_every_style(style, over, below):
    assert value(FRACTIONS[style](over, below)) == float(Fraction(over, below))


@given(whole=st.integers(0, 999), below=st.integers(2, 99), data=st.data())
def test_a_mixed_number_is_the_sum_of_its_parts(whole, below, data):
    over = data.draw(st.integers(1, below - 1))
    for text in (f"{whole} {over}/{below}", rf"{whole}\frac{{{over}}}{{{below}}}"):
        assert value(text) == pytest.approx(float(whole + Fraction(over, below)), rel=1e-15)
        assert value(f"-{text}") == pytest.approx(-float(whole + Fraction(over, below)), rel=1e-15)


@given(number=DECIMAL)
def test_a_percentage_is_its_number_and_its_share(number):
    for text in (f"{number:f}%", f"{number:f} %", rf"{number:f}\%", f"{number:f} percent"):
        found = read_number(text)
        assert found.value == float(number)
        assert found.share == float(number.scaleb(-2))


@given(number=WHOLE)
def test_the_sign_is_the_only_difference_between_a_number_and_its_opposite(number):
    assert value(str(-number)) == -value(str(number))


@given(numbers=st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_numbers_in_prose_are_found_in_their_order(numbers):
    text = " and then ".join(map(str, numbers))
    assert [it.value for it in find_numbers(text)] == numbers == slow_plain(text)
    assert last_number(text).value == numbers[-1]


@given(text=st.text(alphabet="0123456789.,-+/%^eE×x*$ \n:'_\\{}frac½²=()", max_size=80))
def test_any_text_is_read_without_an_error_and_only_finite_numbers_are_found(text):
    for found in find_numbers(text):
        assert found.value is None or math.isfinite(found.value)
        assert all(map(math.isfinite, found.parts))
    last = last_number(text)
    valued = [it.value for line in text.split("\n") for it in find_numbers(line)]
    valued = [it for it in valued if it is not None]
    assert (last.value if last else None) == (valued[-1] if valued else None)
    read_number(text)
    stated_number(text)


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_reads_back_to_12_digits(number):
    assert value(format_number(number)) == pytest.approx(number, rel=1e-11)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# 18", 18),
        ("1,234", 1234),
        ("1.234.567", 1234567),
        ("1.234,56", 1234.56),
        ("1.234", 1.234),
        ("0,5", 0.5),
        ("p = 0,05.", 0.05),
        ("3,50 €", 3.5),
        ("1.500 €", 1500),
        ("0.500 €", 0.5),
        ("€1.500", 1.5),
        ("1.599 €/l", 1.599),
        ("2.000 Liter", 2),
        ("12,5 % of it", 12.5),
        ("3,14", 3.14),
        ("(3,14)", 3),
        ("[0,5]", 0),
        ("1,2 and 3", 1),
        ("12 500 €", 12500),
        ("1 23", 1),
        (".5", 0.5),
        ("-.5", -0.5),
        ("$.50", 0.5),
        ("5.", 5),
        ("2½", 2.5),
        ("-½", -0.5),
        ("10⁶", 10**6),
        ("2^{10}", 1024),
        ("1e6", 1e6),
        ("3-2", 3),
        ("$-5", -5),
        ("USD18", 18),
        ("3rd", 3),
        ("007", 7),
        ("٤٢", 42),
        ("2:00 pm", 2),
        ("18 cm^2", 18),
        ("18 m²", 18),
        ("~5", 5),
        ("5±1", 5),
        ("5 and 3/4", 5.75),
    ],
)
def test_a_careful_reader_takes(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("12:30", (12, 30)),
        ("2024-05-17", (2024, 5, 17)),
        ("5/17/2020", (5, 17, 2020)),
        ("1.2.3", (1.2, 3)),
        ("192.168.1.1", (192.168, 1.1)),
        ("GPT-4", (4,)),
        ("x_1", (1,)),
        ("x_{12}", (12,)),
        ("2π", (2,)),
        (r"\sqrt{16}", (16,)),
        ("1/0", (1, 0)),
        ("0x1F", (0, 1)),
    ],
)
def test_what_only_has_digits_is_no_number_and_keeps_its_parts(text, parts):
    assert value(text) is None
    assert find_numbers(text)[0].parts == parts


@pytest.mark.parametrize("text", ["", "none", "nan", "infinity", "1e999", "9" * 401, "½x"[1:], "−"])
def test_no_number_is_found_in(text):
    assert value(text) is None


@pytest.mark.parametrize(
    ("text", "read", "stated"),
    [
        ("3 + 4 = 7", 7, None),
        ("2 * 9 = $18 a day", 18, None),
        ("18 (from 2 * 9 = 18)", 18, 18),
        ("18 per day, so 7 * 18 = 126 a week", 18, 18),
        ("x = 5, y = 7", 5, 5),
        ("0.40 * 0.20 = 0.08, or 8%", 0.08, None),
        ("$40 (visit) + $105 (labour) = $145", 145, None),
        ("4 blue and 6 red", 4, 4),
    ],
)
def test_a_sum_is_read_to_its_result_and_states_nothing(text, read, stated):
    assert value(text) == read
    number = stated_number(text)
    assert (number.value if number else None) == stated


def test_a_fraction_keeps_its_parts_for_the_published_method():
    assert find_numbers("18/20 points")[0].parts == (18, 20)


@pytest.mark.parametrize(
    "unit",
    ["1", "1,111", "1.111", ".111", "1 ", "1/", "1:", "½", "{", r"\frac{1", r"\text{", "-", "1^",
     "1 and ", "1 percen", "1.111,", "=", "1=", "\\", "1\u00a0", "$ ", "1e"],
)  # fmt: skip
def test_time_grows_with_the_length_alone(unit):
    def read(length):
        text = unit * (length // len(unit))
        find_numbers(text)
        last_number(text)
        read_number(text)

    assert is_linear(read, draws(20_000, 100_000))
