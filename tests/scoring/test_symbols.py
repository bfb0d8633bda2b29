import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.symbols import to_plain_signs


@given(st.text(alphabet=st.characters(max_codepoint=127, exclude_characters="\\{}^")))
def test_plain_text_stays_as_it_is(text):
    assert to_plain_signs(text) == text


@given(st.text(max_size=60))
def test_spelling_out_happens_once(text):
    assert to_plain_signs(to_plain_signs(text)) == to_plain_signs(
        to_plain_signs(to_plain_signs(text))
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("−3", "-3"),
        ("２½", "2 1/2"),
        ("2 ½", "2 1/2"),
        ("10⁻³", "10^-3"),
        (r"\frac{3}{4}", "3/4"),
        (r"2 \frac{1}{2}", "2 1/2"),
        (r"-\frac12", "-1/2"),
        (r"\$18\%", "$18%"),
        (r"1{,}234\,567\!8", "1,234\u00a05678"),
        (r"3 \times 10^{5}", "3 × 10^5"),
        (r"\text{18 eggs}", "18 eggs"),
        (r"2\pi", "2π"),
        (r"\(18\)", " 18 "),
    ],
)
def test_signs_are_spelled_out(text, expected):
    assert to_plain_signs(text) == expected
