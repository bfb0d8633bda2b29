"""A key is sent to its own host and stands nowhere else: not in a file, not in an output."""

import base64
import json
import os
import subprocess
import sys
from urllib.request import urlopen

import pytest

from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for, files_with, run_models
from tests.live.server.pace import Pace
from tests.live.server.question import hashed
from tests.waiting import until
from tests.web.serving import serving

FORMATS = ("csv", "json", "jsonl", "markdown", "html", "junit")
MODELS = [
    f"{endpoint}/{model}"
    for endpoint in ("openai", "anthropic")
    for model in ("plain", "fault:http_400_echo", "fault:http_401_echo", "fault:http_500_echo")
]


def forms(key):
    """The key, and what it looks like when something packed it."""
    packed = base64.b64encode(key.encode()).decode()
    return [key, key[:-4], packed.rstrip("=")[:-2], key.encode().hex()]


def benchmaker(*words, home, **more):
    line = [sys.executable, "-m", "benchmaker", *words, "--home", str(home)]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False, **more)


def test_after_a_reply_that_echoes_it_the_key_is_in_no_file_and_no_output(server, key, tmp_path):
    home = tmp_path / "home"
    took = run_models(MODELS, server, environ=environ_for(server, key), home=home)
    assert {entry.key for entry in took.entries} == {hashed(key)}
    said = [repr(took.result), repr(took.trials), repr(took.result.stopped)]
    for form in FORMATS:
        written = benchmaker(
            "export", "latest", "--format", form, "--output", str(tmp_path / form), home=home
        )
        assert written.returncode == 0, written.stderr
        said += [written.stdout, written.stderr]
    for words in (("results",), ("results", "--json"), ("show", "latest")):
        told = benchmaker(*words, home=home)
        said += [told.stdout, told.stderr]
    said += pages_of(home, took.result.run_ids)
    assert "[redacted]" in "".join(said)
    for form in forms(key):
        assert files_with(tmp_path, form) == []
        assert not any(form in text for text in said)


def pages_of(home, run_ids):
    """The pages and the API's documents that tell of runs and their errors."""
    paths = ["/", "/api/v1/runs"]
    for run_id in run_ids:
        run = f"/runs/{run_id}"
        paths += [run, f"{run}.json", f"{run}.csv", f"/api/v1/runs/{run_id}/summary"]
        paths += [f"{run}/export/{form}" for form in ("html", "jsonl")]
        paths += [f"{run}/trials/0-{rank}" for rank in range(len(MODELS))]
    with serving(home) as address:
        return [urlopen(f"{address}{path}").read().decode() for path in paths]  # noqa: S310  ours


@pytest.mark.parametrize("endpoint", ["openai", "anthropic"])
def test_a_redirect_to_another_host_never_carries_the_key(key, tmp_path, endpoint):
    with FaultyServer() as other:
        elsewhere = f"{other.url}/v1/chat/completions"
        with FaultyServer(Pace(elsewhere=elsewhere)) as server:
            took = run_models(
                [f"{endpoint}/fault:http_redirect_other"],
                server,
                environ=environ_for(server, key),
                home=tmp_path,
            )
        assert took.entries
        assert other.journal.entries() == []
    assert files_with(tmp_path, key) == []


def test_each_host_sees_its_own_key_alone(key, tmp_path):
    keys = {"openai": f"{key}-one", "anthropic": f"{key}-two"}
    with FaultyServer() as first, FaultyServer() as second:
        environ = {
            "OPENAI_API_KEY": keys["openai"],
            "OPENAI_BASE_URL": first.openai_url,
            "ANTHROPIC_API_KEY": keys["anthropic"],
            "ANTHROPIC_BASE_URL": second.anthropic_url,
        }
        run_models(["openai/plain", "anthropic/plain"], first, environ=environ, home=tmp_path)
        assert {entry.key for entry in first.settled()} == {hashed(keys["openai"])}
        assert {entry.key for entry in second.settled()} == {hashed(keys["anthropic"])}


def test_a_process_that_is_killed_leaves_no_key_behind(server, key, tmp_path):
    home, suite = tmp_path / "home", tmp_path / "suite.json"
    cases = [{"id": f"c{n}", "prompt": f"[c{n}] 40 + {n}?", "expected": "40"} for n in range(9)]
    suite.write_text(json.dumps({"name": "sums", "cases": cases, "scorer": {"id": "exact"}}))
    words = [sys.executable, "-m", "benchmaker", "run", str(suite), "--home", str(home)]
    words += ["--model", "openai/fault:http_500_echo:1", "--model", "anthropic/fault:hang"]
    environ = {**os.environ, **environ_for(server, key)}
    with subprocess.Popen(
        words, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        until(lambda: _has_hung(server, key) or process.poll() is not None)
        process.kill()
        said = process.communicate()
    assert _has_hung(server, key), said
    assert key not in "".join(said)
    assert files_with(tmp_path, key) == []


def test_debug_logs_hold_no_key(server, key, tmp_path):
    log = tmp_path / "debug.log"
    words = [sys.executable, "-X", "dev", "-m", "tests.live.debug_child"]
    words += [str(tmp_path / "home"), str(log), *MODELS, "openai/fault:http_redirect_other"]
    environ = {**os.environ, **environ_for(server, key), "PYTHONASYNCIODEBUG": "1"}
    done = subprocess.run(
        words, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "everything is logged" in log.read_text(encoding="utf-8")
    assert server.journal.entries(key=key)
    for form in forms(key):
        assert files_with(tmp_path, form) == []
        assert form not in done.stdout + done.stderr


@pytest.mark.parametrize("fault", ["http_401_echo", "malformed_json"])
def test_the_command_line_shows_no_key_even_when_it_debugs(server, key, tmp_path, fault):
    home, suite = tmp_path / "home", tmp_path / "suite.json"
    cases = [{"id": "c1", "prompt": "[c1] 40 + 2?", "expected": "42"}]
    suite.write_text(json.dumps({"name": "sums", "cases": cases, "scorer": {"id": "exact"}}))
    environ = {**os.environ, **environ_for(server, key)}
    asked = ["run", str(suite), "--model", f"openai/fault:{fault}", "--retries", "0", "--debug"]
    done = benchmaker(*asked, home=home, env=environ, cwd=tmp_path)
    shown = benchmaker("show", "latest", "--debug", home=home, env=environ, cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert server.journal.entries(key=key)
    for form in forms(key):
        assert files_with(tmp_path, form) == []
        assert form not in done.stdout + done.stderr + shown.stdout + shown.stderr


def _has_hung(server, key):
    return any(entry.fault == "hang" for entry in server.journal.entries(key=key))
