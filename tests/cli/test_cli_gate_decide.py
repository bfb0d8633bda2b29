"""``gate --decide``: further runs within a budget, answered by a local server."""

import json
import random
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

SIZE = 40
REPLY_USD = (100 * 0.15 + 50 * 0.6) / 1e6
"""A reply's price at 0.15 and 0.60 dollars per million tokens."""


class ModelHandler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests += 1
        text = self.server.answer(int(asked["messages"][-1]["content"]))
        message = {"role": "assistant", "content": text}
        data = json.dumps(
            {
                "model": asked["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 50},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def model(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), ModelHandler)
    server.requests = 0
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def run(cli, tmp_path, home):
    home.mkdir(exist_ok=True)
    (home / "prices.yaml").write_text("prices: {openai/fake: {input: 0.15, output: 0.6}}\n")
    cases = "".join(f"  - {{id: c{at}, prompt: '{at}', expected: 'yes'}}\n" for at in range(SIZE))
    suite = tmp_path / "suite.yaml"
    suite.write_text(f"name: polls\nscorer: exact\ncases:\n{cases}")

    def start(*options):
        done = cli("run", suite, "--model", "openai/fake", "--max-tokens", 50, *options, "--json")
        return done.data["run_ids"]

    return start


@pytest.fixture
def noisy(model):
    """Answers that are right with this chance, another time another way."""
    asked = Counter()

    def set_to(chance):
        def answer(number):
            asked[number] += 1
            source = random.Random(f"3-{number}-{asked[number]}")  # noqa: S311  no secret
            return "yes" if source.random() < chance else "no"

        model.answer = answer

    return set_to


def test_further_runs_find_a_drop_that_one_run_leaves_open(cli, model, noisy, run, tmp_path):
    noisy(0.7)
    run("--runs", 6)
    baseline = tmp_path / "main.baseline.json"
    cli("export", "latest", "--baseline", "--output", baseline)
    noisy(0.5)
    (after,) = run()
    cli("gate", after, "--baseline", baseline, code=5)
    sent = model.requests
    words = ("gate", after, "--baseline", baseline, "--decide", "--max-cost", 1, "--json")
    done = cli(*words, code=1)
    runs = done.data["models"][0]["runs"]
    assert done.data["verdict"] == "fail"
    assert done.stderr.startswith("Undecided: running polls ")
    assert model.requests - sent == SIZE * (runs - 1) > 0
    assert done.data["level"] > 0.95
    assert done.data["run"]["run_ids"][0] == after


def test_the_budget_bounds_the_runs(cli, model, noisy, run):
    noisy(0.9)
    (before,) = run()
    noisy(0.85)
    (after,) = run()
    sent = model.requests
    budget = 1.5 * SIZE * REPLY_USD
    words = ("gate", after, "--baseline", before, "--decide", "--max-cost", f"{budget:.7f}")
    text = " ".join(cli(*words, code=5).stderr.split())
    assert "at most $" in text
    assert (model.requests - sent) * REPLY_USD <= budget
    assert "Decision 2, by 97.5% intervals: undecided." in text
    assert "No further runs" in text


def test_no_run_is_added_where_the_needed_ones_do_not_fit_the_budget(cli, model, noisy, run):
    noisy(0.7)
    before = run("--runs", 6)[0]
    noisy(0.5)
    (after,) = run()
    sent = model.requests
    budget = f"{0.9 * SIZE * REPLY_USD:.7f}"
    words = ("gate", after, "--baseline", before, "--decide", "--max-cost", budget)
    text = " ".join(cli(*words, code=5).stderr.split())
    assert re.search(
        r"No further runs: about \d+ runs? (is|are) needed to decide, for about \$", text
    )
    assert model.requests == sent


def test_repeating_stable_answers_is_refused_with_the_reason(cli, model, run):
    model.answer = lambda number: "no" if number < 2 else "yes"
    (before,) = run()
    model.answer = lambda number: "no" if number < 4 else "yes"
    (after,) = run()
    sent = model.requests
    words = ("gate", after, "--baseline", before, "--decide", "--max-cost", 1)
    text = " ".join(cli(*words, code=5).stderr.split())
    assert "No further runs: repeated runs gave the same scores." in text
    assert model.requests - sent == SIZE


def test_recorded_answers_have_no_model_to_run(cli, tmp_path, run, model):
    model.answer = lambda _: "yes"
    (before,) = run()
    path = tmp_path / "answers.jsonl"
    rows = [{"model": "openai/fake", "id": f"c{at}", "output": "no"} for at in range(3)]
    path.write_text("\n".join(map(json.dumps, rows)))
    cli("run", tmp_path / "suite.yaml", "--recorded", path, code=None)
    said = cli("gate", "latest", "--baseline", before, "--decide", "--max-cost", 1, code=2)
    assert "--decide needs live models" in said.stderr


@pytest.mark.parametrize("options", [("--decide",), ("--max-cost", 1)])
def test_decide_and_its_budget_belong_together(cli, options):
    assert "Give both" in cli("gate", "x", "--baseline", "y", *options, code=2).stderr
