"""Programs of answers, run behind the walls; without bubblewrap these tests are left out."""

import asyncio
import os

from benchmaker.sandbox import Isolation
from benchmaker.sandbox.isolation_check import unmet_prerequisite
from benchmaker.scoring.program.code_check import Code
from benchmaker.testing import a_case, a_trial
from tests.left_out import leave_out

WITHOUT_A_PROGRAM = {"test_fences", "test_source_names", "test_values"}


def pytest_collection_modifyitems(config, items):
    """Under CI they fail without bubblewrap; elsewhere they are deselected with a word."""
    missing = unmet_prerequisite(Isolation.NAMESPACE)
    if missing is None or os.environ.get("CI", "") in {"1", "true"}:
        return
    out = [
        it
        for it in items
        if "scoring/program/" in it.nodeid and it.path.stem not in WITHOUT_A_PROGRAM
    ]
    if out:
        leave_out(config, items, out, f"of code checks not run: {missing}")


def scored(program, tests, *, language="python", **parameters):
    """The score of a program in a fence, as an answer holds it."""
    check = Code(language, tests, **parameters)
    answer = f"Here it is:\n\n```{language}\n{program}\n```\n"
    return asyncio.run(check.score(a_case(), a_trial(text=answer)))
