"""Repositories in the styles of public ones: which of their commits become tasks."""

from dataclasses import dataclass, field

import pytest

from benchmaker.arenas.agentic.tasks.from_commit import CommitOptions, task_from_commit
from benchmaker.errors import SpecError
from tests.arenas.agentic.tasks.repositories import Made

pytestmark = pytest.mark.long

WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
PYTEST = "from {module} import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
UNITTEST = (
    "import unittest\n\nfrom {module} import add\n\n\nclass AddTest(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
)
PARAMETRISED = (
    "import pytest\n\nfrom {module} import add\n\n\n"
    '@pytest.mark.parametrize(("a", "b", "total"), [(1, 2, 3), (0, 0, 0), (-1, 1, 0)])\n'
    "def test_add(a, b, total):\n    assert add(a, b) == total\n"
)
FIXTURES = (
    "from {module} import add\n\n\n"
    "def test_add(numbers):\n    assert add(*numbers) == numbers.total\n"
)
CONFTEST = (
    "from collections import namedtuple\n\nimport pytest\n\n"
    'Numbers = namedtuple("Numbers", ["a", "b"])\nNumbers.total = 3\n\n\n'
    "@pytest.fixture\ndef numbers():\n    return Numbers(1, 2)\n"
)
FROM_FILE = (
    "import json\nfrom pathlib import Path\n\nfrom {module} import add\n\n\ndef test_add():\n"
    '    for row in json.loads((Path(__file__).parent / "data" / "sums.json").read_text()):\n'
    '        assert add(row["a"], row["b"]) == row["sum"]\n'
)
READS_DATA = (
    "import json\nfrom pathlib import Path\n\n\ndef add(a, b):\n"
    '    return a + b + json.loads((Path(__file__).parent / "offset.json").read_text())\n'
)
PROJECT = '[project]\nname = "sums"\nversion = "1"\n'
BINARY = bytes(range(256)) * 20_000


@dataclass(frozen=True)
class Style:
    """A repository before a commit, and the files of the commit; None deletes one."""

    before: dict
    commit: dict
    start: tuple = ()
    reference: tuple = ()
    options: dict = field(default_factory=dict)


def dos(text):
    return text.replace("\n", "\r\n")


MADE = {
    "flat, unittest": Style(
        {"sums.py": WRONG, "test_sums.py": "import unittest\n"},
        {"sums.py": RIGHT, "test_sums.py": UNITTEST.format(module="sums")},
        ("sums.py", "test_sums.py"), ("sums.py",),
    ),
    "flat, pytest": Style(
        {"sums.py": WRONG, "pyproject.toml": PROJECT},
        {"sums.py": RIGHT, "test_sums.py": PYTEST.format(module="sums")},
        ("pyproject.toml", "sums.py"), ("sums.py",),
    ),
    "src, pytest": Style(
        {"src/sums/__init__.py": "", "src/sums/core.py": WRONG, "pyproject.toml": PROJECT},
        {"src/sums/core.py": RIGHT, "tests/test_core.py": PYTEST.format(module="sums.core")},
        ("src/sums/core.py",), ("src/sums/core.py",),
    ),
    "src, unittest in packages": Style(
        {"src/sums/__init__.py": "", "src/sums/core.py": WRONG, "tests/__init__.py": ""},
        {"src/sums/core.py": RIGHT, "tests/unit/__init__.py": "",
         "tests/unit/test_core.py": UNITTEST.format(module="sums.core")},
        ("src/sums/core.py",), ("src/sums/core.py",),
    ),
    "package, tests inside": Style(
        {"sums/__init__.py": "", "sums/core.py": WRONG, "sums/tests/__init__.py": ""},
        {"sums/core.py": RIGHT, "sums/tests/test_core.py": PYTEST.format(module="sums.core")},
        ("sums/core.py",), ("sums/core.py",),
    ),
    "parametrised": Style(
        {"sums.py": WRONG},
        {"sums.py": RIGHT, "tests/test_sums.py": PARAMETRISED.format(module="sums")},
        ("sums.py",), ("sums.py",),
    ),
    "fixtures in conftest": Style(
        {"sums.py": WRONG, "tests/conftest.py": "import pytest\n"},
        {"sums.py": RIGHT, "tests/conftest.py": CONFTEST,
         "tests/test_sums.py": FIXTURES.format(module="sums")},
        ("sums.py", "tests/conftest.py"), ("sums.py",),
    ),
    "data beside the tests": Style(
        {"sums.py": WRONG},
        {"sums.py": RIGHT, "tests/test_sums.py": FROM_FILE.format(module="sums"),
         "tests/data/sums.json": '[{"a": 1, "b": 2, "sum": 3}]'},
        ("sums.py",), ("sums.py",),
    ),
    "data of the program": Style(
        {"sums.py": WRONG},
        {"sums.py": READS_DATA, "offset.json": "0",
         "tests/test_sums.py": PYTEST.format(module="sums")},
        ("sums.py",), ("offset.json", "sums.py"),
    ),
    "Windows line ends": Style(
        {"sums.py": dos(WRONG)},
        {"sums.py": dos(RIGHT), "tests/test_sums.py": dos(PYTEST.format(module="sums"))},
        ("sums.py",), ("sums.py",),
    ),
    "a big binary file in the repository": Style(
        {"sums.py": WRONG, "assets/photo.bin": BINARY},
        {"sums.py": RIGHT, "tests/test_sums.py": PYTEST.format(module="sums")},
        ("assets/photo.bin", "sums.py"), ("sums.py",),
    ),
    "a binary file beside the tests": Style(
        {"sums.py": WRONG},
        {"sums.py": RIGHT, "tests/photo.bin": BINARY,
         "tests/test_sums.py": PYTEST.format(module="sums")},
        ("sums.py",), ("sums.py",),
    ),
}  # fmt: skip

REFUSED = {
    "a module that is only moved": (
        Style(
            {"sums.py": RIGHT, "tests/test_sums.py": PYTEST.format(module="sums")},
            {"sums.py": None, "lib/sums.py": RIGHT},
        ),
        "adds or changes no tests",
    ),
    "tests that are only moved": (
        Style(
            {"sums.py": RIGHT, "test_sums.py": PYTEST.format(module="sums")},
            {"test_sums.py": None, "tests/test_sums.py": PYTEST.format(module="sums")},
        ),
        "nothing but tests",
    ),
    "no tests": (Style({"sums.py": WRONG}, {"sums.py": RIGHT}), "adds or changes no tests"),
    "documentation": (
        Style({"sums.py": RIGHT}, {"README.md": "Sums\n"}), "adds or changes no tests",
    ),
    "a refactoring with tests": (
        Style(
            {"sums.py": RIGHT},
            {"sums.py": RIGHT.replace("a + b", "b + a"),
             "tests/test_sums.py": PYTEST.format(module="sums")},
        ),
        "pass without its other changes",
    ),
    "a network": (
        Style(
            {"sums.py": WRONG},
            {"sums.py": RIGHT, "tests/test_sums.py": PYTEST.format(module="sums")
             + "\n\ndef test_net():\n    import urllib.request\n\n"
             '    urllib.request.urlopen("http://example.org")\n'},
        ),
        "need the network",
    ),
    "a package": (
        Style(
            {"sums.py": WRONG},
            {"sums.py": RIGHT,
             "tests/test_sums.py": "import no_such_thing\n" + PYTEST.format(module="sums")},
        ),
        "need no_such_thing, which is not installed",
    ),
    "a big binary file": (
        Style(
            {"sums.py": WRONG},
            {"sums.py": RIGHT, "photo.bin": BINARY,
             "tests/test_sums.py": PYTEST.format(module="sums")},
        ),
        "changes the binary file photo.bin",
    ),
}  # fmt: skip

QUICK = {"flat, unittest", "src, pytest"}


def made_from(style, tmp_path):
    repository = Made(tmp_path / "sums")
    repository.commit("Start", style.before)
    repository.commit("Add instead of subtracting", style.commit)
    return task_from_commit(
        repository.folder, "HEAD", tmp_path / "task", CommitOptions(**style.options)
    )


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in MADE],
)
def test_a_commit_in_this_style_is_a_task(tmp_path, name):
    style = MADE[name]
    made = made_from(style, tmp_path)
    assert made.checked.is_sound
    assert made.left_out == ()
    for path in style.start:
        assert (made.task.start / path).read_bytes() == as_bytes(style.before[path])
    for path in style.reference:
        assert (made.task.reference / path).read_bytes() == as_bytes(style.commit[path])
    hidden = [path for path in style.commit if path not in style.reference]
    assert all((made.task.tests / path).exists() for path in hidden)
    assert not any((made.task.reference / path).exists() for path in hidden)


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


@pytest.mark.parametrize("name", REFUSED)
def test_a_commit_in_this_style_is_refused(tmp_path, name):
    style, why = REFUSED[name]
    with pytest.raises(SpecError, match="no task from this commit") as refused:
        made_from(style, tmp_path)
    assert why in str(refused.value)
    assert not (tmp_path / "task").exists()


def test_an_unchanged_submodule_is_left_out_and_named(tmp_path):
    repository = Made(tmp_path / "sums")
    head = repository.git("rev-parse", "HEAD")
    (repository.folder / "sums.py").write_text(WRONG)
    repository.git("add", "sums.py")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},vendor/lib")
    repository.git("commit", "-q", "-m", "Start")
    (repository.folder / "sums.py").write_text(RIGHT)
    (repository.folder / "test_sums.py").write_text(UNITTEST.format(module="sums"))
    repository.git("add", "sums.py", "test_sums.py")
    repository.git("commit", "-q", "-m", "Add instead of subtracting")
    made = task_from_commit(repository.folder, "HEAD", tmp_path / "task", CommitOptions())
    assert made.checked.is_sound
    assert made.left_out == ("vendor/lib",)
