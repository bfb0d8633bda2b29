"""The program in an answer: which block it is, and its text."""

import pytest

from benchmaker.scoring.program.fences import extract_program
from benchmaker.scoring.program.languages import fence_labels, language_named

PYTHON = fence_labels("python")


@pytest.mark.parametrize(
    ("answer", "rule", "program"),
    [
        ("x = 1", "whole", "x = 1"),
        ("```python\nx = 1\n```", "last_fence", "x = 1\n"),
        ("Sure!\n```Py\nx = 1\n```\nIt works.", "last_fence", "x = 1\n"),
        ("```\nx = 1\n```", "only_fence", "x = 1\n"),
        ("```js\nx = 1\n```", "only_fence", "x = 1\n"),
        ("```python\nx = 1\n```\nor\n```python\nx = 2\n```", "last_fence", "x = 2\n"),
        ("```python\nx = 1\n```\nprints\n```\n1\n```", "last_fence", "x = 1\n"),
        ("```\nx = 1\n```\nor\n```\nx = 2\n```", "whole", "```\nx = 1\n```\nor\n```\nx = 2\n```"),
        ("~~~python\nx = '```'\n~~~", "last_fence", "x = '```'\n"),
        ("````python\n```\nx = 1\n````", "last_fence", "```\nx = 1\n"),
        ("- so:\n  ```python\n  if x:\n      y()\n  ```", "last_fence", "if x:\n    y()\n"),
        ("```python title=a.py\nx = 1\n```", "last_fence", "x = 1\n"),
        ("```{.python}\nx = 1\n```", "last_fence", "x = 1\n"),
        ("```python\nx = 1", "last_fence", "x = 1"),
        ("```python\r\nx = 1\r\n```\r\n", "last_fence", "x = 1\r\n"),
        ("<think>```python\nx = 0\n```</think>\n```python\nx = 1\n```", "last_fence", "x = 1\n"),
        ("Use `x = 1` there.", "whole", "Use `x = 1` there."),
        ("```python\n```", "last_fence", ""),
        ("", "whole", ""),
    ],
)
def test_the_program_is_found(answer, rule, program):
    found = extract_program(answer, PYTHON)
    assert (found.rule, found.text) == (rule, program)


@pytest.mark.parametrize(
    ("label", "language"),
    [("py", "python"), ("JS", "javascript"), ("golang", "go"), ("cobol", "cobol"), (" C ", "c")],
)
def test_a_language_has_one_name(label, language):
    assert language_named(label) == language
    assert language in fence_labels(language)
