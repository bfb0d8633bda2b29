"""Graph of the modules of a package: which module uses what is defined in which other.

Imports for types and inside functions count. A name counts as imported from the module that
defines it, not from the package that passes it on.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

Graph = dict[str, set[str]]


class ImportGraph:
    """The modules of a package, each with the modules that it imports from."""

    def __init__(self, package: Path) -> None:
        self._root = package.parent
        paths = {self._name(path): path for path in package.rglob("*.py")}
        self._packages = {name for name, path in paths.items() if path.stem == "__init__"}
        self._nodes = {name: list(_imports(path)) for name, path in paths.items()}
        self._origins = {name: dict(self._imported(name)) for name in paths}
        self.modules: Graph = {name: set(self._targets(name)) - {name} for name in paths}

    def siblings(self) -> dict[str, Graph]:
        """For each package, its parts with the other parts that they import from."""
        return {package: self._parts(package) for package in self._packages}

    def _name(self, path: Path) -> str:
        parts = path.relative_to(self._root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _source(self, module: str, node: ast.ImportFrom) -> str:
        """The module that is named after ``from``, with the dots before it resolved."""
        if not node.level:
            return node.module or ""
        above = node.level - (module in self._packages)
        start = module.split(".")[: -above or None]
        return ".".join([*start, *([node.module] if node.module else [])])

    def _imported(self, module: str) -> Iterator[tuple[str, tuple[str, str]]]:
        """Each name that the module takes from another, with that module and its name there."""
        for node in self._nodes[module]:
            if isinstance(node, ast.ImportFrom):
                source = self._source(module, node)
                yield from ((it.asname or it.name, (source, it.name)) for it in node.names)

    def _definition(self, module: str, name: str) -> str:
        """The module that defines a name which is imported from a module."""
        followed = set()
        while name in self._origins.get(module, {}) and (module, name) not in followed:
            followed.add((module, name))
            module, name = self._origins[module][name]
        inner = f"{module}.{name}"
        return inner if inner in self._nodes else module

    def _targets(self, module: str) -> Iterator[str]:
        for node in self._nodes[module]:
            if isinstance(node, ast.ImportFrom):
                source = self._source(module, node)
                found = [self._definition(source, it.name) for it in node.names]
            else:
                found = [it.name for it in node.names]
            yield from (it for it in found if it in self._nodes)

    def _parts(self, package: str) -> Graph:
        start, parts = f"{package}.", Graph()
        for module, targets in self.modules.items():
            if module.startswith(start):
                inside = {it.removeprefix(start) for it in targets if it.startswith(start)}
                part = module.removeprefix(start).partition(".")[0]
                known = parts.setdefault(part, set())
                known |= {it.partition(".")[0] for it in inside} - {part}
        return parts


def _imports(path: Path) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a module, in functions too; only its statements are looked at."""
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, [])
            waiting += inner if isinstance(inner, list) else []


def circle_in(graph: Graph) -> list[str]:
    """A circle of modules, its first again at its end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []
