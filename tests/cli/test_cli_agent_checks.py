"""``benchmaker agents``."""

import pytest

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
