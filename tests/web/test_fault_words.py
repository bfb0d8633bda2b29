"""What error pages say: no path of the server, no command of a terminal."""

import re
from pathlib import Path

import pytest

from benchmaker import web
from benchmaker.web.fault_words import (
    advice_of,
    fault_location,
    fault_title,
    message_of,
    onward_of,
    status_title,
)
from benchmaker.web.page_list import find_pages
from tests.web.results_data import fetched

NAVIGATION = find_pages().navigation


def test_the_form_of_a_run_names_no_path_of_the_server(demo, demo_home):
    _, _, body = fetched(demo + "/arena?suite=nope")
    text = body.decode()
    assert "There is no suite &#39;nope&#39;." in text
    assert str(demo_home) not in text
    assert "benchmaker.db" not in text


@pytest.mark.parametrize("path", ["/runs/nope", "/series/s-nope", "/arena/nope", "/suites/nope"])
def test_what_is_not_there_is_said_without_paths_and_commands(demo, demo_home, path):
    status, _, body = fetched(demo + path)
    text = body.decode()
    assert status in {404, 422}
    assert str(demo_home) not in text
    assert "benchmaker.db" not in text
    assert "benchmaker runs" not in text
    assert "Go to" in text


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/runs/nope", "No run “nope”"),
        ("/runs?sort=nope", "Invalid value for sort: “nope”"),
        ("/code/nope", "No run “nope”"),
        ("/code/nope/vote", "No run “nope”"),
        ("/code/nope/1/1", "No run “nope”"),
        ("/code/nope/report.html", "No run “nope”"),
        ("/suites/0/cases/first", "Page not found"),
        ("/nope", "Page not found"),
    ],
)
def test_the_title_names_the_fault(demo, path, title):
    status, _, body = fetched(demo + path)
    assert f"<h1>{title}</h1>" in body.decode()
    assert status == (422 if title.startswith("Invalid") else 404)


def test_the_api_names_no_path_of_the_server(demo, demo_home):
    status, _, body = fetched(demo + "/api/v1/runs/nope/summary")
    assert status == 404
    assert str(demo_home) not in body.decode()


@pytest.mark.parametrize(
    ("hint", "left"),
    [
        ("List them with: benchmaker runs", ""),
        (
            "Copy it again. List them with: benchmaker plugins. Then go on.",
            "Copy it again. Then go on.",
        ),
        ("Choose 1 to 3.", "Choose 1 to 3."),
    ],
)
def test_sentences_with_commands_are_left_out(hint, left):
    assert advice_of(hint) == left


def test_no_empty_state_names_a_command():
    templates = Path(web.__file__).parent / "templates"
    empty = re.compile(r"parts\.empty\((.*?)\) }}", re.DOTALL)
    found = [text for one in templates.rglob("*.jinja") for text in empty.findall(one.read_text())]
    assert len(found) > 10
    assert [text for text in found if re.search(r"benchmaker [a-z]", text)] == []


def test_a_message_is_a_sentence_without_the_data_folder():
    assert (
        message_of("there is no file /srv/x/a.db", "/srv/x")
        == "There is no file the data folder/a.db."
    )


def test_files_of_the_server_have_names_and_no_folders():
    assert fault_location("/srv/uploads/3f2d/arith.json:3:2") == "arith.json:3:2"
    assert fault_location("/srv/benchmaker.db") == fault_location("postgresql://db/bench") == ""
    assert fault_location("suite.yaml:3") == "suite.yaml:3"


def test_a_long_fault_has_the_title_of_its_status():
    assert fault_title("A message that is longer than a title can be, " * 2) == ""
    assert status_title(422) == "Invalid request"


def test_one_goes_on_to_the_area_that_was_looked_in():
    assert (
        onward_of("/runs/nope", NAVIGATION).href
        == onward_of("/series/nope", NAVIGATION).href
        == "/runs"
    )
    assert onward_of("/runs", NAVIGATION) is None
    assert onward_of("/nowhere", NAVIGATION) is None
