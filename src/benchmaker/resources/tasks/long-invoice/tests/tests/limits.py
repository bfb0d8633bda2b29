"""Measures the shape of the code: lengths, branches, depth of functions; what it may use."""

import ast
import io
import sys
import tokenize
from pathlib import Path

MOST_LINES, MOST_BRANCHES, MOST_DEPTH, MOST_IN_FILE, LEAST_FUNCTIONS = 35, 9, 3, 400, 10
MOST_WIDTH, LONGEST_TEXT = 100, 200
ALLOWED = {
    "__future__",
    "collections",
    "dataclasses",
    "enum",
    "itertools",
    "operator",
    "re",
    "textwrap",
    "typing",
}
FORBIDDEN = {"eval", "exec", "compile", "open", "getattr", "globals", "vars"}
FINE = {"__init__", "__name__", "__new__", "__setattr__"}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
BLOCK = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)
BRANCH = (
    ast.If,
    ast.For,
    ast.While,
    ast.IfExp,
    ast.ExceptHandler,
    ast.comprehension,
    ast.match_case,
    ast.Assert,
)


def findings(text):
    """A line for everything that is too long, too branched, too deep, or not allowed."""
    lines = text.splitlines()
    if len(lines) > MOST_IN_FILE:
        yield f"1: {len(lines)} lines, more than {MOST_IN_FILE}"
    for at, line in enumerate(lines, start=1):
        if len(line) > MOST_WIDTH:
            yield f"{at}: {len(line)} columns, more than {MOST_WIDTH}"
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP and token.string == ";":
            yield f"{token.start[0]}: two statements in one line"
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTION)]
    if sum(not isinstance(one, ast.Lambda) for one in functions) < LEAST_FUNCTIONS:
        yield f"1: fewer than {LEAST_FUNCTIONS} functions"
    for one in functions:
        yield from shape(one)
    for node in tree.body:
        yield from top_level(node)
    for node in ast.walk(tree):
        yield from use(node)


def shape(function):
    name = getattr(function, "name", "a lambda")
    length = function.end_lineno - function.lineno + 1
    if length > MOST_LINES:
        yield f"{function.lineno}: {name} has {length} lines, more than {MOST_LINES}"
    branches = 1 + sum(
        len(node.values) - 1 if isinstance(node, ast.BoolOp) else isinstance(node, BRANCH)
        for node in ast.walk(function)
    )
    if branches > MOST_BRANCHES:
        yield f"{function.lineno}: {name} branches {branches} times, more than {MOST_BRANCHES}"
    if depth(function) > MOST_DEPTH:
        yield f"{function.lineno}: {name} is deeper than {MOST_DEPTH} blocks"


def depth(node):
    below = max((depth(child) for child in ast.iter_child_nodes(node)), default=0)
    return below + isinstance(node, BLOCK)


def top_level(node):
    """At the top stand imports, definitions, constants and a docstring: nothing that acts."""
    wanted = (
        ast.Import,
        ast.ImportFrom,
        ast.FunctionDef,
        ast.ClassDef,
        ast.Assign,
        ast.AnnAssign,
        ast.Expr,
    )
    if not isinstance(node, wanted):
        yield f"{node.lineno}: code outside of a function"
    elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        yield f"{node.lineno}: code outside of a function"


def use(node):
    match node:
        case ast.Import(names=names):
            for one in names:
                if one.name.partition(".")[0] not in ALLOWED:
                    yield f"{node.lineno}: import {one.name}"
        case ast.ImportFrom(module=module, level=level):
            if level or (module or "").partition(".")[0] not in ALLOWED:
                yield f"{node.lineno}: from {module} import"
        case ast.Name(id=name) if name in FORBIDDEN or is_inner(name):
            yield f"{node.lineno}: {name}"
        case ast.Attribute(attr=name) if name in FORBIDDEN - {"compile"} or is_inner(name):
            yield f"{node.lineno}: {name}"
        case ast.Constant(value=str() | bytes() as value) if len(value) > LONGEST_TEXT:
            yield f"{node.lineno}: a text of {len(value)} characters"


def is_inner(name):
    """Whether a name leads into the inside of Python."""
    return name.startswith("__") and name not in FINE


def main():
    path = Path(sys.argv[1])
    try:
        found = list(findings(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, SyntaxError, RecursionError, tokenize.TokenError) as wrong:
        found = [f"1: can't be read: {wrong}"]
    for line in found:
        print(f"{sys.argv[1]}:{line}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
