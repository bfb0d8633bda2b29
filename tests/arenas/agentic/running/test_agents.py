"""The agents that can be named, and the contract of every bundled adapter."""

import pytest

from benchmaker.arenas.agentic.logs.tool_places import PLACES
from benchmaker.arenas.agentic.running.agents import (
    STAND_INS,
    bundled_adapters,
    find_agent,
    model_name,
)
from benchmaker.errors import SpecError
from benchmaker.spec.agents.adapter import PLACES as NAMES
from benchmaker.spec.agents.adapter import AgentAdapter
from benchmaker.testing import AdapterContract

ADAPTERS = {it.name: it for it in bundled_adapters()}
NAMED = {
    *("claude-code", "codex", "gemini-cli", "opencode"),
    *("qwen-code", "mini-swe-agent", "aider", "goose"),
}


@pytest.mark.parametrize("name", sorted(ADAPTERS))
class TestBundledAdapters(AdapterContract):
    @pytest.fixture(autouse=True)
    def _chosen(self, name):
        type(self).adapter = ADAPTERS[name]

    def test_its_file_has_its_name(self, name):
        assert find_agent(name).adapter == ADAPTERS[name]

    def test_it_says_how_to_install_it(self, name):
        assert ADAPTERS[name].install
        assert ADAPTERS[name].version[0] == ADAPTERS[name].argv[0]

    def test_its_logs_are_where_logs_are_searched(self, name):
        tools = {"claude-code": "Claude Code", "codex": "Codex", "gemini-cli": "Gemini CLI"}
        tools |= {"qwen-code": "Qwen Code", "opencode": "OpenCode", "goose": "Goose"}
        place = next((it for it in PLACES if it.tool == tools.get(name)), None)
        if place is not None:
            known = [it.replace("$DATA", ".local/share") for it in place.defaults]
            for pattern in ADAPTERS[name].logs:
                assert any(pattern.startswith(folder) for folder in known), pattern


def test_every_named_agent_is_bundled():
    assert set(ADAPTERS) == NAMED
    assert set(STAND_INS) == {"oracle", "nop", "cheat"}


def test_a_command_is_an_agent_and_its_files_are_shown_inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = find_agent("command:sh solve.sh 'a b'")
    assert agent.adapter.argv == ("sh", "solve.sh", "a b")
    assert (agent.name, agent.folder) == ("command:sh solve.sh 'a b'", tmp_path)
    assert not agent.needs_model


def test_a_file_is_an_agent(tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\nargv = ["mine"]\nwire = "chat"\n')
    agent = find_agent(str(tmp_path / "mine.toml"))
    assert (agent.name, agent.folder, agent.needs_model) == ("mine", tmp_path, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("claude-cod", "claude-code"),
        ("command:", "command:sh solve.sh"),
        ("command:sh 'a", "No closing quotation"),
        ("none.toml", "none.toml"),
    ],
)
def test_an_unknown_agent_is_refused(text, said):
    with pytest.raises(SpecError, match=said):
        find_agent(text)


def test_the_system_is_agent_model_and_effort():
    system = find_agent("claude-code").system("openrouter/anthropic/claude", "high", version="2.1")
    assert system.name == "claude-code · anthropic/claude · high"
    assert (system.provider, system.harness_version) == ("openrouter", "2.1")
    assert find_agent("oracle").system("").name == "oracle"


@pytest.mark.parametrize(
    ("name", "model", "effort", "said"),
    [
        ("codex", "", "", "codex needs a model"),
        ("gemini-cli", "google/gemini", "high", "gemini-cli takes no effort"),
        ("oracle", "", "high", "oracle takes no effort"),
    ],
)
def test_a_system_that_can_not_be_is_refused(name, model, effort, said):
    with pytest.raises(SpecError, match=said):
        find_agent(name).system(model, effort)


def test_a_models_name_has_no_endpoint():
    assert [model_name(it) for it in ("a/b", "a/b/c", "b", "")] == ["b", "b/c", "b", ""]


class TestWrongAdapters:
    """The contract finds what is wrong with an adapter."""

    def failing(self, **wrong):
        given = {"name": "wrong", "argv": ("wrong", "{prompt}"), "wire": "chat"}
        given |= {"env": {"URL": "{base_url}", "KEY": "{token}", "MODEL": "{model}"}}

        class Case(AdapterContract):
            adapter = AgentAdapter(**(given | wrong))

        found = set()
        for name in (it for it in dir(Case) if it.startswith("test_")):
            try:
                getattr(Case(), name)()
            except AssertionError:
                found.add(name)
        return found

    def test_a_right_one_passes(self):
        assert self.failing() == set()

    @pytest.mark.parametrize(
        ("wrong", "test"),
        [
            ({"env": {"URL": "http://x", "KEY": "{token}"}}, "uses_the_gateway"),
            ({"env": {"URL": "{base_url}"}}, "uses_the_gateway"),
            ({"env": {"KEY": "sk-ant-" + "x" * 40}}, "contains_no_key"),
            ({"argv": ("wrong", "{promt}")}, "uses_known_names"),
            ({"env": {"EFFORT": "{effort}"}}, "uses_effort_only"),
        ],
    )
    def test_a_wrong_one_fails(self, wrong, test):
        assert any(test in name for name in self.failing(**wrong))


def test_the_names_of_values_are_those_of_the_docs():
    assert set(NAMES) == {"prompt", "model", "base_url", "token", "effort", "home", "project"}


def test_an_agent_of_harbor_is_refused_with_another_way():
    with pytest.raises(SpecError, match="Harbor's own agents, such as 'codex'") as refused:
        find_agent("harbor:codex")
    assert "import the folder of the job" in refused.value.hint
