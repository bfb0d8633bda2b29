"""Says what the work may not do: import more than a little, run text as code, open files."""

import ast
import sys
from pathlib import Path

ALLOWED = {
    *("__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "heapq"),
    *("itertools", "math", "operator", "typing"),
}
FORBIDDEN = {"eval", "exec", "compile", "open", "getattr", "globals", "vars", "breakpoint"}
FINE = {"__init__", "__name__", "__new__", "__setattr__"}


def findings(tree):
    """A line for everything that is not allowed."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for one in names:
                    if one.name.partition(".")[0] not in ALLOWED:
                        yield f"{node.lineno}: import {one.name}"
            case ast.ImportFrom(module=module):
                if (module or "").partition(".")[0] not in ALLOWED:
                    yield f"{node.lineno}: from {module} import"
            case ast.Name(id=name) if name in FORBIDDEN or is_inner(name):
                yield f"{node.lineno}: {name}"
            case ast.Attribute(attr=name) if name in FORBIDDEN - {"compile"} or is_inner(name):
                yield f"{node.lineno}: {name}"


def is_inner(name):
    """Whether a name leads into the inside of Python."""
    return name.startswith("__") and name not in FINE


def main():
    path = Path(sys.argv[1])
    found = list(findings(ast.parse(path.read_text(encoding="utf-8"))))
    for line in found:
        print(f"{sys.argv[1]}:{line} is not allowed here")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
