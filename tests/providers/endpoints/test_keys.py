import copy
import pickle

import pytest

from benchmaker.errors import PrerequisiteError
from benchmaker.providers.endpoints.endpoints import endpoint_table
from benchmaker.providers.endpoints.keys import Keys, mask

OPENAI, GOOGLE, OLLAMA = (endpoint_table()[name] for name in ("openai", "google", "ollama"))
SECRET = "sk-canary-0123456789abcdef"  # noqa: S105  made up


def test_a_key_comes_from_the_vendors_variable():
    key = Keys({"OPENAI_API_KEY": f" {SECRET}\n"}).key(OPENAI)
    assert key.reveal() == SECRET
    assert key.variable == "OPENAI_API_KEY"


def test_the_first_variable_that_is_set_counts():
    keys = Keys({"GOOGLE_API_KEY": "second-key-1", "GEMINI_API_KEY": ""})
    assert keys.key(GOOGLE).variable == "GOOGLE_API_KEY"


def test_the_environment_goes_before_the_file(tmp_path):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-file\nGEMINI_API_KEY=only-file\n")
    keys = Keys({"OPENAI_API_KEY": "from-environment"}, tmp_path / ".env")
    assert keys.key(OPENAI).reveal() == "from-environment"
    assert keys.key(GOOGLE).reveal() == "only-file"


def test_an_empty_variable_does_not_hide_the_file(tmp_path):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-file\n")
    assert Keys({"OPENAI_API_KEY": ""}, tmp_path / ".env").key(OPENAI).reveal() == "from-file"


def test_a_file_can_not_lead_a_key_of_the_environment_elsewhere(tmp_path):
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://evil.example/v1\n")
    with pytest.raises(PrerequisiteError, match=r"OPENAI_BASE_URL in the \.env file"):
        Keys({"OPENAI_API_KEY": SECRET}, tmp_path / ".env").key(OPENAI)


def test_address_and_key_may_come_from_one_file_or_the_address_from_the_environment(tmp_path):
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL=https://a.example\nOPENAI_API_KEY={SECRET}\n")
    assert Keys({}, tmp_path / ".env").key(OPENAI).reveal() == SECRET
    environ = {"OPENAI_BASE_URL": "https://b.example", "OPENAI_API_KEY": SECRET}
    assert Keys(environ, tmp_path / ".env").key(OPENAI).reveal() == SECRET


def test_a_key_bears_the_name_of_its_own_variable_whatever_others_hold():
    keys = Keys({"OPENAI_API_KEY": SECRET, "GEMINI_API_KEY": SECRET})
    assert [keys.key(one).variable for one in (OPENAI, GOOGLE)] == [
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
    ]
    assert keys.secrets == (SECRET,)


def test_a_missing_key_is_named_by_its_variable():
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY is not set") as caught:
        Keys({}).key(OPENAI)
    assert ".env" in caught.value.hint


def test_a_local_server_needs_none():
    assert Keys({}).key(OLLAMA) is None


@pytest.mark.parametrize("secret", ["sk-a\nX-Header: b", "sk a", "sk-ü", "sk-\x00"])
def test_what_cant_be_a_key_is_refused_without_being_shown(secret):
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY is not a key") as caught:
        Keys({"OPENAI_API_KEY": secret}).key(OPENAI)
    assert secret not in str(caught.value)


def test_nothing_that_is_printed_or_written_holds_the_key():
    keys = Keys({"OPENAI_API_KEY": SECRET})
    key = keys.key(OPENAI)
    for shown in (repr(key), str(key), f"{key}", repr(keys), str(keys)):
        assert SECRET not in shown
    for write in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            write(key)


def test_the_redactor_knows_the_keys():
    keys = Keys({"OPENAI_API_KEY": "plain-words-key"})
    keys.key(OPENAI)
    assert keys.redactor().text("it is plain-words-key!") == "it is [redacted]!"


def test_a_program_is_given_no_key_whatever_it_is_called():
    environ = {"OPENAI_API_KEY": SECRET, "COPY": SECRET, "PATH": "/bin", "EMPTY": ""}
    kept, secrets = Keys(environ).without_keys(environ, endpoint_table().values())
    assert kept == {"PATH": "/bin", "EMPTY": ""}
    assert secrets == (SECRET,)


def test_a_mask_touches_nothing_else():
    assert mask(f"a {SECRET} sk-proj-0123456789abcdefghij", [SECRET]) == (
        "a [redacted] sk-proj-0123456789abcdefghij"
    )
    assert mask("short", ["s"]) == "short"
