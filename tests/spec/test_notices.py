"""The file that says who gets notices."""

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.notices import NoticeTargets, load_notices


def write(home, text):
    (home / "notices.yaml").write_text(text)
    return home


def test_without_a_file_nobody_gets_any(tmp_path):
    assert load_notices(tmp_path) == NoticeTargets()
    assert load_notices(tmp_path).is_empty


def test_every_kind_of_receiver_is_read(tmp_path):
    found = load_notices(
        write(
            tmp_path,
            "webhooks: [{url: 'https://x.test/hook', secret_env: HOOK_SECRET}]\n"
            "commands: [{command: [./tell.sh, now], timeout_s: 5}]\n"
            "apprise: [{url_env: CHAT_URL}]\n",
        )
    )
    assert [one.secret_env for one in found.webhooks] == ["HOOK_SECRET"]
    assert found.commands[0].command == ("./tell.sh", "now")
    assert found.apprise[0].url_env == "CHAT_URL"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("webhooks: [{secret_env: A}]", "exactly one of url and url_env"),
        ("webhooks: [{url: 'https://x', secret: abc}]", "secret"),
        ("comands: []", "commands"),
        ("- a", "mapping"),
        ("commands: [{command: []}]", "command"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, text, told):
    with pytest.raises(SpecError, match=told) as raised:
        load_notices(write(tmp_path, text))
    assert "notices.yaml" in str(raised.value)
