"""Series in containers: a scripted engine that runs commands as the real ones do."""

import json

import pytest

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record.agent_trial import TrialOutcome
from tests.arenas.agentic.series.conftest import MODEL, TINY, shell
from tests.arenas.agentic.verify.made import written
from tests.container_engines import scripted_engine

pytestmark = pytest.mark.long

OFF = '[environment]\nnetwork_mode = "no-network"\n'
FILES = {
    "task.toml": f"[verifier]\ntimeout_sec = 60\n{OFF}",
    "instruction.md": "Write the word of word.txt to answer.txt.\n",
    "environment/Dockerfile": "FROM some/base:1\nWORKDIR /app\nRUN make\nCOPY word.txt /app/\n",
    "environment/word.txt": "right",
    "tests/test.sh": (
        'if [ "$(cat answer.txt)" = right ]; then reward=1; else reward=0; fi\n'
        "echo $reward > /logs/verifier/reward.txt\n"
    ),
    "solution/solve.sh": "cat word.txt > answer.txt\n",
}
SOLVE = shell("cat word.txt > answer.txt")


@pytest.fixture
def engine(tmp_path, monkeypatch):
    return scripted_engine(tmp_path, monkeypatch)


def a_task(agents, **changed):
    return written(agents.folder / "words", FILES | changed)


def outcomes(made):
    return {it.system: str(it.outcome) for it in made.trials}


def test_a_task_with_an_image_is_built_run_and_verified_in_containers(agents, engine):
    made = agents.run([a_task(agents)], [SOLVE, "oracle", "nop"])
    assert outcomes(made) == {SOLVE: "solved", "oracle": "solved", "nop": "failed"}
    assert {it.system: it.isolation for it in made.trials}[SOLVE] == "container"
    (build,) = engine.calls("build")
    assert build[1].startswith("--tag")
    assert build[2].startswith("localhost/benchmaker-task:")
    assert {tuple(words[words.index("--network") :][:2]) for words in engine.calls("run")} == {
        ("--network", "none")
    }
    assert engine.containers() == []
    with agents.store() as store:
        (trial,) = [it for it in made.trials if it.system == SOLVE]
        assert store.agentic.verification(trial.submission_id).isolation == "container"


def test_an_agent_reaches_the_gateway_and_nothing_else(agents, engine):
    task = a_task(agents)
    with agents.model():
        made = agents.run([task], [agents.adapter()], models=[MODEL])
    (trial,) = made.trials
    assert (trial.outcome, trial.isolation, trial.requests) == (TrialOutcome.SOLVED, "container", 2)
    (run,) = [words for words in engine.calls("run") if any("relay.py" in it for it in words)]
    mounts = [run[at + 1].split(":")[1] for at, word in enumerate(run) if word == "--volume"]
    assert "/run/benchmaker/gateway.sock" in mounts
    assert "/app" in mounts
    assert not any("sk-test" in word for words in engine.calls() for word in words)


def test_the_verifier_is_another_container_with_the_tests(agents, engine):
    agents.run([a_task(agents)], [SOLVE])
    agent, grader = [
        words for words in engine.calls("run") if "/tests/test.sh" in words or "sh" in words[-3:]
    ][-2:]
    assert not any(it.endswith(":/tests:ro") for it in agent)
    assert any(it.endswith(":/tests:ro") for it in grader)
    names = [words[words.index("--name") + 1] for words in (agent, grader)]
    assert len(set(names)) == 2


class TestRefusedBeforeAnyTrial:
    """Nothing is stored, and no container is started."""

    def refused(self, agents, *, match, agent=SOLVE, task=None, **options):
        with pytest.raises((PrerequisiteError, SpecError), match=match) as error:
            agents.run([task or a_task(agents)], [agent], **options)
        with agents.store() as store:
            assert store.agent_trials.every_series() == ()
        return str(error.value)

    def test_a_namespace_with_the_line_that_needs_a_container(self, agents, engine):
        said = self.refused(agents, match="not namespace", isolation="namespace")
        assert "environment/Dockerfile:3  RUN make" in said
        assert engine.calls("run") == []

    def test_no_engine_with_the_line(self, agents, tmp_path, monkeypatch):
        (tmp_path / "bin").mkdir()
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        said = self.refused(agents, match="neither podman nor docker")
        assert "environment/Dockerfile:3  RUN make" in said

    def test_no_service(self, agents, engine):
        engine.answer("info", status=1, stderr="Cannot connect to the daemon.\n")
        self.refused(agents, match="Cannot connect to the daemon")

    def test_a_failing_build(self, agents, engine):
        engine.answer("build", status=2, stderr="make: command not found\n")
        said = self.refused(agents, match="make: command not found")
        assert "words: environment/Dockerfile can't be built (status 2)" in said
        assert engine.calls("run") == []

    @pytest.mark.parametrize(
        "printed",
        [
            'STEP 3/4: RUN make\nError: building at STEP "RUN make": exit status 2\n',
            "Step 3/4 : RUN make\nThe command returned a non-zero code: 2\n",
            "Dockerfile:3\n-----\n   3 | >>> RUN make\nERROR: failed to solve\n",
        ],
    )
    def test_a_failing_build_with_its_line(self, agents, engine, printed):
        engine.answer("build", status=2, stderr=printed)
        said = self.refused(agents, match="can't be built")
        assert "words: environment/Dockerfile:3 can't be built (status 2)" in said

    @pytest.mark.usefixtures("engine")
    def test_an_image_that_can_not_be_pulled(self, agents):
        toml = FILES["task.toml"] + 'docker_image = "registry.example/a:1"\n'
        task = a_task(agents, **{"task.toml": toml})
        said = self.refused(agents, match="registry.example/a:1 can't be pulled", task=task)
        assert said.startswith("words/task.toml:5")

    @pytest.mark.usefixtures("engine")
    def test_an_agent_that_the_image_lacks(self, agents):
        agent = "command:no-such-agent --go"
        self.refused(agents, match="does not start in the image", agent=agent)

    @pytest.mark.usefixtures("engine")
    def test_a_container_without_an_image(self, agents):
        (task,) = agents.tasks(1)
        self.refused(agents, match="has no image", task=task, isolation="container")

    @pytest.mark.usefixtures("engine")
    def test_another_isolation(self, agents):
        self.refused(agents, match="Choose namespace or container", isolation="process")


def test_a_task_of_ones_own_runs_in_its_image_on_request(agents, engine):
    (task,) = agents.tasks(1)
    file = task / "task.yaml"
    file.write_text(file.read_text() + "image: some/image:1\n")
    engine.add_image("some/image:1")
    solve = shell("printf right > answer.txt")
    made = agents.run([task], [solve], isolation="container")
    (trial,) = made.trials
    assert (trial.outcome, trial.isolation) == (TrialOutcome.SOLVED, "container")
    again = agents.run([task], [solve])
    assert again.trials[0].isolation == "namespace"


def test_a_container_that_can_not_be_started_is_tried_again_and_never_scored(agents, engine):
    made_once = agents.run([a_task(agents)], [SOLVE])
    assert outcomes(made_once) == {SOLVE: "solved"}
    engine.answer("run", status=125, stderr="Error: no space left on device\n")
    made = agents.run([a_task(agents, **{"instruction.md": "Again.\n"})], ["nop"])
    (trial,) = made.trials
    assert (trial.outcome, trial.tries, trial.reward) == (TrialOutcome.VERIFIER_ERROR, 3, None)
    assert "no space left" in trial.detail


def test_the_tiny_agent_is_mounted_and_not_copied_into_the_image(agents, engine):
    with agents.model():
        agents.run([a_task(agents)], [agents.adapter()], models=[MODEL])
    assert TINY.exists()
    lines = [json.dumps(words) for words in engine.calls("build")]
    assert not any("tiny" in line for line in lines)
