"""A new task that runs: everything a task can have, in little."""

import re
from pathlib import Path
from typing import Final

from benchmaker.errors import SpecError

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")

_TASK: Final = """\
# yaml-language-server: $schema=task.schema.json
id: {name}
title: Sum the numbers of a file
prompt: |
  Write total.py. `python total.py FILE` prints the sum of the numbers in FILE, one on each line.
  Lines that are empty or begin with # don't count.
category: data_analysis
difficulty: easy

# What is graded. Everything else that was left behind is not looked at.
outputs: [total.py]

criteria:
  - {{id: there, type: file_exists, path: total.py}}
  - {{id: parses, type: code_compiles, paths: [total.py]}}
  - id: tests
    type: tests_pass
    framework: unittest
    at_least: 4
    required: true
    visibility: hidden
    weight: 3
  - id: example
    type: output_match
    run: [python, total.py, numbers.txt]
    expected: "6"
"""

_TESTS: Final = '''\
"""They start the program and never import it, so that it can't reach into the tests."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


def total(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "numbers.txt")
        path.write_text(text)
        done = subprocess.run(
            [sys.executable, "total.py", path], capture_output=True, text=True, timeout=10
        )
    return done.stdout.strip()


class TotalTest(unittest.TestCase):
    def test_numbers_are_summed(self):
        self.assertEqual(total("1\\n2\\n39\\n"), "42")

    def test_empty_lines_do_not_count(self):
        self.assertEqual(total("\\n7\\n\\n\\n8\\n"), "15")

    def test_remarks_do_not_count(self):
        self.assertEqual(total("# 100\\n5\\n"), "5")

    def test_negative_numbers_are_numbers(self):
        self.assertEqual(total("-3\\n1\\n"), "-2")
'''

_REFERENCE: Final = '''\
"""Prints the sum of the numbers in a file."""

import sys
from pathlib import Path

lines = (line.strip() for line in Path(sys.argv[1]).read_text().splitlines())
print(sum(int(line) for line in lines if line and not line.startswith("#")))
'''

_CHEAT: Final = """\
print(6)
"""

_FILES: Final = {
    "task.yaml": _TASK,
    "start/numbers.txt": "1\n2\n3\n",
    "tests/test_total.py": _TESTS,
    "reference/total.py": _REFERENCE,
    "cheats/example-only/total.py": _CHEAT,
}


def new_task(folder: Path) -> tuple[Path, ...]:
    """Write a small task that passes ``check``; the folder's name is its id.

    Raises:
        SpecError: the name is not a valid id, or the folder exists already.
    """
    if not _NAME.fullmatch(folder.name):
        hint = "Use lower-case letters, digits, dots, hyphens and underscores."
        raise SpecError(f"{folder.name!r} is not a valid task id.", hint=hint)
    if folder.exists():
        raise SpecError("the folder is not empty.", where=str(folder), hint="Choose another.")
    written = []
    for name, text in _FILES.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        filled = text.format(name=folder.name) if name == "task.yaml" else text
        place.write_text(filled, encoding="utf-8")
        written.append(place)
    return tuple(written)
