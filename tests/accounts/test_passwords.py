import subprocess
import sys

import pytest
from argon2 import extract_parameters

from benchmaker.accounts.passwords import (
    LONGEST,
    SHORTEST,
    HashCost,
    hash_password,
    needs_rehash,
    refuse_weak,
    verify,
)
from benchmaker.errors import SpecError
from tests.accounts.cost import LEAST

GOOD = "correct horse battery staple"


@pytest.fixture(scope="module")
def kept() -> str:
    return hash_password(GOOD)


def test_a_password_fits_its_own_hash_alone(kept):
    assert verify(kept, GOOD)
    assert not verify(kept, GOOD + " ")
    assert not verify(kept, "")


def test_a_hash_tells_nothing_twice(kept):
    assert kept.startswith("$argon2id$")
    assert GOOD not in kept
    assert hash_password(GOOD) != kept


def test_the_same_letters_typed_otherwise_are_the_same_password():
    assert verify(hash_password("cafe\u0301 au lait, two"), "caf\u00e9 au lait, two")


def test_nobodys_hash_costs_as_much_as_any_and_fits_nothing(kept):
    assert extract_parameters(LEAST.dummy_hash) == extract_parameters(kept)
    assert not verify(None, "")
    assert not verify(LEAST.dummy_hash, GOOD)


def test_hashing_costs_what_the_rfc_recommends_where_nobody_changes_it():
    code = f"""
from argon2 import extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY
from benchmaker.accounts.passwords import COST, hash_password, needs_rehash, verify
assert extract_parameters(COST.dummy_hash) == RFC_9106_LOW_MEMORY
kept = hash_password({GOOD!r})
assert extract_parameters(kept) == RFC_9106_LOW_MEMORY
assert verify(kept, {GOOD!r})
assert needs_rehash({hash_password(GOOD)!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("given", ["x" * (LONGEST + 1), "half \ud800 of a character", "\x00"])
def test_what_can_not_be_a_password_fits_nothing(kept, given):
    assert not verify(kept, given)
    assert not verify(None, given)


@pytest.mark.parametrize("broken", ["", "plain text", "$argon2id$v=19$m=65536,t=3,p=4$AAAA"])
def test_a_broken_hash_lets_nobody_in(broken):
    assert not verify(broken, GOOD)


def test_a_hash_of_today_needs_no_other_and_a_cheaper_one_does(kept):
    assert not needs_rehash(kept)
    assert not needs_rehash(LEAST.dummy_hash)
    assert needs_rehash(HashCost(passes=1, memory_kib=4, threads=1).dummy_hash)


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("x" * (SHORTEST - 1), "shorter than 12"),
        ("abcd" * (LONGEST // 4) + "x", "longer than 1,024"),
        ("a" * SHORTEST, "easy to guess"),
        ("Lovelace-1815", "easy to guess"),
        ("lovelace-18LOVELACE-18", "easy to guess"),
        ("half of it \ud800", "invalid character"),
    ],
)
def test_a_weak_password_is_refused(password, said):
    with pytest.raises(SpecError, match=said):
        refuse_weak(password, "lovelace-18")


@pytest.mark.parametrize("password", [GOOD, "abcd" * (LONGEST // 4), "пароль из слов"])
def test_a_strong_one_is_not(password):
    refuse_weak(password, "ada")


def test_without_argon2_the_message_says_what_to_install():
    code = """
import sys
sys.modules["argon2"] = None
from benchmaker.accounts.passwords import hash_password, verify
from benchmaker.errors import PrerequisiteError
for ask in (lambda: hash_password("x"), lambda: verify(None, "x")):
    try:
        ask()
    except PrerequisiteError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == second
    assert "pip install 'benchmaker[accounts]'" in first


def test_nothing_heavy_is_loaded_before_a_password_is_hashed():
    code = "import sys, benchmaker.accounts.passwords; print('argon2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
