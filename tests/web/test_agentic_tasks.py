"""The page of a stored task: of hidden criteria only their kind."""

from html import unescape

import pytest
from click.testing import CliRunner

from benchmaker.cli.main import main
from tests.web.results_data import fetched
from tests.web.serving import serving


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """A store with the task that ``task new`` writes."""
    folder = tmp_path_factory.mktemp("task")
    home = folder / "home"
    for words in (["new", str(folder / "total")], ["add", str(folder / "total")]):
        done = CliRunner().invoke(main, ["task", *words, "--home", str(home)])
        assert done.exit_code == 0, done.output
    with serving(home, works=False) as address:
        yield address


def test_a_hidden_criterion_is_called_hidden_and_shows_its_kind_alone(arena):
    _, _, body = fetched(f"{arena}/agentic/tasks/total")
    text = unescape(body.decode())
    assert "tests_pass, hidden, required" in text
    assert "<bdi>tests_pass</bdi>" in text
    assert "<bdi>tests</bdi>" not in text
    assert "file_exists, public" in text
