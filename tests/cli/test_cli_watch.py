"""``run --watch``: a run after each edit, in which only changed requests are sent."""

import json
import re
import signal
from contextlib import contextmanager

import pytest

from tests.cli.conftest import environment
from tests.live.server.pace import Pace
from tests.running import warm
from tests.waiting import until

pytestmark = pytest.mark.warm

PATIENCE_S = 300.0
PRICED = "openai/gpt-4o-mini"
WAITING = re.compile(r"Watching \d files? for changes")
SUITE = """
name: sums
scorer: exact
prompts: [{id: plain, file: plain.txt}]
cases: {file: cases.jsonl}
"""


class Watched:
    """A watch at work: its process, and the requests that it sent."""

    def __init__(self, process, server, key):
        self.process, self._server, self._key = process, server, key

    def requests(self):
        """The cases in the order of their requests."""
        return [entry.case for entry in self._server.settled(key=self._key)]

    def told(self):
        return self.process.complaints()

    def until_waiting(self, times):
        """Wait for the end of the run with this number."""
        until(lambda: self._has_ended() or len(WAITING.findall(self.told())) >= times, PATIENCE_S)
        assert not self._has_ended(), self.process.communicate()

    def _has_ended(self):
        return self.process.poll() is not None

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return out


def write_cases(folder, **expected):
    lines = [
        {"id": name, "vars": {"n": int(answer) - 2}, "expected": answer}
        for name, answer in expected.items()
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "plain.txt").write_text("[{{ id }}] {{ n }} + 2?\n")
    write_cases(tmp_path, c0="42", c1="43", c2="44")
    (tmp_path / "suite.yaml").write_text(SUITE)
    return tmp_path / "suite.yaml"


@pytest.fixture
def watch(server, environ, key, home, suite):
    @contextmanager
    def begin(*words):
        env = environment(home) | environ
        process = warm.start(
            ["run", suite, "--watch", *words], cwd=suite.parent, env=env, text=True
        )
        try:
            yield Watched(process, server, key)
        finally:
            process.kill()
            process.communicate(timeout=PATIENCE_S)

    return begin


def test_only_changed_requests_are_sent_after_each_edit(watch, suite):
    with watch("--model", "openai/plain") as watched:
        watched.until_waiting(1)
        assert sorted(watched.requests()) == ["c0", "c1", "c2"]
        write_cases(suite.parent, c0="42", c1="53", c2="44")
        watched.until_waiting(2)
        assert watched.requests()[3:] == ["c1"]
        assert "Unchanged: 2 of 3 answers." in watched.told()
        suite.write_text(SUITE.replace("exact", "numeric"))
        watched.until_waiting(3)
        assert len(watched.requests()) == 4
        (suite.parent / "plain.txt").write_text("[{{ id }}] Please: {{ n }} + 2?\n")
        watched.until_waiting(4)
        assert sorted(watched.requests()[4:]) == ["c0", "c1", "c2"]
        watched.interrupt()
    assert watched.process.returncode == 130


def test_a_file_that_the_suite_names_later_is_watched_too(watch, suite):
    with watch("--model", "openai/plain") as watched:
        watched.until_waiting(1)
        (suite.parent / "kind.txt").write_text("[{{ id }}] Kindly: {{ n }} + 2?\n")
        suite.write_text(SUITE.replace("plain.txt}", "plain.txt}, {file: 'k*.txt'}"))
        watched.until_waiting(2)
        assert len(watched.requests()) == 6
        (suite.parent / "kurt.txt").write_text("[{{ id }}] {{ n }} + 2, now!\n")
        watched.until_waiting(3)
        assert len(watched.requests()) == 9


def test_an_invalid_suite_is_reported_and_the_watch_goes_on(watch, suite):
    suite.write_text(SUITE.replace("exact", "exat"))
    with watch("--model", "openai/plain") as watched:
        watched.until_waiting(1)
        assert "suite.yaml:3" in watched.told()
        assert "Did you mean 'exact'?" in watched.told()
        assert watched.requests() == []
        suite.write_text(SUITE)
        watched.until_waiting(2)
        assert len(watched.requests()) == 3
        suite.write_text("cases: [")
        watched.until_waiting(3)
        (suite.parent / "cases.jsonl").unlink()
        suite.write_text(SUITE)
        watched.until_waiting(4)
        assert "no file 'cases.jsonl' in the suite's folder." in watched.told()
        write_cases(suite.parent, c0="42", c1="43", c2="44", c3="45")
        watched.until_waiting(5)
        assert watched.requests()[3:] == ["c3"]


def test_the_budget_counts_over_the_whole_watch(watch, suite):
    budget = ("--max-cost", 0.00015, "--max-tokens", 100)
    with watch("--model", PRICED, *budget, "--concurrency", 1) as watched:
        watched.until_waiting(1)
        assert len(watched.requests()) == 3
        edit = 1
        while "does not cover another request" not in watched.told():
            edit += 1
            (suite.parent / "plain.txt").write_text(f"[{{{{ id }}}}] {edit}: {{{{ n }}}} + 2?\n")
            watched.until_waiting(edit)
            assert edit < 20
        sent = len(watched.requests())
        assert sent > 3
        (suite.parent / "plain.txt").write_text("[{{ id }}] again: {{ n }} + 2?\n")
        watched.until_waiting(edit + 1)
        assert len(watched.requests()) == sent
        assert re.search(r"Budget of this watch: \$0\.\S+ of \$0\.00015\S* spent\.", watched.told())


def test_an_edit_during_a_run_is_run_next(watch, suite, server, key):
    with server.paced(Pace(latency_s=1.0)), watch("--model", "openai/plain") as watched:
        until(lambda: len(server.journal.entries(key=key)) == 3, PATIENCE_S)
        write_cases(suite.parent, c0="42", c1="43", c2="54")
        watched.until_waiting(2)
        assert watched.requests()[3:] == ["c2"]


def test_ctrl_c_during_a_run_ends_the_watch(watch, server, key):
    with (
        server.paced(Pace(latency_s=1.0)),
        watch("--model", "openai/plain", "--concurrency", 1) as watched,
    ):
        until(lambda: server.journal.entries(key=key), PATIENCE_S)
        watched.process.send_signal(signal.SIGINT)
        _, told = watched.process.communicate(timeout=PATIENCE_S)
    assert watched.process.returncode == 130
    assert re.search(r"finished trials are kept\. Resume with:\s+\S*benchmaker resume", told)
    assert len(watched.requests()) < 3


def test_an_invalid_option_ends_the_watch_before_anything_is_sent(watch):
    with watch() as watched:
        assert watched.process.wait(PATIENCE_S) == 2
        assert "no model and no recorded answers given." in watched.told()
    with watch("--model", "openai/unpriced", "--max-cost", 1) as watched:
        assert watched.process.wait(PATIENCE_S) == 3
        assert watched.requests() == []


def test_recorded_answers_are_scored_again_after_an_edit(watch, suite):
    answers = suite.parent / "answers.jsonl"
    answers.write_text('{"model": "m", "id": "c0", "output": "42"}\n')
    with watch("--recorded", answers) as watched:
        watched.until_waiting(1)
        answers.write_text('{"model": "m", "id": "c0", "output": "41"}\n')
        watched.until_waiting(2)
        out = watched.interrupt()
    assert watched.process.returncode == 130
    assert out.count("sums: run ") == 2
