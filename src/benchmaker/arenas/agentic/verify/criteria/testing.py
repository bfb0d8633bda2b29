"""Criterion: the task's own tests pass."""

from benchmaker.arenas.agentic.verify.criterion_context import GradingContext
from benchmaker.arenas.agentic.verify.finding import Finding
from benchmaker.arenas.agentic.verify.frameworks.command import run_command_tests
from benchmaker.arenas.agentic.verify.frameworks.python import run_python_tests
from benchmaker.spec.tasks.criterion import TestsPass


async def tests_pass(criterion: TestsPass, place: GradingContext) -> Finding:
    """Run the tests by our own sealed runner if there is one, else by a command and its report."""
    if criterion.framework in ("pytest", "unittest") and criterion.run is None:
        return await run_python_tests(criterion, place)
    return await run_command_tests(criterion, place)
