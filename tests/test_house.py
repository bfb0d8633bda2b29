"""The rules of the house that no other tool holds."""

import doctest
import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from benchmaker.cli.main import COMMANDS
from tests.import_graph import ImportGraph, circle_in

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "benchmaker"
HEAVY = {
    "aiohttp",
    "alembic",
    "fastapi",
    "jinja2",
    "msgspec",
    "numpy",
    "pydantic",
    "rapidfuzz",
    "rich",
    "ruamel",
    "scipy",
    "sqlalchemy",
}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
TEXT = {".py", ".md", ".toml", ".lock", ".yaml", ".yml", ".json", ".jsonl", ".sh", ".txt", ""}
ADDRESS = re.compile(
    r"--(?:extra-)?index-url|--find-links|file:///|\bpypi\.\w+|/simple/"
    r"|\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}\b"
)


def modules_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def help_of(*words: str) -> str:
    return (
        "from benchmaker.cli import main\n"
        f"try: main({[*words, '--help']!r})\n"
        "except SystemExit as end: assert not end.code, end.code"
    )


def own_files() -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    listed = [ROOT / name for name in done.stdout.split("\0") if name]
    found = listed or [*SOURCE.rglob("*"), *(ROOT / "tests").rglob("*"), *ROOT.glob("*.*")]
    return [path for path in found if path.is_file() and "__pycache__" not in path.parts]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def normal(requirement: str) -> str:
    name = re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, str]:
    """Each name in the lock with its whole entry."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    return {normal(entry): entry for entry in entries if entry.strip()}


def test_importing_the_package_loads_few_modules():
    loaded = modules_after("import benchmaker")
    assert len(loaded) <= 250
    assert not {name.partition(".")[0] for name in loaded} & (HEAVY | {"click"})


def test_the_help_of_the_group_loads_nothing_heavy():
    loaded = {name.partition(".")[0] for name in modules_after(help_of())}
    assert not loaded & HEAVY


def test_the_help_of_every_command_loads_nothing_heavy():
    loaded = modules_after("\n".join(help_of(name) for name in COMMANDS))
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


@pytest.mark.quick("a module is easier to divide on the day it grows")
def test_no_module_is_longer_than_500_lines():
    long = {
        path.relative_to(SOURCE).as_posix(): lines
        for path in SOURCE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 500
    }
    assert long == {}


def test_no_module_has_a_name_that_says_nothing():
    named = {path for path in SOURCE.rglob("*") if path.stem in FORBIDDEN_NAMES}
    assert named == set()


def test_no_folder_holds_more_than_30_files():
    files = [it for it in SOURCE.rglob("*") if it.is_file() and "__pycache__" not in it.parts]
    held = Counter(it.parent.relative_to(SOURCE).as_posix() for it in files)
    over = {folder for folder, count in held.items() if count > 30}
    assert {folder for folder in over if not folder.startswith("resources/")} == {"cli/commands"}


def test_a_module_name_stands_in_three_places_at_most():
    named = [it for it in SOURCE.rglob("*.py") if it.stem != "__init__" and not _is_listed(it)]
    places = Counter(it.stem for it in named)
    assert {name for name, count in places.items() if count > 3} == set()


@pytest.mark.quick("a circle is easier to mend on the day it is made")
def test_no_modules_import_each_other():
    graph = ImportGraph(SOURCE)
    assert circle_in(graph.modules) == []
    circles = {package: circle_in(parts) for package, parts in graph.siblings().items()}
    assert {package: circle for package, circle in circles.items() if circle} == {}


@pytest.mark.parametrize(
    "line",
    [
        "from package.first import one",
        "from package import one",
        "from . import one",
        "import package.first",
        "if TYPE_CHECKING:\n    from package import one",
        "def use():\n    from .first import one",
    ],
)
def test_a_circle_is_found_through_every_kind_of_import(tmp_path: Path, line: str):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package.first import one", encoding="utf-8")
    (package / "first.py").write_text("from package import second", encoding="utf-8")
    (package / "second.py").write_text(line, encoding="utf-8")
    graph = ImportGraph(package)
    assert set(circle_in(graph.modules)) == {"package.first", "package.second"}
    assert set(circle_in(graph.siblings()["package"])) == {"first", "second"}


def _is_listed(path: Path) -> bool:
    """Commands and importers are named after what they are listed as; resources are data."""
    folders = path.relative_to(SOURCE).parts[:-1]
    return folders[:2] == ("cli", "commands") or bool({"importers", "resources"} & set(folders))


def test_the_lock_names_every_dependency_and_extra():
    given = project()["project"]
    extras = [line for lines in given["optional-dependencies"].values() for line in lines]
    wanted = {normal(line) for line in [*given["dependencies"], *extras]}
    assert wanted - set(locked()) == set()


def test_every_entry_of_the_lock_is_pinned_with_hashes():
    for name, entry in locked().items():
        assert re.match(r"[A-Za-z0-9._\-\[\]]+==\S+", entry), name
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), name


def test_the_lock_holds_no_address():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not re.search(
        r"https?:|file:|git\+|--index-url|--extra-index-url|--find-links| @ ", text
    )


def test_the_locked_versions_satisfy_what_is_asked_for():
    given = project()["project"]
    extras = [line for lines in given["optional-dependencies"].values() for line in lines]
    for line in [*given["dependencies"], *extras]:
        least = re.search(r">=([\d.]+)", line)
        version = re.search(r"==([\d.]+)", locked()[normal(line)])
        assert least, line
        assert version, line
        assert numbers(version[1]) >= numbers(least[1]), line


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part]


def test_there_is_no_other_lock_file():
    others = {"uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "pylock.toml"}
    assert not [path for path in own_files() if path.name in others]


def test_the_test_extra_is_mirrored_as_a_dependency_group():
    given = project()
    assert given["dependency-groups"]["test"] == given["project"]["optional-dependencies"]["test"]


def names_a_machine(path: Path) -> bool:
    """An index, an inner address, or a path of this very machine; code may speak of options."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if f"{ROOT}/" in text:
        return True
    return path.suffix != ".py" and (f"{Path.home()}/" in text or bool(ADDRESS.search(text)))


def test_no_file_names_a_build_machine():
    looked_at = [path for path in own_files() if path.suffix in TEXT and path.name != "Makefile"]
    told = [path.relative_to(ROOT).as_posix() for path in looked_at if names_a_machine(path)]
    assert told == []


def modules_with_examples() -> list[str]:
    return [
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SOURCE.rglob("*.py"))
        if ">>> " in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("name", modules_with_examples())
def test_every_example_in_a_docstring_is_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", ["suite.yaml", "answers.jsonl"])
@pytest.mark.parametrize("folder", ["demo", "init"])
def test_bundled_files_say_that_they_are_illustrative(folder, name):
    path = SOURCE / "resources" / folder / name
    text = path.read_text(encoding="utf-8")
    if name == "suite.yaml":
        assert "illustrative-" not in text
        return
    lines = [json.loads(line) for line in text.splitlines()]
    assert all(line["illustrative"] is True for line in lines)
    assert all(line["model"].startswith("illustrative-") for line in lines)
