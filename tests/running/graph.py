"""What each file of the repository needs: by its imports, and by what its text names.

A file needs the modules that it imports; a name that a package's ``__init__`` takes from elsewhere
is looked up there, so that a test of one scorer does not need them all. It also needs what its
text names: a module by its dotted path, a file by its name, a command as it is typed, a page by its
address. What a text names is further away than what it imports.
"""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

IMPORTED = 1.0
NAMED = 1.5
"""How far away what is imported is, and what is only named."""

PACKAGE = "src/benchmaker"
COMMANDS = f"{PACKAGE}/cli/commands"
TEXTS = frozenset(
    {".py", ".md", ".html", ".js", ".css", ".toml", ".yaml", ".yml", ".json", ".jinja"}
)

_FROM = re.compile(r"^[ \t]*from ([\w.]+) import (?:\(([^)]*)\)|([^(\n]+))", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import ([\w., ]+)$", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_ATTRIBUTE = re.compile(r"\bbenchmaker\.(\w+)")
_DOTTED = re.compile(r"\b(?:benchmaker|tests)(?:\.\w+)+")
_SEARCHED = re.compile(r'"(benchmaker(?:\.\w+)+)"')
_FILE = re.compile(r"[\w.-]+\.[A-Za-z]\w*")
_COMMAND = re.compile(r"""\b(?:benchmaker|cli\(|program\(|live\()\s*["']?([a-z][a-z-]+)""")
_ADDRESS = re.compile(r"""["'`](/[a-z][\w-]*)""")


class Graph:
    """The files of a repository, given as paths below it, and what each needs."""

    def __init__(self, root: Path, files: Iterable[str]) -> None:
        self.root = root
        self.files = sorted(files)
        self._modules = {module_of(path): path for path in self.files if path.endswith(".py")}

    @cached_property
    def needs(self) -> Mapping[str, Mapping[str, float]]:
        """By file: the files that it needs, each with how far away it is."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for path in self.files:
            if Path(path).suffix in TEXTS:
                for distance, other in self._needs_of(path):
                    if other != path:
                        known = found[path].get(other, distance)
                        found[path][other] = min(known, distance)
        self._adopt(found)
        return found

    def _adopt(self, needs: dict[str, dict[str, float]]) -> None:
        """Modules that are found by their folder, as migrations are, are needed by those around."""
        needed = {other for others in needs.values() for other in others}
        modules = [path for path in self.files if path.startswith(PACKAGE) and path.endswith(".py")]
        by_folder: dict[Path, list[str]] = defaultdict(list)
        for path in modules:
            if path in needed:
                by_folder[Path(path).parent].append(path)
        for path in modules:
            if path not in needed and not path.endswith("/__init__.py"):
                around = next(filter(None, (by_folder[above] for above in Path(path).parents)), [])
                for other in around:
                    needs[other].setdefault(path, NAMED)

    def distances(self, changed: Iterable[str]) -> dict[str, float]:
        """How far each file is from the nearest that changed; those that no way leads to lack."""
        needed_by = self._needed_by()
        found: dict[str, float] = {}
        queue = [(0.0, path) for path in changed]
        heapq.heapify(queue)
        while queue:
            distance, path = heapq.heappop(queue)
            if path in found:
                continue
            found[path] = distance
            for other, further in needed_by[path]:
                heapq.heappush(queue, (distance + further, other))
        return found

    def _needed_by(self) -> Mapping[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for path, needs in self.needs.items():
            for other, distance in needs.items():
                found[other].append((path, distance))
        return found

    def _needs_of(self, path: str) -> Iterator[tuple[float, str]]:
        text = self._text(path)
        if path.endswith(".py"):
            for module in self._imports(path):
                yield IMPORTED, module
            for folder in Path(path).parents:
                if (above := str(folder / "conftest.py")) in self._known:
                    yield NAMED, above
            for name in set(_SEARCHED.findall(text)):
                yield from ((NAMED, module) for module in self._searched(name))
        for other in self._named(path, text):
            yield NAMED, other

    def _named(self, path: str, text: str) -> Iterator[str]:
        """What a text names, without imports."""
        if Path(path).name != "__init__.py":
            for dotted in set(_DOTTED.findall(_FROM.sub("", text))):
                yield from self._longest(dotted)
        for name in set(_FILE.findall(text)):
            yield from self._by_name.get(name, ())
        if path.startswith(("tests/", "docs/")) or "/" not in path:
            for word in set(_COMMAND.findall(text)):
                yield from self._command(word)
            for address in set(_ADDRESS.findall(text)):
                yield from self._by_address.get(address, ())

    def _searched(self, name: str) -> list[str]:
        """The modules of a package that a text names, as it does where plugins are searched for."""
        found = self._modules.get(name, "")
        if not found.endswith("/__init__.py"):
            return []
        folder = Path(found).parent
        return [path for path in self._modules.values() if Path(path).parent == folder]

    def _command(self, word: str) -> Iterator[str]:
        name = f"{COMMANDS}/{word.replace('-', '_')}.py"
        if name in self._known:
            yield name

    def _longest(self, dotted: str) -> Iterator[str]:
        """The module that a dotted path leads to: it may go on with names within."""
        parts = dotted.split(".")
        for end in range(len(parts), 1, -1):
            if module := self._modules.get(".".join(parts[:end])):
                yield module
                return

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        """Files that are no modules, by name; a name that many bear says nothing."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.files:
            if not path.endswith(".py"):
                found[Path(path).name].append(path)
        return {name: paths for name, paths in found.items() if len(paths) <= 5}

    @cached_property
    def _by_address(self) -> Mapping[str, list[str]]:
        """Modules of the workbench, by the first part of the addresses that they name."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.files:
            if path.startswith(f"{PACKAGE}/web/") and path.endswith(".py"):
                for address in set(_ADDRESS.findall(self._text(path))):
                    found[address].append(path)
        return {address: paths for address, paths in found.items() if len(paths) <= 20}

    def _imports(self, path: str) -> Iterator[str]:
        for module, name in self._statements(path):
            yield from self._origin(module, name)

    def _origin(self, module: str, name: str | None) -> Iterator[str]:
        """The file that an imported name comes from; packages only pass it on."""
        if name is not None and (whole := self._modules.get(f"{module}.{name}")):
            yield whole
            return
        file = self._modules.get(module)
        if file is None:
            return
        passed = self._passed_on.get(file, {}).get(name or "")
        if passed is None or passed == (module, name):
            yield file
        else:
            yield from self._origin(*passed)

    @cached_property
    def _passed_on(self) -> Mapping[str, Mapping[str, tuple[str, str | None]]]:
        """By ``__init__``: the names that it takes from elsewhere, and from where."""
        inits = [path for path in self.files if path.endswith("/__init__.py")]
        return {
            path: {name: (module, name) for module, name in self._statements(path) if name}
            for path in inits
        }

    def _statements(self, path: str) -> list[tuple[str, str | None]]:
        """What a module imports: each module, and the name taken from it, if one is."""
        if path not in self._read:
            self._read[path] = list(_statements(self._text(path)))
        return self._read[path]

    @cached_property
    def _read(self) -> dict[str, list[tuple[str, str | None]]]:
        return {}

    def _text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8", errors="replace")


def module_of(path: str) -> str:
    """The dotted path of a module."""
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _statements(text: str) -> Iterator[tuple[str, str | None]]:
    """Each module that is imported, and each name that is taken from one."""
    for module, in_brackets, bare in _FROM.findall(text):
        names = _COMMENT.sub("", in_brackets or bare)
        for name in names.split(","):
            yield module, name.partition(" as ")[0].strip() or None
    for modules in _IMPORT.findall(text):
        for name in modules.split(","):
            yield name.partition(" as ")[0].strip(), None
    if "import benchmaker\n" in text:
        for name in _ATTRIBUTE.findall(text):
            yield "benchmaker", name
