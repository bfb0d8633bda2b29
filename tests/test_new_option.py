"""A run option that one file declares is offered, recorded, and named with the results."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import benchmaker

SOURCE = Path(benchmaker.__file__).parent
BEFORE = "    cache: bool = option(\n"
OPTION = """
    max_answer_chars: int | None = option(
        None, OptionKind.WHOLE, "Cut answers after N characters.",
        metavar="N", least=1, online=(1, 1_000), label="Characters per answer",
        calls=_AGAIN, recorded=True, changes_answers=True,
    )  # fmt: skip
"""
SHOWS = """
import io, json, sys
from pathlib import Path
from fastapi.testclient import TestClient
import benchmaker as bm
from benchmaker import report
from benchmaker.web import Settings, create_app

home = Path(sys.argv[1])
suite = bm.Suite("sums", [bm.Case(id="c", prompt="2?", expected="2")], scorer="exact")
options = bm.RunOptions(max_answer_chars=200)
made = bm.run(suite, provider=lambda it: "2", models=["m"], home=home, options=options)
plain = bm.run(suite, provider=lambda it: "2", models=["m"], home=home)
(run_id,) = made.run_ids
client = TestClient(
    create_app(Settings(home=home, hosts=("127.0.0.1:8000",))), base_url="http://127.0.0.1:8000"
)
markdown = io.StringIO()
report.write_markdown(made.summary, markdown)
try:
    bm.run(suite, provider=lambda it: "2", models=["m"], home=home,
        options=bm.RunOptions(max_answer_chars=0))
except bm.BenchmakerError as exc:
    refused = str(exc)
found = {
    "terminal": report.summary_text(made.summary, detail="full", width=300),
    "plain": report.summary_text(plain.summary, detail="full", width=300),
    "markdown": markdown.getvalue(),
    "page": client.get(f"/runs/{run_id}?tab=settings").text,
    "json": made.summary.to_dict()["reproducibility"],
    "plain json": plain.summary.to_dict()["reproducibility"],
    "api": client.get(f"/api/v1/runs/{run_id}/summary").json()["reproducibility"],
    "refused": refused,
}
(home / "found.json").write_text(json.dumps(found))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What every surface says, in a copy of the package with the option."""
    root = tmp_path_factory.mktemp("copy")
    copied = root / "benchmaker"
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    declared = copied / "engine/requests/run_options.py"
    text = declared.read_text()
    assert text.count(BEFORE) == 1
    declared.write_text(text.replace(BEFORE, f"{OPTION}{BEFORE}"))
    environ = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", SHOWS, root]
    done = subprocess.run(command, env=environ, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((root / "found.json").read_text())


@pytest.mark.parametrize("surface", ["terminal", "markdown", "page"])
def test_the_settings_of_results_name_it(shown, surface):
    assert "characters per answer 200" in shown[surface]


def test_documents_have_it(shown):
    assert shown["json"]["options"] == shown["api"]["options"] == {"max_answer_chars": 200}


def test_the_default_is_not_named(shown):
    assert "characters per answer" not in shown["plain"]
    assert "options" not in shown["plain json"]


def test_its_minimum_holds(shown):
    assert "max_answer_chars must be at least 1, not 0." in shown["refused"]
