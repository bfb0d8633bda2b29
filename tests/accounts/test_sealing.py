import threading

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.accounts.sealing import (
    KEY_FILE,
    KEY_VARIABLE,
    SecretSealer,
    checked_secret,
    is_reserved,
    new_key,
    refuse_name,
)
from benchmaker.errors import PrerequisiteError, SpecError

SECRET = "sk-made-up-0123456789abcdef"  # noqa: S105  made up
_KEY = new_key()


@given(st.text(min_size=1, max_size=200))
def test_what_was_sealed_opens_to_the_same(secret):
    sealing = SecretSealer([_KEY])
    sealed = sealing.seal(secret, team="main", name="A_KEY")

    assert sealing.unseal(sealed, team="main", name="A_KEY") == secret


def test_the_sealed_secret_shows_nothing_of_it_and_is_never_the_same_twice():
    sealing = SecretSealer([_KEY])
    one, other = (sealing.seal(SECRET, team="main", name="A_KEY") for _ in range(2))

    assert SECRET.encode() not in one
    assert one != other


@pytest.mark.parametrize(("team", "name"), [("other", "A_KEY"), ("main", "B_KEY")])
def test_a_secret_of_another_team_or_name_does_not_open(team, name):
    sealing = SecretSealer([_KEY])
    sealed = sealing.seal(SECRET, team="main", name="A_KEY")

    with pytest.raises(PrerequisiteError, match="was sealed with another key"):
        sealing.unseal(sealed, team=team, name=name)


@pytest.mark.parametrize("sealed", [b"", b"nothing", b"gAAAAA" + b"a" * 100])
def test_what_was_tampered_with_does_not_open(sealed):
    with pytest.raises(PrerequisiteError, match="was sealed with another key"):
        SecretSealer([_KEY]).unseal(sealed, team="main", name="A_KEY")


def test_an_older_key_opens_and_the_newest_seals():
    old, new = new_key(), new_key()
    sealed = SecretSealer([old]).seal(SECRET, team="main", name="A_KEY")
    both = SecretSealer([new, old])
    fresh = both.reseal(sealed, team="main", name="A_KEY")

    assert both.unseal(sealed, team="main", name="A_KEY") == SECRET
    assert SecretSealer([new]).unseal(fresh, team="main", name="A_KEY") == SECRET
    with pytest.raises(PrerequisiteError):
        SecretSealer([old]).unseal(fresh, team="main", name="A_KEY")


def test_keys_come_from_the_environment_first(tmp_path):
    old, new = new_key(), new_key()
    sealed = SecretSealer([new]).seal(SECRET, team="main", name="A_KEY")
    found = SecretSealer.of(tmp_path, {KEY_VARIABLE: f" {new}, {old}\n"})

    assert found.unseal(sealed, team="main", name="A_KEY") == SECRET
    assert not (tmp_path / KEY_FILE).exists()


def test_a_key_is_made_once_for_its_owner_alone(tmp_path):
    home = tmp_path / "new"
    sealed = SecretSealer.of(home, {}).seal(SECRET, team="main", name="A_KEY")

    assert (home / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert SecretSealer.of(home, {}).unseal(sealed, team="main", name="A_KEY") == SECRET
    assert [it.name for it in home.iterdir()] == [KEY_FILE]


def test_two_who_make_the_key_at_once_get_the_same(tmp_path):
    made = []

    def make():
        made.append(SecretSealer.of(tmp_path, {}).seal(SECRET, team="main", name="A_KEY"))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    opens = SecretSealer.of(tmp_path, {})
    assert [opens.unseal(it, team="main", name="A_KEY") for it in made] == [SECRET] * 8


def test_a_key_that_others_may_read_is_refused_with_the_command(tmp_path):
    SecretSealer.of(tmp_path, {})
    (tmp_path / KEY_FILE).chmod(0o640)

    with pytest.raises(PrerequisiteError, match="other users can read") as caught:
        SecretSealer.of(tmp_path, {})
    assert "chmod 600" in caught.value.hint


@pytest.mark.parametrize("given", ["short", "ä" * 44, "a" * 44])
def test_what_is_no_key_is_refused_without_being_repeated(tmp_path, given):
    with pytest.raises(PrerequisiteError) as caught:
        SecretSealer.of(tmp_path, {KEY_VARIABLE: given})
    assert given not in f"{caught.value} {caught.value.hint}"


def test_printing_shows_no_key(tmp_path):
    key = Fernet.generate_key().decode()

    assert key not in repr(SecretSealer.of(tmp_path, {KEY_VARIABLE: key}))


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "A", "X_2", "OLLAMA_HOST", "NOTICE_SECRET"])
def test_variables_of_capital_letters_name_secrets(name):
    refuse_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "a_key", "1KEY", "A-B", "A B", "A=B", "Ä", "A\n", "BENCHMAKER_SECRETS_KEY",
     "BENCHMAKER_REACH", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "PATH", "HOME", "LD_PRELOAD",
     "PYTHONPATH", "PYTHONSTARTUP", "RAY_ADDRESS", "A" * 200],
)  # fmt: skip
def test_other_names_and_those_of_the_server_are_refused(name):
    with pytest.raises(SpecError):
        refuse_name(name)


def test_small_spellings_are_reserved_too():
    assert is_reserved("https_proxy")
    assert not is_reserved("OPENAI_API_KEY")


@pytest.mark.parametrize(
    "value", ["", " \n", "sh0rt!", "two\nlines-of-text", "a" * 9_000, "nul\0nul\0"]
)
def test_what_can_be_no_secret_is_refused_without_being_repeated(value):
    with pytest.raises(SpecError) as caught:
        checked_secret(value)
    assert not value.strip() or value not in f"{caught.value} {caught.value.hint}"


def test_the_line_break_at_the_end_is_not_part_of_a_secret():
    assert checked_secret(f"{SECRET}\n") == SECRET
