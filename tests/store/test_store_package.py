import ast
import subprocess
import sys
from pathlib import Path

import pytest

import benchmaker.store

ROOT = Path(__file__).resolve().parents[2]
OTHER_DATABASES = {
    "address.url.database",  # a part of an address
    "option.database",  # an option of the command line
}


def test_importing_the_package_loads_no_database():
    code = (
        "import sys, benchmaker.store;"
        "print({'sqlalchemy', 'alembic', 'psycopg', 'numpy'} & set(sys.modules))"
    )
    assert python(code) == "set()"


def test_opening_and_writing_loads_neither_alembic_nor_numpy(tmp_path):
    code = (
        "import sys; from benchmaker.store import Store, Writer;"
        f"s = Store.open({str(tmp_path / 'a.db')!r}); Writer(s).close(); s.close();"
        "print({'alembic', 'psycopg', 'numpy'} & set(sys.modules))"
    )
    assert python(code) == "set()"


def test_every_public_name_can_be_taken():
    assert benchmaker.store.__all__ == sorted(benchmaker.store.__all__)
    for name in benchmaker.store.__all__:
        assert getattr(benchmaker.store, name).__name__ == name
    assert dir(benchmaker.store) == benchmaker.store.__all__


def test_other_names_are_missing():
    with pytest.raises(AttributeError, match="Shop"):
        _ = benchmaker.store.Shop


def test_nothing_but_the_store_reaches_for_its_database():
    assert database_uses("src/benchmaker") == {}


def test_tests_reach_for_the_database_by_named_functions():
    assert set(database_uses("tests")) == {"databases.py"}


def database_uses(folder: str) -> dict[str, set[str]]:
    """Expressions that reach for a database, by module; the folder ``store`` is left out."""
    root, uses = ROOT / folder, {}
    for path in root.rglob("*.py"):
        place = path.relative_to(root)
        if place.parts[0] != "store":
            uses[place.as_posix()] = database_attributes(path) - OTHER_DATABASES
    return {place: found for place, found in uses.items() if found}


def database_attributes(path: Path) -> set[str]:
    return {
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"database", "_database"}
    }


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
