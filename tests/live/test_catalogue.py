"""Every fault of the catalogue, in both protocols, whole and streamed, through a real run."""

import asyncio
import contextlib
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from uuid import uuid4

import pytest
from click.testing import CliRunner

from benchmaker.cli import main
from benchmaker.cli.progress.verdict import report_verdict
from benchmaker.record import Outcome
from tests.live.catalogue import MOST, Scene, scenes
from tests.live.faulty import FaultyServer
from tests.live.runs import (
    CASES,
    Took,
    a_home,
    environ_for,
    files_with,
    outcomes_of,
    run_models,
    run_scene,
)
from tests.live.server.journal import Entry
from tests.live.server.question import hashed
from tests.live.server.reply import answer_to

AT_ONCE = 8
"""Runs of scenes that are under way in one event loop; most of their time is waiting."""
PLAYED = "test_a_fault_leads_to_its_stated_outcome"
SHOWN = (
    "http_429_after", "http_429_quota", "http_500", "http_400_context", "http_401_echo",
    "http_302_loop", "reset_at_once", "truncated_body", "malformed_json", "empty_completion",
    "nul", "sse_truncated", "sse_split_utf8", "xss",
)  # fmt: skip
"""Faults that are run through the command line, too."""

SCENES = list(scenes())
BY_COMMAND = list(
    {
        scene.expected.fault: scene
        for scene in SCENES
        if scene.expected.fault in SHOWN and scene.stream and scene.protocol == "openai"
    }.values()
)


def _in_turns():
    """Every fault in both protocols, streamed and whole; the quick suite sees one of the two."""
    for scene in SCENES:
        others = sum(one.expected is scene.expected for one in SCENES)
        is_left = others == 4 and (scene.protocol == "openai") != scene.stream
        yield pytest.param(scene, id=str(scene), marks=pytest.mark.long if is_left else ())


@dataclass(frozen=True, slots=True)
class Played:
    """A scene that was run, and the files in which its key stands."""

    took: Took
    leaks: list[Path]


@dataclass(frozen=True, slots=True)
class Plays:
    """Every scene that was run: what came of it, or why it failed; and what all of them printed."""

    keys: dict[Scene, str]
    ends: dict[Scene, Played | Exception]
    printed: str
    strays: list[Entry]
    """What the server was asked meanwhile with none of the keys."""

    def of(self, scene: Scene) -> Played:
        """What came of the scene; raises what its run raised."""
        end = self.ends[scene]
        if isinstance(end, Exception):
            raise end
        return end


@pytest.fixture(scope="module")
def plays(request, server, tmp_path_factory):
    """All scenes that some test is about to look at: they wait at the same time."""
    wanted = [
        item.callspec.params["scene"]
        for item in request.session.items
        if item.path == request.path and item.originalname == PLAYED
    ]
    return asyncio.run(_play(wanted, server, tmp_path_factory.mktemp("scenes")))


async def _play(wanted: list[Scene], server: FaultyServer, folder: Path) -> Plays:
    """Play the scenes; those that reach a time limit go first, and keep to themselves."""
    keys = {scene: f"sk-proj-{uuid4().hex}" for scene in wanted}
    ends: dict[Scene, Played | Exception] = {}
    tight = [scene for scene in wanted if scene.expected.is_tight]
    roomy = [scene for scene in wanted if not scene.expected.is_tight]
    printed = io.StringIO()

    async def play(scene: Scene, places: asyncio.Semaphore) -> None:
        home = folder / str(wanted.index(scene))
        async with places:
            try:
                took = await run_scene(scene, server, key=keys[scene], home=home)
                ends[scene] = Played(took, files_with(home, keys[scene]))
            except Exception as error:  # noqa: BLE001  the scene's own test raises it
                ends[scene] = error
        shutil.rmtree(home)

    already = len(server.settled())
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        for group, at_once in ((tight, len(tight)), (roomy, AT_ONCE)):
            places = asyncio.Semaphore(at_once)
            await asyncio.gather(*(play(scene, places) for scene in group))
    known = {hashed(key) for key in keys.values()}
    strays = [entry for entry in server.settled()[already:] if entry.key not in known]
    return Plays(keys, ends, printed.getvalue(), strays)


@pytest.mark.parametrize("scene", list(_in_turns()))
def test_a_fault_leads_to_its_stated_outcome(plays, scene):
    played, key = plays.of(scene), plays.keys[scene]
    took = played.took
    _check_ends(took, scene)
    _check_rows(took, scene)
    _check_server_agrees(took, scene)
    _check_summary(took)
    assert report_verdict(took.result.summary) in scene.expected.exit_codes
    assert played.leaks == []
    assert key not in repr(took.trials) + plays.printed


def test_no_fault_leads_to_a_request_without_the_key(plays):
    assert plays.strays == []


def _check_ends(took: Took, scene: Scene) -> None:
    """It ends, and says which model was stopped and why (I4)."""
    assert bool(took.result.stopped) == scene.expected.stops
    assert took.result.is_finished or scene.expected.stops
    assert not took.result.interrupted


def _check_rows(took: Took, scene: Scene) -> None:
    """One row for each case that was asked, with what the catalogue states (I1)."""
    expected = scene.expected
    cases = [trial.case_id for trial in took.trials]
    assert len(set(cases)) == len(cases)
    assert set(cases) == {f"c{n}" for n in range(CASES)} or expected.stops
    assert {entry.case for entry in took.entries if entry.case} == set(cases)
    for trial in took.trials:
        assert trial.outcome in expected.outcomes, trial.error
        if trial.completion is None:
            assert trial.error_type in expected.errors, trial.error
            assert ("model_stopped" in trial.flags) == expected.stops
            assert trial.score is None or trial.score.score == 0.0
        else:
            _check_completion(trial, scene)


def _check_completion(trial, scene: Scene) -> None:
    """The text as it was sent, what is known of tokens, and the flags."""
    expected, completion = scene.expected, trial.completion
    usage = completion.usage
    flags = {*trial.flags, *completion.flags, *(usage.flags if usage else ())}
    assert expected.flags <= flags
    if trial.outcome is Outcome.SCORED:
        assert completion.text == scene.text(answer_to(f"{40 + trial.position} + 2?"))
    if expected.usage is not None:
        is_known = usage is not None and usage.output_tokens is not None
        assert is_known == expected.usage
        assert is_known or completion.cost_usd is None


def _check_server_agrees(took: Took, scene: Scene) -> None:
    """Requests and tokens are those that the server saw; nothing came too early (I2)."""
    expected = scene.expected
    assert not any(entry.is_early_retry or entry.is_early for entry in took.entries)
    assert {entry.status for entry in took.entries} != {418}, "no such fault"
    assert all(entry.method == "POST" for entry in took.entries), "a redirect was followed"
    for trial in took.trials:
        seen = took.entries_of(trial)
        assert expected.least <= len(seen) <= expected.most <= MOST
        assert [attempt.number for attempt in trial.attempts] == [
            number + 1 for number in range(len(trial.attempts))
        ]
        _check_attempts(trial, seen, scene)
        usage = trial.completion.usage if trial.completion else None
        if usage is not None and expected.usage:
            told = (usage.input_tokens, usage.output_tokens)
            assert told == (seen[-1].given_tokens, seen[-1].made_tokens)
    if expected.is_gone:
        assert {entry.end for entry in took.entries} == {"gone"}


def _check_attempts(trial, seen, scene: Scene) -> None:
    """An attempt for each request; a kept connection that was closed is replaced unasked."""
    if scene.expected.fault == "stale_keepalive":
        seen = [entry for entry in seen if entry.end == "answered"]
    for attempt, entry in zip(trial.attempts, seen, strict=True):
        assert attempt.status in {"ok", "empty", "failed"} or attempt.status.isdigit()
        assert attempt.status != "ok" or entry.end == "answered"
        assert not attempt.status.isdigit() or entry.status in {200, int(attempt.status)}
    if trial.outcome is Outcome.SCORED:
        was_streamed = "stream_fallback" not in trial.flags
        assert seen[-1].is_streamed == (scene.stream and was_streamed)


def _check_summary(took: Took) -> None:
    """What is shown is what the rows say (I5)."""
    [shown] = took.result.summary.models
    scores = [trial.score.score for trial in took.trials if trial.score is not None]
    known = [score for score in scores if score is not None]
    assert shown.mean == (pytest.approx(fmean(known)) if known else None)
    assert shown.n_trials == len(took.trials)
    counted = {str(outcome): number for outcome, number in shown.outcomes.items() if number}
    assert counted == outcomes_of(took.trials)


@pytest.mark.parametrize("scene", BY_COMMAND, ids=str)
def test_the_command_line_ends_with_its_code_and_without_a_traceback(
    server, key, tmp_path, monkeypatch, scene
):
    suite = tmp_path / "suite.json"
    cases = [
        {"id": f"c{n}", "prompt": f"[c{n}] {40 + n} + 2?", "expected": str(42 + n)}
        for n in range(CASES)
    ]
    suite.write_text(json.dumps({"name": "sums", "cases": cases, "scorer": {"id": "exact"}}))
    home = a_home(tmp_path / "home")
    for name, value in environ_for(server, key).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    words = ["run", str(suite), "--home", str(home), "--model", f"openai/{scene.expected.model}"]
    done = CliRunner().invoke(main, words)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in scene.expected.exit_codes, done.stderr
    assert "Traceback" not in done.output
    assert "\x1b" not in done.output
    assert "\x00" not in done.output
    assert key not in done.output
    assert files_with(home, key) == []
    seen = [entry for entry in server.settled(key=key) if entry.case]
    assert seen
    assert not any(entry.is_early_retry for entry in seen)


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True])
def test_replies_with_the_same_id_are_flagged_but_for_the_first(
    server, key, tmp_path, protocol, stream
):
    took = run_models(
        [f"{protocol}/fault:same_id", f"{protocol}/plain"],
        server,
        environ=environ_for(server, key),
        home=tmp_path,
        stream=stream,
    )
    flagged = [trial.model for trial in took.trials if "same_id" in trial.completion.flags]
    assert flagged == [f"{protocol}/fault:same_id"] * (CASES - 1)
    assert outcomes_of(took.trials) == {"scored": 2 * CASES}


def test_five_equal_refusals_in_a_row_stop_the_model(server, key, tmp_path):
    took = run_models(
        ["openai/fault:http_400"],
        server,
        environ=environ_for(server, key),
        home=tmp_path,
        cases=12,
        concurrency=1,
    )
    assert len(took.entries) == 5
    assert list(took.result.stopped) == ["openai/fault:http_400"]


@pytest.mark.parametrize("fault", ["http_401", "http_429_quota", "http_429_huge", "http_400"])
def test_when_a_model_is_stopped_the_others_go_on(server, key, tmp_path, fault):
    stopped = f"openai/fault:{fault}"
    took = run_models(
        [stopped, "anthropic/plain"],
        server,
        environ=environ_for(server, key) | {"ANTHROPIC_API_KEY": f"{key}-other"},
        home=tmp_path,
        cases=20,
    )
    assert list(took.result.stopped) == [stopped]
    assert took.result.mean("anthropic/plain") == 1.0
    assert sum(trial.model == "anthropic/plain" for trial in took.trials) == 20
    assert len(took.entries) <= 20 + 5 + 4  # five in a row, and those in flight meanwhile


def test_nobody_listening_is_a_failure_of_the_provider(server, key, tmp_path):
    environ = environ_for(server, key) | {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    took = run_models(["openai/plain"], server, environ=environ, home=tmp_path)
    assert took.entries == ()
    assert outcomes_of(took.trials) == {"provider_error": CASES}
    assert {len(trial.attempts) for trial in took.trials} == {MOST}
