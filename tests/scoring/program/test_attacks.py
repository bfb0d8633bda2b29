"""Programs that try to pass without being right: none may, and none may get at the host.

Each is wrong for the tests, and would pass if its attack succeeded.
"""

import socket
import threading
from pathlib import Path

import pytest

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
WRONG = "\ndef total(values): return 7\n"
ALWAYS = """
class Always:
    def __init__(self, *args): pass
    def __getattr__(self, name): return lambda *args: True
"""
SPECIAL = (
    "eq ne lt le gt ge contains add radd sub rsub mul rmul abs round neg truediv rtruediv floordiv "
    "mod and or xor pow"
)

PYTHON = {
    "os._exit at import": "import os\nos._exit(0)",
    "os._exit in the function": "import os\ndef total(values): os._exit(0)",
    "sys.exit at import": "import sys\nsys.exit(0)",
    "sys.exit in the function": "import sys\ndef total(values): sys.exit(0)",
    "SystemExit at import": "raise SystemExit(0)",
    "KeyboardInterrupt": "def total(values): raise KeyboardInterrupt",
    "skipped by pytest": "import pytest\ndef total(values): pytest.skip('no')",
    "skipped at import": "import unittest\nraise unittest.SkipTest('no')",
    "pytest exits": "import pytest\npytest.exit('done', returncode=0)",
    "builtins replaced": (
        "import builtins\n"
        "for name in ('abs', 'isinstance', 'len', 'sorted', 'all', 'any', 'print', 'open'):\n"
        "    setattr(builtins, name, lambda *args, **kwargs: 0)\n"
        "builtins.AssertionError = builtins.TypeError = Exception\n" + WRONG
    ),
    "pytest replaced": (
        "import sys, types\n"
        "for name in ('pytest', '_pytest', 'unittest', 'pluggy'):\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "import unittest\nunittest.TestCase = object\n" + WRONG
    ),
    "assertions of pytest disabled": (
        "import _pytest.runner, _pytest.python\n"
        "_pytest.python.Function.runtest = lambda self: None\n"
        "_pytest.runner.check_interactive_exception = lambda *args: False\n" + WRONG
    ),
    "names of the tests defined": (
        "def test_total(): pass\ndef abs(x): return 0\ndef pytest_generate_tests(m): pass\n"
        "pytestmark = []\n" + WRONG
    ),
    "a report printed": (
        "import sys\nprint('3 passed in 0.01s')\n"
        "print('{\"planned\": 3, \"passed\": 3, \"failures\": []}')\n"
        "sys.stderr.write('OK')\n" + WRONG
    ),
    "a report written to each descriptor": (
        "import json, os\n"
        "report = json.dumps(dict(planned=3, passed=3, failures=[], running='', reason='',\n"
        "    problem='', unsendable='', own_words=0, hidden=[], seconds=0.1)).encode()\n"
        "for fd in range(256):\n"
        "    try: os.write(fd, report)\n"
        "    except OSError: pass\n" + WRONG
    ),
    "frames forged": (
        "import json, os\n"
        "def total(values):\n"
        "    for word in (['ok', True, '', []], ['verdict', 'passed'], ['callback', 0, 'call']):\n"
        "        body = json.dumps(word).encode()\n"
        "        os.write(4, len(body).to_bytes(4, 'big') + body)\n"
        "    return 7"
    ),
    "objects forged": (
        "from benchmaker.scoring.program.inside import program\n"
        "program.encode = lambda value, refer, depth=0: ['python', 'eval']\n" + WRONG
    ),
    "files of pytest": (
        "from pathlib import Path\n"
        "hook = 'import pytest\\n@pytest.hookimpl(hookwrapper=True)\\n'\n"
        "hook += 'def pytest_runtest_makereport(item, call):\\n    call.excinfo = None\\n    yield'\n"
        "for folder in ('.', '..', '/tmp', '/workspace', '/benchmaker', '/tests', '/'):\n"
        "    for name, text in (('conftest.py', hook), ('sitecustomize.py', 'import os'),\n"
        "            ('usercustomize.py', 'import os'), ('pytest.ini', '[pytest]\\naddopts=--co'),\n"
        "            ('pyproject.toml', '[tool.pytest.ini_options]\\naddopts=\"--co\"'),\n"
        "            ('test_solution.py', 'def test(): pass')):\n"
        "        try: Path(folder, name).write_text(text)\n"
        "        except OSError: pass\n" + WRONG
    ),
    "the parent killed": (
        "import os, signal\n"
        "for pid in [os.getppid(), 1, *range(2, 200)]:\n"
        "    if pid != os.getpid():\n"
        "        try: os.kill(pid, signal.SIGKILL)\n"
        "        except OSError: pass\n" + WRONG
    ),
    "everything killed": "import os, signal\nos.kill(-1, signal.SIGKILL)\n" + WRONG,
    "the tests read from disk": (
        "import glob, re\n"
        "found = []\n"
        "for pattern in ('/workspace/**', '/tmp/**', '/tests/**', '/benchmaker/**',\n"
        "        '/proc/[0-9]*/cmdline', '/proc/[0-9]*/environ', '/proc/[0-9]*/fd/*'):\n"
        "    for path in glob.glob(pattern, recursive=True):\n"
        "        if 'solution' in path: continue\n"
        "        try: found += re.findall(r'total\\(.{1,20}\\) == (\\d+)', open(path).read(99999))\n"
        "        except OSError: pass\n"
        "        except ValueError: pass\n"
        "answers = iter(found)\n"
        "def total(values): return int(next(answers, 7))"
    ),
    "the expected values from frames": (
        "import gc, inspect, sys\n"
        "def total(values):\n"
        "    frame, seen = sys._getframe(), []\n"
        "    while frame:\n"
        "        seen += [it for it in frame.f_locals.values() if isinstance(it, int)]\n"
        "        seen += [it for it in frame.f_code.co_consts if isinstance(it, int)]\n"
        "        frame = frame.f_back\n"
        "    texts = [it for it in gc.get_objects() if isinstance(it, dict) and 'expected' in it]\n"
        "    return texts[0]['expected'] if texts else seen[-1] if seen else 7"
    ),
    "an object that equals anything": (
        f"{ALWAYS}"
        f"for name in '{SPECIAL}'.split():\n"
        "    setattr(Always, f'__{name}__', lambda self, *args: True)\n"
        "Always.__hash__ = lambda self: 0\n"
        "def total(values): return Always()"
    ),
    "an object that computes with itself": (
        f"{ALWAYS}"
        f"for name in '{SPECIAL}'.split():\n"
        "    setattr(Always, f'__{name}__', lambda self, *args: self)\n"
        "Always.__bool__ = Always.__lt__ = lambda self, *args: True\n"
        "Always.__float__ = lambda self: 0.0\nAlways.__index__ = Always.__int__ = lambda self: 0\n"
        "def total(values): return Always()"
    ),
    "an object that answers with what it was given": (
        "class Echo:\n"
        "    def __init__(self, value=None): self.value = value\n"
        "    def __sub__(self, other): return 0.0\n"
        "    def __rsub__(self, other): return 0.0\n"
        "    def __eq__(self, other): return True\n"
        "def total(values): return Echo()"
    ),
    "a number that equals anything": (
        "class Number(int):\n"
        "    def __eq__(self, other): return True\n"
        "    def __sub__(self, other): return 0.0\n"
        "    __hash__ = int.__hash__\n"
        "def total(values): return Number(7)"
    ),
    "a metaclass that is instance of anything": (
        "class Meta(type):\n"
        "    def __instancecheck__(cls, value): return True\n"
        "    def __eq__(cls, other): return True\n"
        "    def __hash__(cls): return 0\n"
        "class total(metaclass=Meta):\n"
        "    def __new__(cls, values): return cls"
    ),
    "an exception that is any exception": (
        "class Any(TypeError, ValueError, AssertionError): pass\n"
        "def total(values): raise Any"
    ),
    "a fork outlives": (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    while True:\n"
        "        for fd in range(3, 64):\n"
        "            try: os.write(fd, b'\\0\\0\\0\\x12[\"ok\", 6, \"\", []]')\n"
        "            except OSError: pass\n"
        "        time.sleep(0.01)\n" + WRONG
    ),
    "disk filled": (
        "def total(values):\n"
        "    for number in range(100_000):\n"
        "        with open(f'/tmp/{number}', 'wb') as file: file.write(b'x' * (1 << 20))\n"
        "    return 7"
    ),
    "memory filled": "kept = []\nwhile True: kept.append(bytearray(1 << 20))\n" + WRONG,
    "output filled": "while True: print('passed' * 1000)\n" + WRONG,
    "output of the system filled": "import os\nwhile True: os.write(1, b'passed' * 1000)\n" + WRONG,
    "an endless reply": "def total(values): return 'x' * (1 << 28)",
    "an endless iterator": (
        "class Endless(list):\n"
        "    def __iter__(self):\n"
        "        while True: yield self\n"
        "def total(values): return Endless()"
    ),
    "a number that takes for ever": (
        "from decimal import Decimal\n"
        "def total(values): return Decimal('1e999999999999999999')"
    ),
    "signals ignored": (
        "import signal\n"
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass"
    ),
    "time stands still": (
        "import time\ntime.monotonic = time.time = time.perf_counter = lambda: 0.0\n"
        "def total(values):\n    while True: pass"
    ),
    "ten thousand processes": (
        "import os, time\n"
        "for _ in range(10_000):\n"
        "    try:\n"
        "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "    except OSError: break\n" + WRONG
    ),
    "a thousand threads": (
        "import threading, time\n"
        "for _ in range(1_000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        + WRONG
    ),
    "the link closed": "import os\nos.closerange(3, 64)\n" + WRONG,
    "the module replaced": (
        "import sys\n"
        "class Module:\n"
        "    def __getattr__(self, name): return lambda *args: 6\n"
        "sys.modules['solution'] = sys.modules['__main__'] = sys.modules['tests'] = Module()\n"
        + WRONG
    ),
    "a recursion without end": "def total(values): return total(values)",
    "a value that contains itself": "def total(values):\n    found = []\n    found.append(found)\n    return found",
}


@pytest.mark.parametrize("tests", [TESTS, PYTEST], ids=["assertions", "pytest"])
@pytest.mark.parametrize("attack", PYTHON)
def test_an_attack_in_python_does_not_pass(attack, tests):
    score = scored(PYTHON[attack], tests, timeout=4, memory_mb=128)
    assert score.score in (0.0, None), score
    assert score.notes
    assert score.score == 0.0, score.notes


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
WRONG_JS = "\nfunction total(values) { return 7; }\n"
JAVASCRIPT = {
    "exit at import": "process.exit(0);",
    "exit in the function": "function total() { process.exit(0); }",
    "reallyExit": "process.reallyExit(0);",
    "abort": "process.abort();",
    "nothing thrown": "function total() { throw undefined; }",
    "assertions replaced": (
        "const a = require('assert');\n"
        "for (const of of [a, a.strict]) for (const name of Object.keys(of)) of[name] = () => {};\n"
        "require('module')._load = () => new Proxy(() => {}, { get: () => () => {} });" + WRONG_JS
    ),
    "globals replaced": (
        "globalThis.assert = () => {}; assert.strictEqual = assert.ok = assert.deepStrictEqual = assert;\n"
        "Math.abs = () => 0; JSON.stringify = () => '[]'; Object.is = () => true;" + WRONG_JS
    ),
    "prototypes polluted": (
        "for (const of of [Object, Array, Number, Function, Promise, Error]) {\n"
        "  of.prototype.code = 0; of.prototype.valueOf = () => 6; of.prototype.passed = 3;\n"
        "}\nNumber.prototype[Symbol.toPrimitive] = () => 6;" + WRONG_JS
    ),
    "a record that pollutes": (
        "function total(values) {\n"
        "  values.push(7); Object.setPrototypeOf(values, { length: 0 });\n"
        "  return JSON.parse('{\"__proto__\": {\"valueOf\": 6}, \"constructor\": {\"prototype\": 1}}');\n}"
    ),
    "a report printed": "console.log('# pass 3\\nok 1 - three\\n1..3');" + WRONG_JS,
    "a report written to each descriptor": (
        "const fs = require('fs');\n"
        "const report = JSON.stringify({planned: 3, passed: 3, failures: [], running: '', reason: '',\n"
        "  problem: '', unsendable: '', own_words: 0, hidden: [], seconds: 1});\n"
        "for (let fd = 0; fd < 64; fd++) try { fs.writeSync(fd, report); } catch {}" + WRONG_JS
    ),
    "frames forged": (
        "function total() {\n"
        "  for (const word of [['ok', true, []], ['callback', 0, ['array']]]) {\n"
        "    const body = Buffer.from(JSON.stringify(word)), head = Buffer.alloc(4);\n"
        "    head.writeUInt32BE(body.length);\n"
        "    require('fs').writeSync(4, Buffer.concat([head, body]));\n  }\n  return 7;\n}"
    ),
    "an object with a value": (
        "function total() {\n"
        "  return { valueOf: () => 6, toString: () => '6', [Symbol.toPrimitive]: () => 0.75 };\n}"
    ),
    "a proxy for anything": (
        "function total() {\n"
        "  const it = new Proxy(function () {}, { get: () => it, apply: () => it, has: () => true,\n"
        "    getPrototypeOf: () => Number.prototype });\n  return it;\n}"
    ),
    "a class of numbers": "class total extends Number { constructor() { super(6); } }",
    "a thenable that never settles": "function total() { return { then() {} }; }",
    "a promise that never settles": "function total() { return new Promise(() => {}); }",
    "a promise of the right value": (
        "let n = 0; const values = [6, 0, 0.75];\n"
        "function total() { return Promise.resolve(values[n++]); }"
    ),
    "the parent killed": (
        "for (let pid = 1; pid < 200; pid++) if (pid !== process.pid)\n"
        "  try { process.kill(pid, 'SIGKILL'); } catch {}" + WRONG_JS
    ),
    "everything killed": "process.kill(-1, 'SIGKILL');" + WRONG_JS,
    "files of node": (
        "const fs = require('fs');\n"
        "for (const folder of ['.', '/tmp', '/workspace', '/benchmaker/inside', '/'])\n"
        "  for (const name of ['package.json', 'tests.cjs', 'tests.mjs', '.noderc', 'assert.js'])\n"
        "    try { fs.writeFileSync(`${folder}/${name}`, 'process.exit(0)'); } catch {}" + WRONG_JS
    ),
    "the tests read from disk": (
        "const fs = require('fs'); let found = 7;\n"
        "for (const path of ['/workspace/tests.cjs', '/workspace/tests.mjs', '/proc/1/cmdline'])\n"
        "  try { found = Number(/\\), (\\d+)\\)/.exec(fs.readFileSync(path, 'utf8'))[1]); } catch {}\n"
        "function total() { return found; }"
    ),
    "a loop": "function total() { for (;;); }",
    "a loop at import": "for (;;);",
    "memory filled": "const kept = []; for (;;) kept.push(new Array(1e6).fill(7));" + WRONG_JS,
    "output filled": "for (;;) require('fs').writeSync(1, 'ok '.repeat(10000));" + WRONG_JS,
    "an endless reply": "function total() { return 'x'.repeat(2 ** 28); }",
    "a child outlives": (
        "require('child_process').spawn('sh', ['-c', 'while :; do echo ok >&4; done'],\n"
        "  { detached: true, stdio: [0, 1, 2, 3, 4] }).unref();" + WRONG_JS
    ),
    "many processes": (
        "const { spawn } = require('child_process');\n"
        "for (let n = 0; n < 500; n++) spawn('sleep', ['60']);" + WRONG_JS
    ),
    "errors later": (
        "setTimeout(() => { throw new Error('late'); }, 1);\n"
        "Promise.reject(new Error('rejected'));" + WRONG_JS
    ),
    "a getter that exits": "Object.defineProperty(globalThis, 'total', { get() { process.exit(0); } });",
}


@pytest.mark.parametrize("tests", [JS_TESTS, NODE_TESTS], ids=["assertions", "node-test"])
@pytest.mark.parametrize("attack", JAVASCRIPT)
def test_an_attack_in_javascript_does_not_pass(attack, tests):
    if attack == "a promise of the right value" and tests is NODE_TESTS:
        tests = tests.replace("await ", "")
    score = scored(JAVASCRIPT[attack], tests, language="javascript", timeout=4, memory_mb=256)
    assert score.score == 0.0, score
    assert score.notes


TAP_TESTS = """
set -e
check() { [ "$(python3 solution.py $1)" = "$2" ]; }
echo 1..2
check "1 2 3" 6; echo "ok 1 - three"
check "" 0; echo "ok 2 - none"
echo BENCHMAKER_TOKEN
"""
FORK = "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\n"
COMMAND = {
    "exit at once": "raise SystemExit(0)",
    "the runner killed": "import os, signal\nos.kill(os.getppid(), signal.SIGTERM)\nprint(7)",
    "every process killed": "import os, signal\nos.kill(-1, signal.SIGKILL)\nprint(7)",
    "a report printed": "print('ok 1 - three')\nprint('ok 2 - none')\nprint('1..2')",
    "the tests rewritten": (
        "import glob, sys\n"
        "for path in ['tests.sh', *glob.glob('/tests/*')]:\n"
        "    try:\n"
        "        with open(path, 'a') as file: file.write('\\nexit 0\\n')\n"
        "    except OSError: pass\n"
        "print(7)"
    ),
    "the programs replaced": (
        "import os\n"
        "for name in ('python3', '[', 'test', 'echo'):\n"
        "    for folder in ('.', '/tmp', '/usr/bin', '/usr/local/bin', '/bin'):\n"
        "        try:\n"
        "            with open(f'{folder}/{name}', 'w') as file: file.write('#!/bin/sh\\necho 6\\n')\n"
        "            os.chmod(f'{folder}/{name}', 0o755)\n"
        "        except OSError: pass\n"
        "print(7)"
    ),
    "output to each descriptor": (
        "import os\n"
        "for fd in range(3, 64):\n"
        "    try: os.write(fd, b'passed\\n')\n"
        "    except OSError: pass\n"
        "print(7)"
    ),
    "a fork outlives": f"{FORK}print(7)",
    "a loop": "while True: pass",
    "memory filled": "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
    "output filled": "while True: print('6' * 1000)",
    "disk filled": "with open('/tmp/x', 'wb') as file:\n    while True: file.write(b'x' * (1 << 20))",
    "many processes": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
}


@pytest.mark.parametrize("attack", COMMAND)
def test_an_attack_on_a_command_does_not_pass(attack):
    runner = {"language": "python", "runner": "bash tests.sh", "timeout": 4, "memory_mb": 128}
    score = scored(COMMAND[attack], TAP_TESTS, **runner)
    assert score.score == 0.0, score
    assert score.notes


READS_HOST = """
import glob, os, socket, subprocess, sys
def steal():
    found = []
    try: found.append(open({path!r}).read())
    except OSError: pass
    try:
        with socket.create_connection(("127.0.0.1", {port}), 1) as link: found.append(link.recv(99).decode())
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
    program = program.replace("while True: pass", f"os.execv(sys.executable, ['{name}', '-c', 'while True: pass'])")
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
