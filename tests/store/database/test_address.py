from pathlib import Path

import pytest

from benchmaker.errors import SpecError
from benchmaker.store.database.address import parse_address


def test_a_path_is_a_file_of_sqlite(tmp_path):
    assert parse_address(tmp_path / "a b?#%.db").path == tmp_path / "a b?#%.db"


def test_a_relative_path_is_made_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert parse_address("runs.db").path == tmp_path / "runs.db"


def test_a_url_of_sqlite_with_four_slashes_is_absolute():
    assert parse_address("sqlite:////srv/runs.db").path == Path("/srv/runs.db")


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_postgresql_may_be_spelt_in_several_ways(scheme):
    url = parse_address(f"{scheme}://ann:secret@db:5433/runs").url
    assert (url.host, url.port, url.database) == ("db", 5433, "runs")
    assert url.drivername == "postgresql+psycopg"


def test_a_password_is_never_shown():
    assert "secret" not in str(parse_address("postgresql://ann:secret@db/runs"))


@pytest.mark.parametrize(
    "text", ["mysql://db/runs", "http://db", "://", "sqlite://", "", ":memory:"]
)
def test_other_places_are_refused(text):
    with pytest.raises(SpecError):
        parse_address(text)


def test_an_unreadable_address_is_refused_without_repeating_it():
    with pytest.raises(SpecError) as refused:
        parse_address("postgresql://ann:secret@db:port/runs")
    assert "secret" not in str(refused.value)
