from pathlib import Path

import pytest

from benchmaker.errors import PrerequisiteError
from benchmaker.store.home import Home


@pytest.mark.sqlite("the file is what is tested")
def test_the_store_lies_in_the_data_folder(tmp_path):
    assert Home.of(tmp_path).address == tmp_path / "benchmaker.db"


def test_a_url_goes_before_the_folder(tmp_path):
    assert Home.of(tmp_path, "postgresql://db/b").address == "postgresql://db/b"


def test_without_a_name_it_is_in_the_users_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))

    assert Home.of().home == tmp_path / ".local" / "share" / "benchmaker"


def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)

    with pytest.raises(PrerequisiteError, match="home="):
        Home.of()


@pytest.mark.sqlite("the file is what is tested")
def test_the_store_is_made_when_it_is_not_there(tmp_path):
    place = Home.of(tmp_path / "new" / "folder")
    with place.open_store() as store:
        assert store.runs() == ()

    assert place.address.is_file()
