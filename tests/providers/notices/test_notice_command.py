"""Notices handed to programs."""

import asyncio
import sys

import pytest

from benchmaker.errors import ProviderError
from benchmaker.providers.notices.notice_command import NoticeCommand


def send(program, *, body=b"{}", **given):
    command = NoticeCommand((sys.executable, "-I", "-c", program), **given)
    asyncio.run(command.send("n1", body))


def test_a_program_gets_the_notice_on_stdin_and_its_id(tmp_path):
    file = tmp_path / "said"
    send(
        f"import os, sys; open({str(file)!r}, 'w').write("
        "os.environ['BENCHMAKER_NOTICE_ID'] + sys.stdin.read())",
        body=b'{"a": 1}',
    )
    assert file.read_text() == 'n1{"a": 1}'


def test_a_program_has_not_taken_it_when_it_ends_with_another_code():
    with pytest.raises(ProviderError, match="ended with 3: no room"):
        send("import sys; sys.exit(print('no room', file=sys.stderr) or 3)")


def test_a_program_that_hangs_is_killed():
    with pytest.raises(ProviderError, match=r"did not end in 0\.3 s"):
        send("import time; time.sleep(60)", timeout_s=0.3)


def test_a_program_that_is_not_there_is_no_delivery():
    with pytest.raises(ProviderError, match="can't be started"):
        asyncio.run(NoticeCommand(("/no/such/program",)).send("n1", b"{}"))
