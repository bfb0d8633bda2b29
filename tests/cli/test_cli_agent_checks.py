"""``benchmaker agents``."""

import pytest

from benchmaker.arenas.agentic.running.agent_check import IMAGE
from tests.arenas.agentic.harbor_library import add_harbor
from tests.container_engines import scripted_engine

SOLVE = "LC_ALL=C sort names.txt > sorted.txt\n"


def test_the_list_has_every_agent_and_how_to_install_it(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = cli("agents", "list").stdout
    assert "claude-code" in said
    assert "npm install -g @openai/codex" in said
    data = {it["name"]: it for it in cli("agents", "list", "--json").data["agents"]}
    assert (data["codex"]["installed"], data["oracle"]["installed"]) == (False, True)
    assert (data["codex"]["version"], data["codex"]["wire"]) == (None, "responses")


def test_an_agent_that_is_not_installed_is_a_prerequisite(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = cli("agents", "check", "codex", code=3)
    assert "npm install -g @openai/codex" in said.stderr


def test_an_unknown_agent_is_refused(cli):
    assert "claude-code" in cli("agents", "check", "claude-cod", code=2).stderr


class TestBehindTheWalls:
    def test_the_list_has_installed_versions(self, cli, tmp_path):
        tool = tmp_path / "mine"
        tool.write_text("#!/bin/sh\necho mine 1.2.3\n")
        tool.chmod(0o755)
        file = tmp_path / "mine.toml"
        file.write_text(f'name = "mine"\nargv = ["{tool}"]\nversion = ["mine", "--version"]\n')
        (data,) = cli("agents", "list", file, "--json").data["agents"]
        assert (data["name"], data["version"]) == ("mine", "1.2.3")

    @pytest.mark.parametrize(
        ("name", "outcome"), [("oracle", "solved"), ("nop", "failed"), ("cheat", "failed")]
    )
    def test_agents_without_a_model_end_as_they_should(self, cli, name, outcome):
        data = cli("agents", "check", name, "--json").data
        assert (data["outcome"], data["expected"], data["ok"]) == (outcome, outcome, True)
        assert (data["evidence_level"], data["isolation"]) == ("verified", "namespace")

    def test_a_command_is_solved_and_verified(self, cli, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "solve.sh").write_text(SOLVE)
        said = cli("agents", "check", "command:sh solve.sh").stdout
        assert said.startswith("command:sh solve.sh: solved\n")
        assert "Evidence: verified (namespace)" in said

    def test_a_check_that_fails_says_why(self, cli):
        said = cli("agents", "check", "command:sh -c 'echo no luck >&2; exit 3'", code=1)
        assert "Detail: exit code 3: no luck" in said.stdout
        assert "Expected: solved." in said.stderr


class TestHarbor:
    def test_without_the_library_the_list_and_the_check_say_how_to_install_it(self, cli):
        data = {it["name"]: it for it in cli("agents", "list", "--json").data["agents"]}
        assert data["harbor:NAME"]["installed"] is False
        assert data["harbor:NAME"]["install"] == "uv tool install harbor"
        said = cli("agents", "check", "harbor:tiny", code=3).stderr
        assert "harbor:tiny needs the library harbor, which is not installed" in said

    def test_with_it_the_list_has_its_agents(self, cli, tmp_path, monkeypatch):
        add_harbor(tmp_path, monkeypatch)
        data = {it["name"]: it for it in cli("agents", "list", "--json").data["agents"]}
        tiny = data["harbor:tiny"]
        assert (tiny["installed"], tiny["version"], tiny["wire"]) == (True, "harbor 0.26.0", "chat")
        assert "harbor:NAME" not in data
        assert "harbor:host" not in data

    def test_a_check_is_solved_in_a_container(self, cli, tmp_path, monkeypatch):
        add_harbor(tmp_path, monkeypatch)
        engine = scripted_engine(tmp_path, monkeypatch)
        engine.add_image(IMAGE)
        said = cli("agents", "check", "harbor:tiny").stdout
        assert said.startswith("harbor:tiny harbor 0.26.0: solved\n")
        assert "Evidence: verified (container)" in said
