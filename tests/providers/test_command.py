import asyncio
import json
import os
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from benchmaker.errors import BadResponse, PrerequisiteError, ProviderError, SpecError, Timeout
from benchmaker.providers.command import Command
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.record import FinishReason, Usage
from benchmaker.redact import Redactor
from benchmaker.spec import Message
from benchmaker.testing import ProviderContract, a_request

PYTHON = (sys.executable, "-I", "-S", "-c")


def program(code: str, **options) -> Command:
    return Command((*PYTHON, code), **options)


def ask(command: Command, **fields):
    return asyncio.run(command.complete(a_request(**fields)))


class TestCommandContract(ProviderContract):
    provider = partial(program, "import json,sys; print(json.load(sys.stdin)['case_id'])")
    answerable = (a_request(),)


class TestFailingCommandContract(ProviderContract):
    provider = partial(
        program, "import json,sys; sys.exit(json.load(sys.stdin)['case_id'] != 'case-1')"
    )
    answerable = (a_request(),)
    unanswerable = (a_request(case_id="other"),)


def test_what_it_writes_is_the_answer_but_for_the_last_line_break():
    answer = ask(program(r"print('one\n two ')"))
    assert answer.text == "one\n two "
    assert answer.finish is FinishReason.STOP
    assert answer.latency_s > 0


def test_it_is_told_everything():
    echo = "import sys; data = sys.stdin.read(); print('told', data)"
    told = json.loads(
        ask(program(echo), run=3, messages=(Message(role="user", content="ü\n"),)).text[5:]
    )
    assert told["model"] == "model-a"
    assert told["case_id"] == "case-1"
    assert told["run"] == 3
    assert told["messages"] == [{"role": "user", "content": "ü\n"}]
    assert told["parameters"]["temperature"] == 0.7


def test_it_may_answer_in_json():
    said = {
        "output": "42",
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        "finish": "length",
        "model": "mine",
        "cost_usd": 0.5,
        "more": None,
    }
    answer = ask(program(f"print({json.dumps(said)!r})"))
    assert answer.text == "42"
    assert answer.usage == Usage(input_tokens=9, output_tokens=2)
    assert (answer.finish, answer.model, answer.cost_usd) == (FinishReason.LENGTH, "mine", 0.5)


def test_json_of_another_form_is_text():
    assert ask(program("""print('{"answer": 42}')""")).text == '{"answer": 42}'


def test_another_code_than_0_is_a_failure_with_the_end_of_its_complaint():
    code = "import sys; sys.stderr.write('x ' * 9999 + 'the key is plain-words-key'); sys.exit(3)"
    with pytest.raises(ProviderError, match="failed with code 3") as caught:
        ask(program(code, redactor=Redactor(["plain-words-key"])))
    assert "plain-words" not in caught.value.message
    assert not caught.value.is_retryable


def test_a_signal_is_named():
    with pytest.raises(ProviderError, match="signal SIGSEGV"):
        ask(program("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))


def test_it_and_everything_it_started_is_killed_when_its_time_is_over(tmp_path):
    code = (
        "import subprocess, sys, time\n"
        "one = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "two = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],\n"
        "                       start_new_session=True)\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{one.pid}} {{two.pid}}')\n"
        "time.sleep(600)\n"
    )
    for limit in (1, 10, 60):
        with pytest.raises(Timeout, match=f"within {limit} s"):
            ask(program(code, limits=HttpLimits(total_s=limit)))
        if (tmp_path / "pids").exists():  # on a busy machine it may not have begun in time
            break
    for pid in (tmp_path / "pids").read_text().split():
        assert is_gone(int(pid))


def is_written(path: Path) -> bool:
    return path.exists() and bool(path.read_text(encoding="ascii"))


def is_gone(pid: int) -> bool:
    """A killed orphan may stay a zombie where nobody waits for it."""
    for _ in range(6_000):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


def test_cancelling_kills_it(tmp_path):
    code = (
        "import os, time\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )

    async def cancelled():
        task = asyncio.ensure_future(program(code).complete(a_request()))
        while not is_written(tmp_path / "pid"):  # noqa: ASYNC110  another process writes it
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_too_much_output_is_refused():
    with pytest.raises(BadResponse, match="larger than 1 KiB") as caught:
        ask(program("while True: print('x' * 1000)", limits=HttpLimits(body_bytes=1024)))
    assert not caught.value.is_retryable


def test_output_that_is_not_utf_8_is_a_bad_response():
    with pytest.raises(BadResponse, match="UTF-8"):
        ask(program(r"import sys; sys.stdout.buffer.write(b'\xff')"))


def test_it_need_not_read_its_input():
    long = (Message(role="user", content="x" * 2**20),)
    assert ask(program("print('done')"), messages=long).text == "done"


def test_it_sees_the_environment_it_is_given_and_no_other():
    shown = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))"
    assert ask(program(shown, environ={"A": "1", "PATH": os.defpath})).text == "['A', 'PATH']"


def test_a_line_is_split_without_a_shell():
    command = Command("printf '%s' '$HOME;ls' ")
    assert ask(command).text == "$HOME;ls"
    assert command.models == ("printf %s '$HOME;ls'",)


@pytest.mark.parametrize("line", ["", "  ", "echo 'open"])
def test_a_line_that_is_no_command_is_refused(line):
    with pytest.raises(SpecError):
        Command(line)


def test_a_missing_program_is_a_prerequisite():
    with pytest.raises(PrerequisiteError, match="program 'no-such-program' not found"):
        Command("no-such-program --flag")


def test_its_description_holds_no_secret():
    command = Command(["echo", "plain-words-key"], redactor=Redactor(["plain-words-key"]))
    assert command.description() == {"kind": "command", "argv": ["echo", "[redacted]"]}
