"""Each kind of criterion with the function that checks it."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from benchmaker.arenas.agentic.verify.criteria import (
    commands,
    compiling,
    diff,
    files,
    harbor,
    http,
    json_schema,
    plugin,
    review,
    rubric,
    session,
    testing,
)
from benchmaker.arenas.agentic.verify.criterion_context import GradingContext
from benchmaker.arenas.agentic.verify.finding import Finding

Check = Callable[[Any, GradingContext], Awaitable[Finding]]  # each takes its own kind of criterion

CHECKS: Final[dict[str, Check]] = {
    "file_exists": files.file_exists,
    "file_absent": files.file_absent,
    "file_content": files.file_content,
    "json_schema": json_schema.json_schema,
    "no_errors": session.no_errors,
    "code_compiles": compiling.code_compiles,
    "command": commands.command,
    "tests_pass": testing.tests_pass,
    "lint": commands.lint,
    "http_probe": http.http_probe,
    "diff_limits": diff.diff_limits,
    "output_match": commands.output_match,
    "performance": commands.performance,
    "min_functionality": commands.min_functionality,
    "harbor_test": harbor.harbor_test,
    "llm_rubric": rubric.llm_rubric,
    "human_review": review.human_review,
    "plugin": plugin.plugin,
}
