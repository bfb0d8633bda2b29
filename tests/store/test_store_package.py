import subprocess
import sys

import pytest

import benchmaker.store


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


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
