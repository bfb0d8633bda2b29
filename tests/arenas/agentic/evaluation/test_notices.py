"""Who gets notices."""

import pytest

from benchmaker.arenas.agentic.evaluation.notices import receivers_of
from benchmaker.errors import PrerequisiteError
from benchmaker.spec.notices import NoticeTargets

BOTH = NoticeTargets.model_validate(
    {
        "webhooks": [{"url_env": "HOOK_URL", "secret_env": "HOOK_SECRET"}],
        "commands": [{"command": ["tell"]}],
    }
)
SET = {"HOOK_URL": "https://x.test/token", "HOOK_SECRET": "key", "PATH": "/bin"}


def test_receivers_are_named_without_their_secrets(tmp_path):
    found = receivers_of(tmp_path, SET, targets=BOTH)
    assert [one.name for one in found] == ["webhook x.test", "command tell"]


def test_a_command_is_not_given_the_secrets_of_the_others(tmp_path):
    _, command = receivers_of(tmp_path, SET, targets=BOTH)
    assert command._environ == {"PATH": "/bin"}


@pytest.mark.parametrize("missing", ["HOOK_URL", "HOOK_SECRET"])
def test_a_variable_that_is_not_set_is_named(tmp_path, missing):
    known = {name: value for name, value in SET.items() if name != missing}
    with pytest.raises(PrerequisiteError, match=f"{missing} is not set"):
        receivers_of(tmp_path, known, targets=BOTH)


def test_without_a_file_there_is_nobody(tmp_path):
    assert receivers_of(tmp_path) == ()
