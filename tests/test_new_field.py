"""A field that is added to cases, suites or trials passes through all that keeps or shows them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import benchmaker

SOURCE = Path(benchmaker.__file__).parent
DECLARED = {
    "spec/suites/case.py": (
        "    group: Label | None = Field(",
        "    hint: str | None = None\n    group: Label | None = Field(",
    ),
    "spec/suites/suite_form.py": (
        "    judge: Annotated[",
        '    audience: Annotated[str, NEWER] = ""\n    judge: Annotated[',
    ),
    "spec/suites/suite.py": (
        '    metric: Metric = "mean"\n',
        '    metric: Metric = "mean"\n    audience: str = ""\n',
    ),
    "record/trial.py": (
        '    finished_at: str = ""\n',
        '    finished_at: str = ""\n    region: str | None = None\n',
    ),
    "store/database/tables.py": (
        '    UniqueConstraint("run_seq", "case_id", "model_rank"),\n',
        '    Column("region", Text),\n    UniqueConstraint("run_seq", "case_id", "model_rank"),\n',
    ),
}
SUITE = """
name: capitals
profile: robust
scorer: exact
audience: schools
cases:
  - {id: peru, prompt: The capital of Peru?, expected: Lima, hint: a bean}
"""
PASSES = """
import json, pickle, subprocess, sys
from pathlib import Path
from fastapi.testclient import TestClient
import benchmaker as bm
from benchmaker.scoring.suite_schema import suite_schema
from benchmaker.store import Store
from benchmaker.web import Settings, create_app
from benchmaker.web.form_body import Fields
from benchmaker.web.suites import case_form, header_form
from benchmaker.web.suites.export import as_yaml, plain_case

home = Path(sys.argv[1])
suite = bm.load_suite(home / "suite.yaml")
found = {}
(case,) = suite.cases

def note(where, one):
    (case,) = one.cases
    found[where] = [one.audience, case.hint, one.content_hash == suite.content_hash]

note("file", suite)
with Store.open(home / "benchmaker.db") as store:
    store.put_suite(suite)
    note("store", store.suite(suite.content_hash))
found["cluster"] = [pickle.loads(pickle.dumps(suite.without_cases())).audience]
(home / "again.yaml").write_text(as_yaml(suite))
note("yaml", bm.load_suite(home / "again.yaml"))
answers = home / "answers.jsonl"
answers.write_text(json.dumps({"id": "peru", "model": "m", "output": "Lima"}))
bm.run(suite, recorded=answers, home=home)

def benchmaker(*words):
    subprocess.run([sys.executable, "-m", "benchmaker", *words], cwd=home, check=True)

benchmaker("export", "latest", "--format", "json", "--output", "run.json", "--home", ".")
exported = (home / "run.json").read_text()
assert exported.count('{"trial":{') == 1
(home / "run.json").write_text(exported.replace('{"trial":{', '{"trial":{"region":"eu",'))
benchmaker("import", "run.json", "--home", "other")
with Store.open(home / "other" / "benchmaker.db") as store:
    (run,) = store.runs(limit=1)
    note("import", store.suite(run.suite_hash))
    found["trial in store"] = [trial.region for trial in store.trials(run.id)]
benchmaker("export", "latest", "--format", "json", "--output", "again.json", "--home", "other")
found["trial in export"] = ['"region":"eu"' in (home / "again.json").read_text()]

def server_of(folder):
    settings = Settings(home=folder, hosts=("127.0.0.1:8000",))
    return TestClient(create_app(settings), base_url="http://127.0.0.1:8000")

answered = server_of(home / "other").get(f"/api/v1/runs/{run.id}/cases/0").json()
found["trial in api"] = [answered["trials"][0]["region"]]
server = server_of(home)
sent = {"name": "sent", "scorer": "exact", "audience": "schools", "cases": [plain_case(case)]}
made = server.post("/api/v1/suites", json=sent).raise_for_status().json()
content = made["suite_hash"]
cases = server.get(f"/api/v1/suites/{content}/cases").json()["items"]
found["api"] = [made["audience"], cases[0]["case"]["hint"]]
typed = Fields({**case_form.case_texts(case), "weight": "2"})
found["form"] = [case_form.read_case(typed, suite, case).case.hint]
typed = Fields({**header_form.header_texts(suite), "description": "Towns"})
found["header form"] = [header_form.read_suite(typed, suite).suite.audience]
schema = suite_schema()
found["schema"] = [
    "audience" in schema["properties"], "hint" in schema["$defs"]["Case"]["properties"]
]
(home / "found.json").write_text(json.dumps(found))
"""


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    """What became of the fields on each way, in a copy of the package that declares them."""
    root = tmp_path_factory.mktemp("copy")
    copied = root / "benchmaker"
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (line, lines) in DECLARED.items():
        text = (copied / name).read_text()
        assert text.count(line) == 1, name
        (copied / name).write_text(text.replace(line, lines))
    (root / "suite.yaml").write_text(SUITE)
    environ = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", PASSES, root]
    done = subprocess.run(command, env=environ, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((root / "found.json").read_text())


def test_a_new_field_survives_every_road(passed):
    for way in ("file", "store", "yaml", "import"):
        assert passed[way] == ["schools", "a bean", True], way
    assert passed["cluster"] == ["schools"]
    assert passed["api"] == ["schools", "a bean"]
    assert passed["form"] == ["a bean"]
    assert passed["header form"] == ["schools"]
    assert passed["schema"] == [True, True]
    assert passed["trial in store"] == ["eu"]
    assert passed["trial in export"] == [True]
    assert passed["trial in api"] == ["eu"]
