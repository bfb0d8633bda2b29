"""Discovery of plug-ins: own modules, entry points and dotted paths.

Nothing is registered while a module is imported: :func:`scorer`, :func:`provider`,
:func:`importer`, :func:`report_format` and :func:`web_page` only mark a class. Ours are found in
the modules of ``benchmaker.scoring``, ``benchmaker.providers``,
``benchmaker.arenas.agentic.importers``, ``benchmaker.report.formats`` and ``benchmaker.web.pages``,
those of others through the entry-point groups ``benchmaker.scorers``, ``benchmaker.providers``,
``benchmaker.importers``, ``benchmaker.formats`` and ``benchmaker.pages``, or at a dotted path. A
plug-in that can't be loaded is listed with its error and does not affect others. Installed plug-ins
are looked up once per process: a new one is found after a restart.
"""

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Literal, NamedTuple, TypeVar, cast, overload

from benchmaker.errors import PluginError, SpecError

Kind = Literal["scorer", "provider", "importer", "format", "page", "criterion"]
T = TypeVar("T")
S = TypeVar("S", bound=Callable[..., object])  # a class, or a function


class _Source(NamedTuple):
    """Where plug-ins of a kind are found, and the member that each of them has.

    ``check`` is the dotted path of a function that is called with the class of each plug-in of
    others, and raises where it can't be used; ``adapt`` of one that makes classes of functions.
    """

    package: str
    group: str
    member: str
    check: str = ""
    adapt: str = ""


_SOURCES: dict[str, _Source] = {
    "scorer": _Source(
        "benchmaker.scoring",
        "benchmaker.scorers",
        "score",
        adapt="benchmaker.scoring.function_scorer:scorer_class",
    ),
    "provider": _Source("benchmaker.providers", "benchmaker.providers", "complete"),
    "importer": _Source("benchmaker.arenas.agentic.importers", "benchmaker.importers", "parse"),
    "format": _Source("benchmaker.report.formats", "benchmaker.formats", "write"),
    "page": _Source(
        "benchmaker.web.pages",
        "benchmaker.pages",
        "routes",
        check="benchmaker.web.page_declaration:check_page",
    ),
    "criterion": _Source(
        "benchmaker.arenas.agentic.verify.criteria", "benchmaker.criteria", "check"
    ),
}
KINDS: tuple[Kind, ...] = ("scorer", "provider", "importer", "format", "page")
"""The kinds that can be listed; a task's criterion is named by its dotted path alone."""

NAMED_ONLY: ContextVar[bool] = ContextVar("named_only", default=False)
"""True if code may be named by its id alone, so that others can't choose the code loaded here."""

_OURS = "benchmaker"
_IN_SCRIPT = "It was defined in a script or a notebook: move it to a module of its own."
_MARKS = ("id", "version", "kind")
_DECORATORS = {
    "format": "report_format",
    "page": "web_page",
}  # where it has another name than its kind
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Plugin:
    """One scorer, provider, importer, report format or page that was found.

    ``target`` is ``module:Class``; ``distribution`` the installed package it came with
    (``benchmaker`` for ours); ``summary`` the first line of its docstring. ``error`` is the reason
    why it could not be loaded, or None.
    """

    kind: Kind
    id: str
    version: str
    target: str
    distribution: str
    summary: str = ""
    error: str | None = None


@overload
def scorer(cls: S, /) -> S: ...
@overload
def scorer(
    name: str | None = None, /, *, id: str | None = None, version: str = "1"
) -> Callable[[S], S]: ...
def scorer(
    cls: S | str | None = None, /, *, id: str | None = None, version: str = "1"
) -> S | Callable[[S], S]:
    """Mark a class or a function as a scorer, bare or with its id and version.

    ``id`` defaults to the name in snake case, and may be the only argument. Change ``version``
    whenever the same answer would get another score. A function is called with the text of an
    answer and the case as a dictionary, and returns a boolean, a number from 0 to 1, or a mapping
    with ``passed``, ``score`` and ``reason``. Its keyword-only parameters are the scorer's.

    >>> @scorer
    ... class ExactMatch: ...
    >>> ExactMatch.id, ExactMatch.version, ExactMatch.kind
    ('exact_match', '1', 'scorer')
    """
    name = cls if isinstance(cls, str) else id
    return _decorate("scorer", None if isinstance(cls, str) else cls, name=name, version=version)


@overload
def provider(cls: type[T], /) -> type[T]: ...
@overload
def provider(*, id: str | None = None, version: str = "1") -> Callable[[type[T]], type[T]]: ...
def provider(
    cls: type[T] | None = None, /, *, id: str | None = None, version: str = "1"
) -> type[T] | Callable[[type[T]], type[T]]:
    """Mark a class as a provider, bare or with its id and version; as :func:`scorer` does."""
    return _decorate("provider", cls, name=id, version=version)


@overload
def importer(cls: type[T], /) -> type[T]: ...
@overload
def importer(*, id: str | None = None, version: str = "1") -> Callable[[type[T]], type[T]]: ...
def importer(
    cls: type[T] | None = None, /, *, id: str | None = None, version: str = "1"
) -> type[T] | Callable[[type[T]], type[T]]:
    """Mark a class as an importer, bare or with its id and version; like :func:`scorer`.

    Change ``version`` whenever the same log would give other figures.
    """
    return _decorate("importer", cls, name=id, version=version)


@overload
def report_format(cls: type[T], /) -> type[T]: ...
@overload
def report_format(*, id: str | None = None, version: str = "1") -> Callable[[type[T]], type[T]]: ...
def report_format(
    cls: type[T] | None = None, /, *, id: str | None = None, version: str = "1"
) -> type[T] | Callable[[type[T]], type[T]]:
    """Mark a class as a report format, bare or with its id and version; as :func:`scorer` does.

    Change ``version`` whenever the same run would be written otherwise.
    """
    return _decorate("format", cls, name=id, version=version)


@overload
def web_page(cls: type[T], /) -> type[T]: ...
@overload
def web_page(*, id: str | None = None, version: str = "1") -> Callable[[type[T]], type[T]]: ...
def web_page(
    cls: type[T] | None = None, /, *, id: str | None = None, version: str = "1"
) -> type[T] | Callable[[type[T]], type[T]]:
    """Mark a class as a page of the workbench, bare or with its id; as :func:`scorer` does."""
    return _decorate("page", cls, name=id, version=version)


def _decorate(kind: Kind, cls: S | None, *, name: str | None, version: str) -> S | Callable[[S], S]:
    def mark(marked: S) -> S:
        return _mark(marked, kind=kind, name=name or snake_case(marked.__name__), version=version)

    return mark if cls is None else mark(cls)


def _mark(cls: S, *, kind: Kind, name: str, version: str) -> S:
    fields = getattr(cls, "__dataclass_fields__", {})
    if taken := [mark for mark in _MARKS if mark in fields]:
        raise TypeError(f"{cls.__qualname__}: the field {taken[0]!r} has a meaning for plug-ins")
    for mark, value in zip(_MARKS, (name, version, kind), strict=True):
        setattr(cls, mark, value)
    return cls


def as_class(kind: Kind, found: object) -> object:
    """Return the class of a plain function, for kinds that may be one; anything else as it is."""
    adapt = _SOURCES[kind].adapt
    if not adapt or not isinstance(found, FunctionType):
        return found
    module_name, _, name = adapt.partition(":")
    cls: type = getattr(importlib.import_module(module_name), name)(found)
    if _is_marked(found, kind) and not _is_marked(cls, kind):
        _mark(cls, kind=kind, name=_mark_of(found, "id"), version=_mark_of(found, "version"))
    return cls


def snake_case(name: str) -> str:
    """Return the id for a class name.

    >>> snake_case("LLMJudge")
    'llm_judge'
    """
    return _WORD_BREAK.sub("_", name).lower()


def list_plugins(kind: Kind) -> tuple[Plugin, ...]:
    """Every plug-in of a kind that is installed, sorted by id; broken ones carry their error."""
    found = (plugin for plugin, _ in _all_plugins(kind))
    return tuple(sorted(found, key=lambda it: (it.id, it.error or "", it.distribution)))


def list_ids(kind: Kind) -> tuple[str, ...]:
    """The ids of a kind, sorted, read without importing a plug-in, for ``--help``.

    Ids of plug-ins that can't be loaded are among them.

    >>> "numeric" in list_ids("scorer")
    True
    """
    names = {point.name for point in _entry_points(kind, tuple(sys.path))}
    return tuple(sorted(names | _own_modules(kind).keys()))


@cache
def _own_modules(kind: Kind) -> dict[str, str]:
    """The modules of ours by the ids of the classes that their sources mark.

    The id is given in the decorator, or it is the class name in snake case.
    """
    mark = rf"""^@{_decorator(kind)}(?:\((?:.*\bid="(?P<id>[\w-]+)")?.*\))?\n"""
    marked = re.compile(rf"{mark}(?:@.*\n)*class (?P<name>\w+)", re.MULTILINE)
    return {
        found["id"] or snake_case(found["name"]): module
        for module in _modules(_SOURCES[kind].package)
        for found in marked.finditer(_source_of(module))
    }


def _source_of(module_name: str) -> str:
    spec = find_spec(module_name)  # not by its loader: that of pytest gives no source
    return Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""


def _decorator(kind: Kind) -> str:
    return _DECORATORS.get(kind, kind)


def load(kind: Kind, name: str) -> type:
    """Return the class for an id, or for a dotted path ``package.module:Class``.

    A class at a dotted path needs no registration. Built-in ones are loaded without importing the
    others.

    Raises:
        SpecError: unknown name, with a suggestion in the hint; or a path while
            :data:`NAMED_ONLY` is set.
        PluginError: it cannot be loaded; the message names its distribution.

    >>> load("scorer", "exact").__name__
    'Exact'
    """
    if ":" in name:
        if NAMED_ONLY.get():
            raise SpecError(
                f"{kind} {name[:80]!r} is a path to code, which is not allowed on a shared server.",
                hint="Ask the administrator to install it as a plug-in, and use its id.",
            )
        return _load_path(kind, name)
    return _load_ours(kind, name) or _load_any(kind, name)


def resolve(path: str) -> type:
    """The class at a dotted path ``package.module:Class``, of whatever kind.

    Raises:
        SpecError: there is no such module or class.
        PluginError: the module can't be loaded.

    >>> resolve("benchmaker.scoring.text.exact:Exact").__name__
    'Exact'
    """
    module_name, _, class_name = path.partition(":")
    found = getattr(_import("class", path, module_name), class_name, None)
    if not isinstance(found, type):
        raise SpecError(f"{path!r}: {module_name} has no class {class_name!r}.")
    return found


def _load_ours(kind: Kind, name: str) -> type | None:
    """The fast path: the module has the name of the id, or its source marks a class with it."""
    if not name.replace("-", "_").isidentifier():
        return None
    for module_name in _candidates(kind, name):
        try:
            module = importlib.import_module(module_name)
        except Exception as exc:
            message = f"{kind} {name!r} of {_OURS} can't be loaded: {_reason(exc)}"
            raise PluginError(message) from exc
        if found := [cls for cls in _marked_classes(module, kind) if _mark_of(cls, "id") == name]:
            return found[0]
    return None


def _candidates(kind: Kind, name: str) -> Iterator[str]:
    """The modules of ours that may define an id; sources are read only if no name fits."""
    yield from _modules_named(_SOURCES[kind].package, name)
    if name in (marked := _own_modules(kind)):
        yield marked[name]


def _modules_named(package: str, name: str) -> Iterator[str]:
    """The modules of that name in a package and in its rooms, none of which is loaded for it."""
    folders = list(importlib.import_module(package).__path__)
    for room in ("", *_rooms(tuple(folders))):
        places = [str(Path(folder, room)) for folder in folders]
        module_name = ".".join(filter(None, (package, room, name)))
        if PathFinder.find_spec(module_name, places) is not None:
            yield module_name


@cache
def _rooms(folders: tuple[str, ...]) -> tuple[str, ...]:
    """The packages in these folders of ours, which do not change while the program runs.

    Those of earlier versions, whose names end in a number, come last.
    """
    rooms = (info.name for info in pkgutil.iter_modules(folders) if info.ispkg)
    return tuple(sorted(rooms, key=lambda name: name[-1].isdecimal()))


def _load_any(kind: Kind, name: str) -> type:
    found = [(plugin, cls) for plugin, cls in _all_plugins(kind) if plugin.id == name]
    for _, cls in found:
        if cls is not None:
            return cls
    if found:
        broken = found[0][0]
        raise PluginError(
            f"{kind} {name!r} of {broken.distribution} can't be loaded: {broken.error}",
            hint=f"Update or remove the distribution {broken.distribution}.",
        )
    raise _unknown_plugin_error(kind, name)


def _unknown_plugin_error(kind: Kind, name: str) -> SpecError:
    from benchmaker.spec.documents.foreign_files import meant_by_assertion  # noqa: PLC0415  for errors only
    from benchmaker.spec.documents.suggestions import did_you_mean  # noqa: PLC0415  heavy, and for errors only

    if kind == "scorer" and (meant := meant_by_assertion(name)):
        return SpecError(f"unknown {kind} {name!r}, an assertion of promptfoo.", hint=meant)
    guess = did_you_mean(name, [plugin.id for plugin in list_plugins(kind)])
    return SpecError(
        f"unknown {kind} {name!r}.", hint=f"{guess} List them with: benchmaker plugins".lstrip()
    )


def _load_path(kind: Kind, path: str) -> type:
    module_name, _, class_name = path.partition(":")
    found = as_class(kind, getattr(_import(kind, path, module_name), class_name, None))
    member = _SOURCES[kind].member
    if not isinstance(found, type):
        what = "class or function" if _SOURCES[kind].adapt else "class"
        raise SpecError(
            f"{kind} {path!r}: {module_name} has no {what} {class_name!r}.",
            hint=_IN_SCRIPT if module_name == "__main__" else "Use package.module:Class.",
        )
    if not callable(getattr(found, member, None)):
        raise SpecError(f"{kind} {path!r}: the class has no method {member!r}.")
    return found if _is_marked(found, kind) else _mark(found, kind=kind, name=path, version="1")


def _import(kind: str, path: str, module_name: str) -> ModuleType:
    absent = SpecError(
        f"{kind} {path!r}: no module {module_name!r}.",
        hint="Use package.module:Class of an installed module.",
    )
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise absent
    try:
        return importlib.import_module(module_name)
    except (Exception, SystemExit) as exc:
        if isinstance(exc, ModuleNotFoundError) and f"{module_name}.".startswith(f"{exc.name}."):
            raise absent from exc
        raise PluginError(f"{kind} {path!r} can't be loaded: {_reason(exc)}") from exc


def _all_plugins(kind: Kind) -> tuple[tuple[Plugin, type | None], ...]:
    """Every plug-in of a kind; found once in a process, and again if the import path changes."""
    return _find_objects(kind, tuple(sys.path))


@cache
def _find_objects(kind: Kind, _path: tuple[str, ...]) -> tuple[tuple[Plugin, type | None], ...]:
    return tuple(_each(kind))


@cache
def _entry_points(kind: Kind, _path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=_SOURCES[kind].group))


def _each(kind: Kind) -> Iterator[tuple[Plugin, type | None]]:
    """Ours first, then everybody's; a second one of the same id is an error on its row."""
    owners: dict[str, str] = {}
    for plugin, cls in (*_own_plugins(kind), *_entry_point_plugins(kind)):
        if plugin.error is None and plugin.id in owners:
            taken = f"the id is already used by {owners[plugin.id]}"
            yield replace(plugin, error=taken), None
            continue
        if plugin.error is None:
            owners[plugin.id] = plugin.distribution
        yield plugin, cls


def _own_plugins(kind: Kind) -> Iterator[tuple[Plugin, type | None]]:
    for target in _modules(_SOURCES[kind].package):
        try:
            classes = _marked_classes(importlib.import_module(target), kind)
        except Exception as exc:  # noqa: BLE001  one module must not hide the others
            name = target.rpartition(".")[2]
            yield Plugin(kind, name, "", target, _OURS, error=_reason(exc)), None
            continue
        for cls in classes:
            yield _describe(kind, cls, f"{target}:{cls.__name__}", _OURS), cls


def _modules(package: str) -> Iterator[str]:
    """Every module of a package and of its rooms."""
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        yield info.name
        if info.ispkg:
            yield from _modules(info.name)


def _entry_point_plugins(kind: Kind) -> Iterator[tuple[Plugin, type | None]]:
    for point in sorted(_entry_points(kind, tuple(sys.path)), key=_order):
        owner = _owner(point)
        try:
            cls = _load_entry_point(kind, point)
        except (Exception, SystemExit) as exc:  # noqa: BLE001  foreign code may raise anything
            yield Plugin(kind, point.name, "", point.value, owner, error=_reason(exc)), None
        else:
            yield _describe(kind, cls, point.value, owner), cls


def _load_entry_point(kind: Kind, point: EntryPoint) -> type:
    cls = as_class(kind, point.load())
    if not isinstance(cls, type) or not _is_marked(cls, kind):
        what = "class or function" if _SOURCES[kind].adapt else "class"
        raise PluginError(f"{point.value} is not a {what} marked with @{_decorator(kind)}")
    if _mark_of(cls, "id") != point.name:
        raise PluginError(f"{point.value} has the id {_mark_of(cls, 'id')!r}")
    if check := _SOURCES[kind].check:
        module_name, _, function = check.partition(":")
        getattr(importlib.import_module(module_name), function)(cls)
    return cls


def _order(point: EntryPoint) -> tuple[str, str, str]:
    return _owner(point), point.name, point.value


def _owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _marked_classes(module: ModuleType, kind: Kind) -> list[type]:
    """The marked classes that the module itself defines."""
    classes = (value for value in vars(module).values() if isinstance(value, type))
    ours = [cls for cls in classes if cls.__module__ == module.__name__ and _is_marked(cls, kind)]
    return list(dict.fromkeys(ours))


def _is_marked(cls: type | FunctionType, kind: Kind) -> bool:
    return vars(cls).get("kind") == kind and isinstance(vars(cls).get("id"), str)


def _mark_of(cls: type | FunctionType, mark: str) -> str:
    return cast("str", getattr(cls, mark))  # set by the decorator, unknown to the type checker


def _describe(kind: Kind, cls: type, target: str, owner: str) -> Plugin:
    summary = (cls.__doc__ or "").strip().partition("\n")[0]
    return Plugin(kind, _mark_of(cls, "id"), _mark_of(cls, "version"), target, owner, summary)


def _reason(exc: BaseException) -> str:
    text = str(exc).strip().partition("\n")[0]
    return f"{type(exc).__name__}: {text}" if text else type(exc).__name__
