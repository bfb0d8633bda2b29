"""Programs that try to pass without being right: none may, and none may get at the host.

Each is wrong for the tests, and would pass if its attack succeeded.
"""

import socket
import threading
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.scoring.program.conftest import scored

TESTS = """
assert total([1, 2, 3]) == 6
assert total([]) == 0
assert abs(total([0.5, 0.25]) - 0.75) < 1e-9
"""
PYTEST = """
import pytest

@pytest.mark.parametrize(("values", "expected"), [([1, 2, 3], 6), ([], 0)])
def test_total(values, expected):
    assert total(values) == expected

def test_refuses_texts():
    with pytest.raises(TypeError):
        total("abc")
"""
ATTACKS = YAML(typ="safe").load(Path(__file__).with_name("attacks.yaml"))
FORGED = {
    "an object that computes with itself",
    "an object that answers with what it was given",
    "a number that equals anything",
    "assertions of pytest disabled",
    "assertions replaced",
}
"""Attacks that succeed where tests and program share a process, for some tests."""
ONE_ONLY = "the tests pass in one process, but not with the program apart: "


def check_failed(score, attack):
    """A program that forges the first run has no score, and any other scores 0."""
    assert score.notes
    if attack in FORGED and score.score is None:
        assert score.notes.startswith(ONE_ONLY), score
        assert score.detail["runs"]["apart"]["state"] == "failed"
    else:
        assert score.score == 0.0, score


@pytest.mark.parametrize("tests", [TESTS, PYTEST], ids=["assertions", "pytest"])
@pytest.mark.parametrize("attack", ATTACKS["python"])
def test_an_attack_in_python_does_not_pass(attack, tests):
    score = scored(ATTACKS["python"][attack], tests, timeout=4, memory_mb=128)
    check_failed(score, attack)


@pytest.mark.parametrize(
    "program",
    [
        "def total(values): raise SystemExit(0)",
        "def total(values): raise KeyboardInterrupt",
        "import os\ndef total(values): os._exit(0)",
        "import unittest\ndef total(values): raise unittest.SkipTest('no')",
    ],
)
def test_a_program_that_ends_the_collection_of_tests_does_not_pass(program):
    tests = "import pytest\nFOUND = total([1, 2, 3])\ndef test_total():\n    assert FOUND == 6\n"
    assert scored(program, tests).score == 0.0


@pytest.mark.parametrize(
    ("language", "program", "tests"),
    [
        ("python", "def total(values): return 10**10", "assert 3 ** total([]) % 7 == 3"),
        (
            "python",
            "def total(values): return 'a' * 40 + 'b'",
            "import re\nassert re.fullmatch('(a+)+', total([]))",
        ),
        (
            "javascript",
            "const total = () => 'a'.repeat(40) + 'b';",
            "assert(/^(a+)+$/.test(total([])))",
        ),
    ],
)
def test_a_value_on_which_the_tests_never_end_does_not_pass(language, program, tests):
    score = scored(program, tests, language=language, timeout=2)
    assert score.score == 0.0, score


def test_a_file_of_tests_that_skips_itself_does_not_pass():
    tests = "import pytest\nif total([]) == 7:\n    pytest.skip('no', allow_module_level=True)\n"
    tests += "def test_total():\n    assert total([1, 2, 3]) == 6\n"
    assert scored("def total(values): return 7", tests).score == 0.0


JS_TESTS = """
const assert = require("node:assert");
assert.strictEqual(total([1, 2, 3]), 6);
assert.deepStrictEqual(total([]), 0);
assert.ok(Math.abs(total([0.5, 0.25]) - 0.75) < 1e-9);
"""
NODE_TESTS = """
import test from "node:test";
import assert from "node:assert";
import { total } from "./solution.mjs";
test("three", () => assert.strictEqual(total([1, 2, 3]), 6));
test("none", async () => assert.deepStrictEqual(await total([]), 0));
test("shares", () => assert.ok(Math.abs(total([0.5, 0.25]) - 0.75) < 1e-9));
"""


@pytest.mark.parametrize("tests", [JS_TESTS, NODE_TESTS], ids=["assertions", "node-test"])
@pytest.mark.parametrize("attack", ATTACKS["javascript"])
def test_an_attack_in_javascript_does_not_pass(attack, tests):
    if attack == "a promise of the right value" and tests is NODE_TESTS:
        tests = tests.replace("await ", "")
    score = scored(
        ATTACKS["javascript"][attack], tests, language="javascript", timeout=4, memory_mb=256
    )
    check_failed(score, attack)


TAP_TESTS = """
set -e
check() { [ "$(python3 solution.py $1)" = "$2" ]; }
echo 1..2
check "1 2 3" 6; echo "ok 1 - three"
check "" 0; echo "ok 2 - none"
echo BENCHMAKER_TOKEN
"""
FORK = "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\n"


@pytest.mark.parametrize("attack", ATTACKS["command"])
def test_an_attack_on_a_command_does_not_pass(attack):
    runner = {"language": "python", "runner": "bash tests.sh", "timeout": 4, "memory_mb": 128}
    score = scored(ATTACKS["command"][attack], TAP_TESTS, **runner)
    assert score.score == 0.0, score
    assert score.notes


READS_HOST = """
import glob, os, socket, subprocess, sys
def steal():
    found = []
    try: found.append(open({path!r}).read())
    except OSError: pass
    try:
        with socket.create_connection(("127.0.0.1", {port}), 1) as link:
            found.append(link.recv(99).decode())
    except OSError: pass
    for path in glob.glob("/proc/[0-9]*/environ"):
        try: found.append(open(path).read())
        except OSError: pass
    return [it for it in found if "secret-of-the-host" in it]
"""
TESTS_OF_THEFT = "assert steal() == []"


@pytest.fixture
def secrets(tmp_path, monkeypatch):
    """A file, a server and a variable of the host, each with a secret."""
    monkeypatch.setenv("API_KEY", "secret-of-the-host")
    path = tmp_path / "secret"
    path.write_text("secret-of-the-host")
    path.chmod(0o644)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        yield {"path": str(path), "port": server.getsockname()[1]}


def _serve(server):
    try:
        while True:
            with server.accept()[0] as link:
                link.sendall(b"secret-of-the-host")
    except OSError:
        return


def test_a_program_reaches_nothing_of_the_host(secrets):
    assert scored(READS_HOST.format(**secrets), TESTS_OF_THEFT).score == 1.0


def test_a_program_leaves_nothing_running():
    program = f"import sys\n{FORK}\ndef total(values): return 6"
    name = "left-by-the-program"
    program = program.replace(
        "while True: pass", f"os.execv(sys.executable, ['{name}', '-c', 'while True: pass'])"
    )
    scored(program, "assert total([]) == 6")
    running = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline"))
    assert not any(name.encode() in words for words in _readable(running))


def _readable(found):
    while True:
        try:
            yield next(found)
        except StopIteration:
            return
        except OSError:
            continue
