"""The criteria of a task, each as a function that returns the reason why it is not met."""

import ast
import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

Criterion = dict[str, Any]
Grader = Any  # of grade.py, which loads this file by its path

_SIGNS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
_BENDING = (
    r"(.*/)?(\.git|\.hg|__pycache__|node_modules|site-packages)(/.*)?",
    r"(.*/)?(conftest|sitecustomize|usercustomize|noxfile)\.py[co]?",
    r"(.*/)?(site|user)customize/.*",
    r"(.*/)?(\.?pytest\.(ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml|pyvenv\.cfg)",
    r"(.*/)?(package\.json|jest\..*|vitest\..*|babel\.config\..*|\.npmrc|.*_test\.go|go\.work)",
    r"(.*/)?(\.?ruff\.toml|\.flake8|\.?pylintrc|\.?mypy\.ini|\.eslintrc.*)",
    r".*\.(pth|_pth|pyc|pyo)",
)
_GRACE_S = 5.0


def is_bending(path: str) -> bool:
    """True for a file that could influence a test run."""
    return any(re.fullmatch(pattern, path) for pattern in _BENDING)


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a matcher for paths by any of the patterns of a task."""
    compiled = [re.compile(_expression(pattern)) for pattern in patterns]
    return lambda path: any(one.fullmatch(path) for one in compiled)


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", os.path.normpath(pattern))
    return "(?s:" + "".join(_SIGNS.get(part) or re.escape(part) for part in parts) + r"(?:/.*)?)"


def files(folder: Path) -> Iterator[str]:
    """The regular files below a folder, in order; links are not followed."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not Path(here, name).is_symlink())
        for name in sorted(names):
            path = Path(here, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(folder).as_posix()


def _matching(path: str, grader: Grader) -> list[Path]:
    is_named = matcher([path])
    return [grader.submitted / name for name in files(grader.submitted) if is_named(name)]


def file_exists(one: Criterion, grader: Grader) -> str:
    """A file is there, large enough."""
    found = _matching(one["path"], grader)
    is_met = any(path.stat().st_size >= one["min_bytes"] for path in found)
    return "" if is_met else f"no {one['path']} of {one['min_bytes']} bytes"


def file_absent(one: Criterion, grader: Grader) -> str:
    """No such file is there."""
    return f"found {one['path']}" if _matching(one["path"], grader) else ""


def file_content(one: Criterion, grader: Grader) -> str:
    """One of the files at the path meets all conditions."""
    problems = [_content_problem(one, path.read_bytes()) for path in _matching(one["path"], grader)]
    return "" if "" in problems else next(iter(problems), f"no {one['path']}")


def _content_problem(one: Criterion, content: bytes) -> str:
    if one["sha256"] and hashlib.sha256(content).hexdigest() != one["sha256"]:
        return "unexpected content"
    text = content.decode("utf-8-sig", "replace")
    for wanted in one["contains"]:
        if wanted not in text:
            return f"{wanted!r} is missing"
    for unwanted in one["not_contains"]:
        if unwanted in text:
            return f"{unwanted!r} is not allowed"
    return "" if not one["pattern"] or re.search(one["pattern"], text) else "no match"


def json_schema(one: Criterion, grader: Grader) -> str:
    """A JSON file is of the schema."""
    schema = one["schema"]
    if isinstance(schema, str):
        schema = json.loads(grader.answer(schema))
    text = (grader.submitted / one["path"]).read_text(encoding="utf-8-sig")
    return next(schema_problems(json.loads(text), schema, one["path"]), "")


_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    ),
}
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "minLength": lambda value, bound: len(value) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
    "pattern": lambda value, bound: re.search(bound, value) is not None,
    "minItems": lambda value, bound: len(value) >= bound,
    "maxItems": lambda value, bound: len(value) <= bound,
}
_OF_TYPE = {
    "minLength": "string",
    "maxLength": "string",
    "pattern": "string",
    "minItems": "array",
    "maxItems": "array",
}
KEYWORDS = frozenset(
    {
        *("$schema", "$id", "title", "description", "type", "enum", "const", "required"),
        *("properties", "additionalProperties", "items", *_BOUNDS),
    }
)
"""The keywords of JSON Schema that :func:`json_schema` knows."""


def schema_problems(value: Any, schema: Any, at: str) -> Iterator[str]:  # noqa: ANN401  JSON
    """Yield the places at which a value is not of the schema."""
    if schema is True or schema == {}:
        return
    if schema is False:
        yield f"{at} is not allowed"
        return
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(_TYPES[name](value) for name in names):
        yield f"{at} is no {' or '.join(names)}"
        return
    for allowed in [schema["enum"]] if "enum" in schema else []:
        if not any(_same(value, one) for one in allowed):
            yield f"{at} is none of the allowed values"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{at} is not the required value"
    for name, is_within in _BOUNDS.items():
        is_fitting = _TYPES[_OF_TYPE.get(name, "number")](value)
        if name in schema and is_fitting and not is_within(value, schema[name]):
            yield f"{at} violates {name} {schema[name]}"
    yield from _inner_problems(value, schema, at)


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401  JSON
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _inner_problems(value: Any, schema: Any, at: str) -> Iterator[str]:  # noqa: ANN401  JSON
    if isinstance(value, list) and "items" in schema:
        for i, one in enumerate(value):
            yield from schema_problems(one, schema["items"], f"{at}[{i}]")
    if not isinstance(value, dict):
        return
    yield from (f"{at} has no {name}" for name in schema.get("required", ()) if name not in value)
    known = schema.get("properties", {})
    for name, one in value.items():
        inner = known.get(name, schema.get("additionalProperties", True))
        yield from schema_problems(one, inner, f"{at}.{name}")


def code_compiles(one: Criterion, grader: Grader) -> str:
    """Source files parse: Python by its own parser, else by the command."""
    named = matcher(one["paths"])
    found = [path for path in files(grader.submitted) if named(path)]
    if not found:
        return "no such files"
    for path in found:
        if one["run"]:
            ended = grader.run([*one["run"], path], seconds=one["timeout_s"])
            if ended.status:
                return f"{path}: {_end(ended)}"
            continue
        try:
            compile((grader.submitted / path).read_bytes(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
            return f"{path}: {exc}"
    return ""


def command(one: Criterion, grader: Grader) -> str:
    """A command exits with this status and prints text that matches these patterns."""
    ended = grader.run(one["run"], seconds=one["timeout_s"], stdin=one["stdin"])
    if ended.status != one["exit_status"]:
        return _end(ended)
    for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if one[name] and not re.search(one[name], text):
            return f"no match in {name}"
    return ""


def min_functionality(one: Criterion, grader: Grader) -> str:
    """Each command succeeds."""
    for argv in one["checks"]:
        ended = grader.run(argv, seconds=one["timeout_s"])
        if ended.status != 0:
            return _end(ended)
    return ""


def lint(one: Criterion, grader: Grader) -> str:
    """A linter reports at most this number of findings."""
    ended = grader.run(one["run"], seconds=one["timeout_s"])
    lines = f"{ended.stdout}\n{ended.stderr}".splitlines()
    found = [line for line in lines if re.search(one["finding"], line)]
    if ended.status is None or (ended.status and not found):
        return _end(ended)
    return "" if len(found) <= one["at_most"] else f"{len(found)} findings"


def output_match(one: Criterion, grader: Grader) -> str:
    """A command prints the expected text."""
    ended = grader.run(one["run"], seconds=one["timeout_s"], stdin=one["stdin"])
    if ended.status != 0:
        return _end(ended)
    expected = one["expected"]
    if expected is None:
        expected = grader.answer(one["expected_file"])
    match one["compare"]:
        case "exact":
            is_met = ended.stdout == expected
        case "trimmed":
            is_met = _trim_lines(ended.stdout) == _trim_lines(expected)
        case _:
            is_met = _near(ended.stdout.split(), expected.split(), one["tolerance"])
    return "" if is_met else "the output differs"


def _trim_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _near(given: list[str], wanted: list[str], tolerance: float) -> bool:
    return len(given) == len(wanted) and all(
        a == b or _is_near(a, b, tolerance) for a, b in zip(given, wanted, strict=True)
    )


def _is_near(one: str, other: str, tolerance: float) -> bool:
    try:
        return math.isclose(float(one), float(other), rel_tol=0.0, abs_tol=tolerance)
    except ValueError:
        return False


def performance(one: Criterion, grader: Grader) -> str:
    """A command succeeds within these seconds; the best of some runs counts."""
    best = math.inf
    for _ in range(one["runs"]):
        ended = grader.run(one["run"], seconds=one["timeout_s"])
        if ended.status != 0:
            return _end(ended)
        best = min(best, ended.seconds)
    is_met = one["max_seconds"] is None or best <= one["max_seconds"]
    return "" if is_met else f"{best:.2f} s"


def diff_limits(one: Criterion, grader: Grader) -> str:
    """Changes to the initial files stay within bounds."""
    before, after = grader.tests / "start", grader.submitted
    names = sorted({*files(before), *files(after)})
    changed = [name for name in names if _content(before / name) != _content(after / name)]
    is_forbidden, is_within = matcher(one["forbidden"]), matcher(one["only"])
    for name in changed:
        if is_forbidden(name) or (one["only"] and not is_within(name)):
            return f"{name} was changed"
    if one["max_files"] is not None and len(changed) > one["max_files"]:
        return f"{len(changed)} files changed"
    lines = sum(_lines_changed(before / name, after / name) for name in changed)
    is_met = one["max_lines"] is None or lines <= one["max_lines"]
    return "" if is_met else f"{lines} lines changed"


def _content(place: Path) -> bytes | None:
    return place.read_bytes() if place.is_file() else None


def _lines_changed(before: Path, after: Path) -> int:
    old, new = ((_content(place) or b"").splitlines() for place in (before, after))
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return len(old) + len(new) - 2 * sum(block.size for block in blocks)


def tests_pass(one: Criterion, grader: Grader) -> str:
    """The task's own tests pass, run by Benchmaker's sealed runner."""
    framework = one["framework"]
    usual = ("**/test_*.py", "**/*_test.py") if framework == "pytest" else ("**/test*.py",)
    is_named = matcher(one["paths"] or usual)
    paths = [
        path
        for path in files(grader.graded_tests)
        if is_named(path)
        and path.endswith(".py")
        and path.rpartition("/")[2] not in ("conftest.py", "__init__.py")
    ]
    plan = {
        "framework": framework,
        "tests": str(grader.graded_tests),
        "paths": [str(grader.graded_tests / path) for path in paths],
        "workspace": ".",
        "cpu_s": one["timeout_s"],
        "wall_s": one["timeout_s"],
    }
    ended = grader.run_sealed("tests.py", plan, seconds=one["timeout_s"] + _GRACE_S)
    if not ended.verdict:
        return f"no verdict: {_end(ended)}"
    verdict = json.loads(ended.verdict)
    if verdict["missing"] or verdict["problem"]:
        return str(verdict["missing"] or verdict["problem"])
    expected = one["tests"] or list(_list_tests(grader.graded_tests, paths, framework))
    return _tests_problem(verdict["tests"], one, expected)


def _tests_problem(tests: list[dict[str, str]], one: Criterion, expected: list[str]) -> str:
    bad = [test["id"] for test in tests if test["state"] in ("failed", "error")]
    if bad:
        return f"not passed: {', '.join(bad)[:500]}"
    passed = {test["id"] for test in tests if test["state"] == "passed"}
    names = passed | {test.get("alias", "") for test in tests if test["state"] == "passed"}
    absent = [
        name
        for name in expected
        if name not in names and not any(test.startswith(f"{name}[") for test in passed)
    ]
    if absent:
        return f"not passed: {', '.join(absent)[:500]}"
    skipped = [test["id"] for test in tests if test["state"] == "skipped" and not one["tests"]]
    if skipped:
        return f"skipped: {', '.join(skipped)[:500]}"
    return "" if len(passed) >= one["at_least"] else f"only {len(passed)} passed"


def _list_tests(tests: Path, paths: list[str], framework: str) -> Iterator[str]:
    """The ids of tests that are surely there."""
    for path in paths:
        module = ast.parse((tests / path).read_bytes())
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                if framework == "pytest":
                    yield f"{path}::{node.name}"
            elif isinstance(node, ast.ClassDef) and _holds_tests(node, framework):
                yield from _methods(node, path, framework)


def _holds_tests(node: ast.ClassDef, framework: str) -> bool:
    is_case = any(ast.unparse(base).endswith("TestCase") for base in node.bases)
    return is_case or (framework == "pytest" and node.name.startswith("Test"))


def _methods(node: ast.ClassDef, path: str, framework: str) -> Iterator[str]:
    module = path.removesuffix(".py").replace("/", ".")
    above = f"{path}::{node.name}::" if framework == "pytest" else f"{module}.{node.name}."
    for one in node.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name.startswith("test"):
            yield f"{above}{one.name}"


def http_probe(one: Criterion, grader: Grader) -> str:
    """A server answers a request as expected."""
    plan = {
        "start": one["start"],
        "port": one["port"],
        "ready_s": one["ready_s"],
        "seconds": one["timeout_s"],
        "request": one["request"],
    }
    seconds = one["ready_s"] + one["timeout_s"] + _GRACE_S
    ended = grader.run_sealed("probe.py", plan, seconds=seconds)
    if not ended.verdict:
        return f"no answer: {_end(ended)}"
    answer = json.loads(ended.verdict)
    if answer.get("unready"):
        return str(answer["unready"])
    expect, body = one["expect"], answer["body"]
    if answer["status"] != expect["status"]:
        return f"status {answer['status']}"
    if any(wanted not in body for wanted in expect["contains"]):
        return "a text is missing"
    if expect["pattern"] and not re.search(expect["pattern"], body):
        return "no match"
    return _values_problem(body, expect["json_values"])


def _values_problem(body: str, wanted: dict[str, Any]) -> str:
    given: Any = json.loads(body) if wanted else None
    for path, value in wanted.items():
        found: Any = given
        try:
            for part in path.split("."):
                found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return f"no value at {path}"
        if not _same(found, value):
            return f"{path} is {found!r}"
    return ""


def _end(ended: Any) -> str:  # noqa: ANN401  of grade.py
    said = (ended.stderr or ended.stdout).strip()[-400:]
    return f"{ended.problem or f'status {ended.status}'} {said}".strip()


CHECKS: dict[str, Callable[[Criterion, Grader], str]] = {
    "file_exists": file_exists,
    "file_absent": file_absent,
    "file_content": file_content,
    "json_schema": json_schema,
    "code_compiles": code_compiles,
    "command": command,
    "tests_pass": tests_pass,
    "lint": lint,
    "http_probe": http_probe,
    "diff_limits": diff_limits,
    "output_match": output_match,
    "performance": performance,
    "min_functionality": min_functionality,
}
"""Each kind of criterion that can be graded without Benchmaker."""
