import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.accounts.tokens import hash_secret, is_secret, new_secret

drawn = st.binary(min_size=28, max_size=28)


@given(drawn)
def test_every_secret_is_one_and_of_one_form(bits):
    secret = new_secret(lambda _: bits)
    assert re.fullmatch(r"bm_[A-Za-z0-9_-]{43}", secret)
    assert is_secret(secret)


def test_no_secret_is_given_twice():
    assert len({new_secret() for _ in range(100)}) == 100


@given(drawn, st.integers(3, 40), st.sampled_from("ABCDefgh0189_-"))
def test_a_secret_with_a_wrong_letter_is_none(bits, at, letter):
    secret = new_secret(lambda _: bits)
    changed = secret[:at] + letter + secret[at + 1 :]
    assert is_secret(changed) == (changed == secret)


@pytest.mark.parametrize(
    "text",
    ["", "bm_", "bm_" + "A" * 43, "xx_" + new_secret(bytes)[3:], new_secret(bytes) + "A",
     "bm_" + "é" * 43, "bm_" + "+" * 43, "bm_" + "=" * 43, "\ud800"],
)  # fmt: skip
def test_other_texts_are_none(text):
    assert not is_secret(text)


@given(st.text())
def test_any_text_may_be_asked_about(text):
    assert not is_secret(text)
    assert re.fullmatch("[0-9a-f]{64}", hash_secret(text))


def test_a_hash_is_the_known_one():
    assert hash_secret("abc").startswith("ba7816bf8f01cfea414140de5dae2223")
