import os
import subprocess
import sys

import pytest

from benchmaker.store import Store
from tests.cli.otlp_receiver import plain, receiving
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.running import warm

KEY = "sk-proj-of-the-spans-0123456789"

pytestmark = pytest.mark.warm
SUITE = """\
name: sums
scorer: exact
cases:
  - {id: c1, prompt: "[c1] 40 + 2?", expected: "42"}
  - {id: c2, prompt: "[c2] 41 + 2?", expected: "43"}
"""


@pytest.fixture
def ran(tmp_path):
    """Runs the suite over the faulty server; gives the exit code and stderr."""
    (tmp_path / "suite.yaml").write_text(SUITE)

    def run(*words, server, model="openai/fault:http_503_after:1", **more):
        environ = {**os.environ, **environ_for(server, KEY), **more}
        command = ("run", "suite.yaml", "--model", model, "--home", tmp_path / "home", *words)
        process = warm.start(command, cwd=tmp_path, env=environ, text=True)
        _, complaints = process.communicate()
        return process.returncode, complaints

    return run


def test_a_collector_gets_the_spans_of_a_run(ran, tmp_path):
    with FaultyServer() as server, receiving() as collector:
        code, told = ran("--otel-endpoint", collector.url, server=server)
    with Store.open(tmp_path / "home" / "benchmaker.db", read_only=True) as store:
        trials = list(store.trials(store.runs()[0].id))

    assert code == 0, told
    assert collector.services == {"benchmaker"}
    assert collector.kinds == {"application/x-protobuf"}
    roots = [span for span in collector.spans if not span.parent_span_id]
    requests = [span for span in collector.spans if span.parent_span_id]
    assert {plain(span.attributes)["benchmaker.case.id"] for span in roots} == {"c1", "c2"}
    assert len(roots) == len(trials) == 2
    assert len(requests) == sum(len(trial.attempts) for trial in trials) > 2
    assert {span.parent_span_id for span in requests} == {span.span_id for span in roots}
    answered = [span for span in requests if span.status.code != 2]
    named = plain(answered[0].attributes)
    assert named["gen_ai.operation.name"] == "chat"
    assert named["gen_ai.provider.name"] == "openai"
    assert named["gen_ai.usage.output_tokens"] > 0
    assert all(span.end_time_unix_nano > span.start_time_unix_nano for span in answered)
    assert KEY not in repr(collector.spans)
    assert "40 + 2" not in repr(collector.spans)


def test_a_collector_that_refuses_spoils_nothing_and_is_told(ran):
    with FaultyServer() as server, receiving(400) as collector:
        code, told = ran("--otel-endpoint", collector.url, server=server, model="openai/right")

    assert code == 0, told
    assert "4 of 4 spans were not delivered." in told


def test_nothing_of_opentelemetry_is_loaded_without_it(tmp_path):
    (tmp_path / "suite.yaml").write_text(SUITE)
    (tmp_path / "witness.py").write_text("def answer(prompt):\n    return '42'\n")
    code = (
        "import sys\nfrom benchmaker.cli import main\n"
        "try: main(['run', 'suite.yaml', '--model', 'python:witness:answer', '--home', 'h'])\n"
        "except SystemExit: pass\n"
        "print('MODULES', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.partition("MODULES")[2].split())

    assert not [name for name in loaded if name.startswith(("opentelemetry.sdk", "prometheus"))]
    assert "benchmaker.report.telemetry.otlp" not in loaded
