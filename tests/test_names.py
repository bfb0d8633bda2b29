"""Names in the program: one meaning each, verbs for functions, the field's words."""

import ast
import gc
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "benchmaker"
GIVEN_BY_CONVENTION = {"main", "command", "upgrade", "downgrade", "register"}
PRIVATE_WORDS = {
    "anew",
    "asked",
    "course",
    "desk",
    "elsewhere",
    "errand",
    "errands",
    "ground",
    "grounds",
    "hand",
    "hands",
    "manner",
    "shelf",
    "sitting",
    "standing",
    "told",
}
"""Words that this project alone would understand; ``standings`` of votes are the field's."""

IRREGULAR = """
    begun bound brought built caught chosen dealt done drawn driven felt found given gone grown
    heard held hidden kept known laid lent lit lost made meant met paid said seen sent shown
    sold spent spoken stood stuck sung swept taken taught thought thrown told torn understood
    won worn written
"""
NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
MOST_PARTICIPLES = 25

REFERENCE = re.compile(r":(?:class|func|meth|attr|data|mod|exc):`(?:[^`<]*<)?[~.]*([\w.]+)")
OUTSIDE = {"asyncio", "msgspec", "warnings"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Named = ast.ClassDef | Function


@cache
def modules() -> dict[str, ast.Module]:
    """The modules of the program by their path, data left aside.

    Garbage is not collected meanwhile: looking at these many nodes takes longer than parsing.
    """
    paths = (path for path in sorted(SOURCE.rglob("*.py")) if "resources" not in path.parts)
    gc.disable()
    try:
        return {
            path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
            for path in paths
        }
    finally:
        gc.freeze()
        gc.enable()


def named() -> Iterator[tuple[str, Named]]:
    """Every class and function, methods and inner ones too, with its module."""
    for place, module in modules().items():
        for node in ast.walk(module):
            if isinstance(node, Named):
                yield place, node


def is_participle(name: str) -> bool:
    """Whether a name is a participle alone.

    >>> [is_participle(name) for name in ("told", "_scored", "score_text", "need")]
    [True, True, False, False]
    """
    word = name.strip("_")
    if "_" in word or word in NO_PARTICIPLES:
        return False
    return word in IRREGULAR.split() or (word.endswith("ed") and len(word) > 3)


def words_of(name: str) -> set[str]:
    """The words of a name.

    >>> sorted(words_of("HandPool")), sorted(words_of("as_told"))
    (['hand', 'pool'], ['as', 'told'])
    """
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_"))


@pytest.mark.quick("a name is easier to change on the day it is given")
def test_a_public_name_stands_in_two_modules_at_most():
    places = defaultdict(set)
    for place, module in modules().items():
        if "importers/" in place or "migrations/" in place:
            continue
        for node in module.body:
            if isinstance(node, Named) and node.name[0] != "_":
                places[node.name].add(place)
    often = {name: sorted(found) for name, found in places.items() if len(found) > 2}
    assert often.keys() - GIVEN_BY_CONVENTION == set(), often


@pytest.mark.quick("a name is easier to change on the day it is given")
def test_functions_are_verbs():
    lone = [
        f"{place}: {node.name}"
        for place, node in named()
        if isinstance(node, Function)
        and is_participle(node.name)
        and ast.unparse(node.returns or ast.Constant(None)) != "bool"
    ]
    assert len(lone) <= MOST_PARTICIPLES, lone


def public_variables(module: ast.Module) -> Iterator[tuple[str, ast.expr | ast.stmt | ast.arg]]:
    """Fields of classes, attributes of instances, parameters and constants, private ones too."""
    for node in ast.walk(module):
        match node:
            case ast.ClassDef():
                yield from _assigned(node.body)
            case (
                ast.arg(arg=name)
                | ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store())
            ):
                yield name, node
    yield from _assigned(module.body)


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr | ast.stmt | ast.arg]]:
    for node in body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node
            case ast.Assign(targets=targets):
                yield from ((one.id, node) for one in targets if isinstance(one, ast.Name))


def test_public_variables_are_fields_parameters_attributes_and_constants():
    module = ast.parse("""
LIMIT = 1
_own = 2

class Told:
    count: int = 0
    kind = "a"

    def __init__(self, size, *, anew=False):
        self.size = local = size
""")
    assert {name for name, _ in public_variables(module)} == {
        "LIMIT", "_own", "count", "kind", "self", "size", "anew",
    }  # fmt: skip


@pytest.mark.quick("a name is easier to change on the day it is given")
def test_no_name_is_a_word_of_this_project_alone():
    found = [f"{place}: {node.name}" for place, node in named() if _is_private(node.name)]
    found += [
        f"{place}:{node.lineno}: {name}"
        for place, module in modules().items()
        if "migrations/" not in place
        for name, node in public_variables(module)
        if name[0] != "_" and _is_private(name)
    ]
    assert found == []
    assert [place for place in modules() if words_of(Path(place).stem) & PRIVATE_WORDS] == []
    drawn = [path for kind in ("jinja", "css", "js") for path in SOURCE.rglob(f"*.{kind}")]
    assert [path for path in drawn if words_of(path.name.split(".")[0]) & PRIVATE_WORDS] == []


def _is_private(name: str) -> bool:
    is_product = "OpenHands" in name or "open_hands" in name
    return bool(words_of(name) & PRIVATE_WORDS) and not is_product


def test_docstrings_refer_to_names_that_exist():
    known = {"benchmaker"} | {
        word for place in modules() for word in Path(place).with_suffix("").parts
    }
    for module in modules().values():
        known |= set(_defined(module))
    dangling = [
        f"{place}: {found}"
        for place in modules()
        for found in REFERENCE.findall((SOURCE / place).read_text(encoding="utf-8"))
        if found.split(".")[0] not in OUTSIDE and not known.issuperset(found.split("."))
    ]
    assert dangling == []


def _defined(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
