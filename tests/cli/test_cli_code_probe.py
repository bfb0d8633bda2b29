"""``benchmaker code probe``: facts as text and as JSON, and the screenshots."""

from pathlib import Path

from benchmaker.cli.output.rendering import BROWSER
from tests.arenas.code.probe.conftest import FRAME

PAGE = FRAME.format('<button>Dead</button><div style="width:600px">wide</div>')


def test_the_facts_of_a_page_are_printed_in_both_forms(cli, tmp_path: Path):
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    shots = tmp_path / "shots"
    said = cli("code", "probe", str(file), "--json", "--shots", str(shots), "--no-mapping")
    (page,) = said.data["pages"]
    assert page["file"] == str(file)
    assert page["outcome"] == "rendered"
    assert page["overflow"] == {"375": True, "768": False, "1440": False}
    assert page["click"]["dead"] == 1
    assert sorted(one.name for one in shots.iterdir()) == [
        f"page-{page['sha']}-{width}.png" for width in (1440, 375, 768)
    ]


def test_findings_are_told_in_words(cli, tmp_path: Path):
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    said = cli("code", "probe", str(file))
    assert f"{file}: rendered, 1 of 1 controls tried, 1 of them dead" in said.stdout
    assert "px wider than the window of 375 px" in said.stdout
    assert "isolated from the network by" in said.stderr


def test_a_file_that_is_not_there_is_refused(cli, tmp_path: Path):
    said = cli("code", "probe", str(tmp_path / "none.html"), code=2)
    assert "none.html" in said.stderr


def test_the_path_of_a_browser_may_begin_at_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert BROWSER.convert("~/chrome", None, None) == str(tmp_path / "chrome")
    assert BROWSER.convert("chromium", None, None) == "chromium"
