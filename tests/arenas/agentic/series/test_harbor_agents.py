"""Agents of harbor in series: a stand-in for the library, and a scripted engine of containers."""

import sys

import pytest

from benchmaker.arenas.agentic.running.harbor import library
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record.agent_trial import TrialOutcome
from tests.arenas.agentic.harbor_library import add_harbor
from tests.arenas.agentic.series.conftest import MODEL
from tests.arenas.agentic.series.test_containers import a_task
from tests.container_engines import scripted_engine


@pytest.fixture(autouse=True)
def _new_library():
    library._adapter.cache_clear()


@pytest.fixture
def engine(tmp_path, monkeypatch):
    add_harbor(tmp_path, monkeypatch)
    return scripted_engine(tmp_path, monkeypatch)


def run(agents, agent="harbor:tiny", **options):
    with agents.model():
        return agents.run([a_task(agents)], [agent], models=[MODEL], **options)


def stored(agents):
    with agents.store() as store:
        (series,) = store.agent_trials.every_series()
        rows = store.agent_trials.trials(series.id)
        return rows, [store.submission(it.submission_id) for it in rows if it.submission_id]


def test_an_agent_of_harbor_solves_a_task_behind_the_gateway(agents, engine):
    run(agents, attempts=2)
    rows, made = stored(agents)
    for row in rows:
        assert (row.outcome, row.detail) == (TrialOutcome.SOLVED, "")
        assert (row.isolation, row.network, row.meter.requests) == ("container", "off", 2)
        assert (row.agent, row.agent_version) == ("harbor:tiny", "harbor 0.26.0")
    for submission in made:
        assert (submission.importer, submission.flags) == ("mini_swe_agent", ())
        assert submission.system.harness_version == "harbor 0.26.0"
    assert engine.containers() == []
    assert "harbor" not in sys.modules


def test_it_is_installed_once_with_the_network_and_run_without(agents, engine):
    run(agents, attempts=2)
    run(agents)
    (commit,) = engine.calls("commit")
    assert commit[2].startswith("localhost/benchmaker-agent:")
    runs = engine.calls("run")
    builds = [words for words in runs if "--detach" in words]
    assert [("--network" in words, commit[1] in words) for words in builds] == [(False, True)]
    trials = [words for words in runs if commit[2] in words]
    assert len(trials) == 3
    for words in trials:
        assert words[words.index("--network") + 1] == "none"
        places = [words[at + 1].split(":")[1] for at, it in enumerate(words) if it == "--volume"]
        assert {"/logs/agent", "/installed-agent", "/app"} <= set(places)
    everything = [word for words in engine.calls() for word in words]
    assert not any("sk-test" in word for word in everything)


def test_the_verifier_uses_the_image_of_the_task_without_the_agent(agents, engine):
    run(agents)
    graders = [words for words in engine.calls("run") if any(":/tests:ro" in it for it in words)]
    assert graders
    assert not any("benchmaker-agent" in word for words in graders for word in words)


@pytest.mark.usefixtures("engine")
def test_what_follows_a_failed_command_is_done_and_the_trajectory_is_read(agents):
    made = run(agents, "harbor:careful", efforts=["high"])
    (row,), (submission,) = stored(agents)
    assert (row.outcome, row.effort) == (TrialOutcome.SOLVED, "high")
    assert submission.importer == "atif"
    assert submission.flags != ()  # its log has other tokens than the gateway
    (workspace,) = agents.home.glob("agent-trials/*/workspaces/*/*")
    assert any(it.read_text() == "over" for it in workspace.rglob("over.txt"))
    assert made.systems[0].effort == "high"


class TestRefused:
    """Before any trial."""

    def refused(self, agents, match, agent="harbor:tiny", **options):
        with pytest.raises((PrerequisiteError, SpecError), match=match) as error:
            run(agents, agent, **options)
        with agents.store() as store:
            assert store.agent_trials.every_series() == ()
        return error.value

    def test_without_the_library(self, agents, tmp_path, monkeypatch):
        scripted_engine(tmp_path, monkeypatch)
        error = self.refused(agents, "harbor:tiny needs the library harbor")
        assert "uv tool install harbor" in error.hint

    @pytest.mark.usefixtures("engine")
    def test_in_a_namespace(self, agents):
        error = self.refused(agents, "not namespace, since harbor", isolation="namespace")
        assert error.hint == "Use --isolation container."

    @pytest.mark.usefixtures("engine")
    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("no-such", "harbor 0.26.0 has no agent 'no-such'"),
            ("host", "host is not a program that is installed in a container"),
            ("keyless", "keyless can't be pointed at the gateway: it takes no base URL"),
            ("deaf", "deaf does not pass on the base URL"),
            ("curious", "uses environment.task_env_config, which is not available here"),
        ],
    )
    def test_an_adapter_that_can_not_be_used(self, agents, name, said):
        self.refused(agents, said, f"harbor:{name}")

    @pytest.mark.usefixtures("engine")
    def test_an_agent_that_can_not_be_installed(self, agents):
        error = self.refused(agents, "no route to host", "harbor:uninstallable")
        assert "can't be installed in the image localhost/benchmaker-task:" in error.message

    @pytest.mark.usefixtures("engine")
    def test_a_task_without_an_image(self, agents):
        with agents.model(), pytest.raises(PrerequisiteError, match="has no image"):
            agents.run(1, ["harbor:tiny"], models=[MODEL])

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"harbor/agents/factory.py": None}, "no harbor.agents.factory.AgentFactory"),
            (
                {"harbor/agents/factory.py": "class AgentFactory:\n    get_agent_class = None\n"},
                "no AgentFactory.registered_names",
            ),
            (
                {"harbor/agents/installed/base.py": "class BaseInstalledAgent:\n    pass\n"},
                "no BaseInstalledAgent.install",
            ),
        ],
    )
    def test_another_interface(self, agents, tmp_path, monkeypatch, changed, said):
        add_harbor(tmp_path, monkeypatch, **changed)
        scripted_engine(tmp_path, monkeypatch)
        error = self.refused(agents, f"harbor 0.26.0 is not supported: it has {said}")
        assert "--upgrade" in error.hint


@pytest.mark.usefixtures("engine")
def test_others_in_its_series_run_in_containers_too(agents):
    with agents.model():
        made = agents.run([a_task(agents)], ["harbor:tiny", "oracle"], models=[MODEL])
    assert {it.outcome for it in made.trials} == {TrialOutcome.SOLVED}
    with agents.store() as store:
        (series,) = store.agent_trials.every_series()
    assert series.plan["isolation"] == "container"


@pytest.mark.usefixtures("engine")
def test_the_program_harbor_leads_to_its_python(tmp_path, monkeypatch):
    place = tmp_path / "tool" / "bin"
    place.mkdir(parents=True)
    (place / "harbor").write_text("#!/bin/sh\n")
    (place / "harbor").chmod(0o755)
    (place / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(place), prepend=":")
    assert library.library_python() == sys.executable
    monkeypatch.setattr(sys, "path", [it for it in sys.path if "python-path" not in it])
    assert library.library_python() == str(place / "python")


@pytest.mark.usefixtures("engine")
def test_the_adapters_are_listed(monkeypatch):
    found = {it.name: it.wire for it in library.every_adapter()}
    assert found == {"tiny": "chat", "careful": "chat", "uninstallable": "chat"}
    monkeypatch.setattr(sys, "path", [it for it in sys.path if "python-path" not in it])
    assert library.every_adapter() == ()
