"""One trial: an agent behind walls, its submission, and every outcome."""

import asyncio
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmaker.arenas.agentic.running.agents import Agent, find_agent
from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.running.steps import LocalSteps
from benchmaker.arenas.agentic.sessions.stored_events import EVENTS
from benchmaker.errors import PrerequisiteError
from benchmaker.record.agent_trial import TrialMeter, TrialOutcome
from benchmaker.record.submissions.submission import Provenance, Status
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.running.conftest import Caps
from tests.arenas.agentic.verify.made import written
from tests.arenas.agentic.verify.test_harbor_criterion import FILES

LOG = ("{home}/run.traj.json",)
LOGGED = {"logs": ("run.traj.json",)}
SOLVE = "printf 'avocet\\nbittern\\nkestrel\\nmarlin\\nosprey\\n' > sorted.txt\n"
"""What solves the task of the check."""


def command(line):
    return find_agent(f"command:{line}")


class TestWires:
    @pytest.mark.parametrize("wire", ["chat", "responses", "messages", "gemini"])
    def test_an_agent_solves_the_task_and_its_usage_is_measured(self, trials, agent_of, wire):
        trial, made = trials.run(agent_of(None, wire))
        assert (trial.outcome, trial.reward, trial.detail) == (TrialOutcome.SOLVED, 1.0, "")
        assert trial.meter.requests == made.llm_calls == 3
        usage = made.usage
        assert (usage.input_uncached, usage.cache_read, usage.output) == (1913, 10263, 307)
        assert made.provenance["total_tokens"] is Provenance.MEASURED
        assert (made.time.active_s, made.time.queue_s) == (made.time.wall_s, 0)
        for path in ("time.wall_s", "time.active_s", "time.queue_s"):
            assert made.provenance[path] is Provenance.MEASURED


class TestSubmission:
    def test_it_is_verified_and_evaluated(self, trials, agent_of):
        trial, made = trials.run(agent_of(None, "chat"), evaluation=trials.evaluation(), attempts=3)
        rooms = trials.store.agentic
        verification = rooms.verification(made.id)
        assert (verification.success, verification.isolation) == (True, "namespace")
        assert list(rooms.metric_digests([made.id])) == [made.id]
        assert rooms.task(trial.key.task).digest == trial.task_hash == made.task.digest
        assert (made.attempt.index, made.attempt.of, made.attempt.group_id) == (1, 3, trials.series)
        assert made.system.name == "tiny · tiny"

    def test_a_log_that_agrees_has_no_flag_and_its_steps_are_kept(self, trials, agent_of):
        _, made = trials.run(agent_of(None, "chat", *LOG, **LOGGED))
        assert made.flags == ()
        assert (made.importer, made.tool_calls) == ("mini_swe_agent", 2)
        assert b"".join(trials.store.trace(made.id, EVENTS))

    def test_a_log_that_disagrees_is_flagged_and_the_gateway_counts(self, trials, agent_of):
        trial, made = trials.run(agent_of(None, "chat", *LOG, "lie", **LOGGED))
        assert trial.flags == made.flags == ("metered_otherwise",)
        assert made.usage.output == 307

    def test_each_try_of_an_attempt_is_one_submission(self, trials, agent_of):
        first, _ = trials.run(agent_of(None, "chat", *LOG, **LOGGED), attempt=7)
        second, made = trials.run(agent_of(None, "chat", *LOG, **LOGGED), attempt=7)
        other, _ = trials.run(agent_of(None, "chat", *LOG, **LOGGED), attempt=8)
        assert first.submission_id == second.submission_id != other.submission_id
        assert made.revision == 2

    def test_the_cost_is_the_gateways(self, trials, agent_of):
        _, made = trials.run(agent_of(None, "chat"))
        assert made.cost.computed_usd == pytest.approx(0.003)
        assert made.cost.reported_usd is None


class TestRows:
    def test_a_row_is_stored_at_the_start_and_at_the_end(self, trials, agent_of):
        seen = []

        class Watched(LocalSteps):
            async def run_agent(self, *given, **options):
                seen.extend(trials.store.agent_trials.trials(trials.series))
                return await super().run_agent(*given, **options)

        earlier = (TrialMeter(requests=3, cost_usd=0.5),)
        trial, _ = trials.run(agent_of(None, "chat"), steps=Watched(), earlier=earlier)
        (at_start,) = seen
        assert (at_start.outcome, at_start.finished_at, at_start.is_finished) == (None, "", False)
        assert at_start.earlier_meters == earlier
        (at_end,) = trials.store.agent_trials.trials(trials.series)
        assert at_end == trial
        assert at_end.is_finished
        assert at_end.meter_of_tries.requests == 6
        assert at_end.meter_of_tries.cost_usd == pytest.approx(0.503)

    def test_verification_in_threads_gives_the_same(self, trials, agent_of):
        with ThreadPoolExecutor(2) as threads:
            trial, made = trials.run(agent_of(None, "chat"), steps=LocalSteps(threads))
        assert trial.outcome is TrialOutcome.SOLVED
        assert trials.store.agentic.verification(made.id).success

    def test_a_solution_script_does_not_hold_up_the_event_loop(self, trials, tmp_path):
        beats, most = itertools.count(), []

        async def beat():
            while True:
                next(beats)
                await asyncio.sleep(0.05)

        class Watched(LocalSteps):
            async def call(self, work):
                before = next(beats)
                beating = asyncio.ensure_future(beat())
                try:
                    return await super().call(work)
                finally:
                    beating.cancel()
                    most.append(next(beats) - before)

        files = {**FILES, "solution/solve.sh": f"sleep 3\n{FILES['solution/solve.sh']}"}
        task = load_task(written(tmp_path / "greet", files))
        trial, _ = trials.run(find_agent("oracle"), task=task, model="", steps=Watched())
        assert trial.outcome is TrialOutcome.SOLVED
        assert max(most) >= 10  # the loop goes on during the three seconds of the script


class TestOutcomes:
    def test_a_workspace_that_fails(self, trials):
        trial, made = trials.run(command("true"), model="")
        assert (trial.outcome, trial.reward) == (TrialOutcome.FAILED, 0.0)
        assert trial.detail == "failed sorted"
        assert made.outcome.status is Status.COMPLETED

    def test_a_refusal_for_a_cap_ends_the_agent_after_a_grace(self, trials, agent_of):
        agent = agent_of(None, "chat", *LOG, "persist")
        trial, made = trials.run(agent, caps=Caps(requests=1), script=asking())
        assert (trial.outcome, trial.meter.requests) == (TrialOutcome.BUDGET, 1)
        assert trial.meter.refusals >= 1
        assert "cap of 1 requests" in trial.detail
        assert made.outcome.status is Status.BUDGET

    def test_a_timeout_keeps_the_workspace_and_the_logs(self, trials, agent_of, tmp_path):
        code = (
            "import os, time\nopen('begun.txt', 'w').write('x')\n"
            "open(os.environ['HOME'] + '/log.txt', 'w').write('y')\ntime.sleep(60)\n"
        )
        keep = tmp_path / "kept"
        agent = agent_of(code, logs=("log.txt",))
        trial, _ = trials.run(agent, limits={"wall_s": 2}, keep=keep)
        assert trial.outcome is TrialOutcome.TIMEOUT
        assert trial.detail.startswith("after 2 s")  # a busy machine adds the time in the queue
        assert (keep / "project" / "begun.txt").read_text() == "x"
        assert (keep / "home" / "log.txt").read_text() == "y"

    def test_a_crash_has_the_last_words(self, trials, agent_of):
        trial, made = trials.run(agent_of("import sys; sys.exit('no way')"))
        assert (trial.outcome, trial.detail) == (
            TrialOutcome.AGENT_CRASHED,
            "exit code 1: no way",
        )
        assert made.outcome.status is Status.FAILED

    def test_an_exit_code_may_stand_for_an_outcome(self, trials, agent_of):
        agent = agent_of("import sys; sys.exit(53)", exit_codes={"53": "refused"})
        trial, _ = trials.run(agent)
        assert (trial.outcome, trial.detail) == (TrialOutcome.REFUSED, "exit code 53")

    def test_a_solved_task_is_solved_however_the_agent_ends(self, trials, agent_of):
        code = f"import os, sys\nos.system({SOLVE!r})\nsys.exit(9)"
        trial, _ = trials.run(agent_of(code))
        assert (trial.outcome, trial.detail) == (TrialOutcome.SOLVED, "exit code 9")

    def test_a_failing_endpoint_is_not_the_agents_doing(self, trials, agent_of):
        trial, made = trials.run(agent_of(None, "chat"), fails=503)
        assert (trial.outcome, trial.reward, made) == (TrialOutcome.GATEWAY_ERROR, None, None)
        assert trial.detail == "the last request to scripted failed: status 503"
        assert trial.outcome.is_infrastructure

    def test_a_start_folder_beyond_the_limits_is_a_failed_setup(self, trials, tmp_path):
        task = load_task(a_task(tmp_path, size=3 << 20))
        trial, made = trials.run(command("true"), task=task, limits={"disk_mb": 2})
        assert (trial.outcome, made) == (TrialOutcome.SETUP_FAILED, None)

    def test_a_criterion_without_a_verdict_is_the_verifiers(self, trials, tmp_path):
        rubric = "{type: human_review, question: good, required: true}"
        task = load_task(a_task(tmp_path, rubric))
        trial, made = trials.run(command("true"), task=task)
        assert (trial.outcome, trial.reward, made) == (TrialOutcome.VERIFIER_ERROR, None, None)


class TestStandIns:
    @pytest.mark.parametrize(
        ("name", "outcome"), [("oracle", "solved"), ("nop", "failed"), ("cheat", "failed")]
    )
    def test_they_need_no_model_and_have_no_figures(self, trials, name, outcome):
        trial, made = trials.run(find_agent(name), model="", evaluation=trials.evaluation())
        assert trial.outcome == outcome
        assert (made.total_tokens, made.time.wall_s, made.cost.usd) == (None, None, None)
        assert trials.store.agentic.verification(made.id).isolation == "namespace"

    def test_each_attempt_leaves_the_next_cheat(self, trials, tmp_path):
        task = load_task(a_task(tmp_path, cheats=("a", "b")))
        for attempt, name in ((1, "a"), (2, "b"), (3, "a")):
            keep = tmp_path / f"kept-{attempt}"
            trials.run(find_agent("cheat"), task=task, model="", attempt=attempt, keep=keep)
            assert (keep / "project" / "out.txt").read_text() == name

    def test_a_task_without_cheats_can_not_be_cheated(self, trials, tmp_path):
        trial, _ = trials.run(find_agent("cheat"), task=load_task(a_task(tmp_path)), model="")
        assert trial.outcome is TrialOutcome.SETUP_FAILED


class TestStart:
    def test_tests_solution_history_and_cheats_are_not_inside(self, trials, agent_of, tmp_path):
        folder = a_task(tmp_path, cheats=("a",))
        for name in ("start/.git/HEAD", "tests/secret.txt", "reference/out.txt"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
        code = (
            "import os\nfound = [n for h, d, f in os.walk('/workspace') for n in d + f]\n"
            "open('found.txt', 'w').write(' '.join(sorted(found)))\n"
        )
        keep = tmp_path / "kept"
        trials.run(agent_of(code), task=load_task(folder), keep=keep)
        assert (keep / "project" / "found.txt").read_text() == "begin.txt home project"

    def test_the_home_is_writable_and_has_the_adapters_files(self, trials, agent_of):
        code = (
            "import json, os, pathlib\nhome = pathlib.Path.home()\n"
            "(home / 'own').write_text('x')\n"
            "assert json.load(open(home / '.tiny/conf.json')) == {'m': 'tiny'}\n"
            f"os.system({SOLVE!r})\n"
        )
        trial, _ = trials.run(agent_of(code, files={".tiny/conf.json": '{"m": "{model}"}'}))
        assert trial.outcome is TrialOutcome.SOLVED, trial.detail

    def test_the_prompt_comes_on_stdin_or_as_a_word(self, trials, agent_of):
        code = f"import os, sys\nassert 'names.txt' in {{}}\nos.system({SOLVE!r})\n"
        for text, words in (("sys.stdin.read()", ()), ("sys.argv[1]", ("{prompt}",))):
            trial, _ = trials.run(agent_of(code.format(text), *words))
            assert trial.outcome is TrialOutcome.SOLVED, trial.detail

    def test_a_program_that_is_not_installed_is_named(self, trials, agent_of):
        agent = Agent("none", agent_of("").adapter.model_copy(update={"argv": ("no-such",)}))
        with pytest.raises(PrerequisiteError, match="'no-such' is not installed"):
            trials.run(agent)


def asking():
    """A model that calls for ever."""
    turn = Turn("Again.", Tokens(10, output=5), command="true")
    return Scripted((turn,), SHELL_TOOLS)


def a_task(folder, criterion=None, *, cheats=(), size=0):
    """The folder of a task whose output is out.txt."""
    place = folder / "task"
    (place / "start").mkdir(parents=True)
    (place / "start" / "begin.txt").write_text("x" * size)
    for name in cheats:
        path = place / "cheats" / name / "out.txt"
        path.parent.mkdir(parents=True)
        path.write_text(name)
    criterion = criterion or "{type: file_exists, path: never.txt, required: true}"
    text = f"id: small\nprompt: do\noutputs: [out.txt]\ncriteria:\n  - {criterion}\n"
    (place / "task.yaml").write_text(text)
    return place
