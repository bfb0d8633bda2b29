"""Plug-ins as they are in the wild: built, installed, and found by another process."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def clean(**more):
    """The environment of a new process: what Python needs, and what the test gives."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **more}


def python(*arguments, cwd, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=cwd,
        env=clean(**environment),
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder with both packages installed; nothing comes from a network."""
    folder = tmp_path_factory.mktemp("plug-ins")
    sources = folder / "sources"
    shutil.copytree(
        HERE, sources, ignore=shutil.ignore_patterns("__pycache__", "test_installed.py")
    )
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    packages = [str(sources / name) for name in ("mentions", "broken")]
    target = folder / "site"
    done = python(
        *("-m", "pip", "install", "-q", *options, "--target", str(target), *packages), cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def tell(site, tmp_path):
    """Run a program beside the plug-ins; what it prints as JSON."""

    def run(program):
        done = python("-W", "error", "-c", program, cwd=tmp_path, PYTHONPATH=str(site))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


LIST = """
import dataclasses, json
from benchmaker.plugins import list_plugins
found = (*list_plugins("scorer"), *list_plugins("provider"))
print(json.dumps([dataclasses.asdict(plugin) for plugin in found]))
"""


def test_an_installed_plugin_is_listed_with_its_distribution(tell):
    found = {plugin["id"]: plugin for plugin in tell(LIST)}
    assert found["mentions"] == {
        "kind": "scorer",
        "id": "mentions",
        "version": "2",
        "target": "benchmaker_mentions:Mentions",
        "distribution": "benchmaker-mentions",
        "summary": "Full marks when the expected text occurs in the answer.",
        "error": None,
    }
    assert found["parrot"]["kind"] == "provider"
    assert found["exact"]["distribution"] == "benchmaker"


def test_a_broken_plugin_is_listed_by_name_with_its_error(tell):
    found = {plugin["id"]: plugin for plugin in tell(LIST)}
    assert found["broken"]["distribution"] == "benchmaker-broken"
    assert "benchmaker.nowhere" in found["broken"]["error"]
    assert [name for name, plugin in found.items() if plugin["error"]] == ["broken"]


LOAD = """
import json
from benchmaker.errors import PluginError
from benchmaker.plugins import load
try:
    load("scorer", "broken")
except PluginError as exc:
    broken = str(exc)
loaded = load("scorer", "mentions"), load("provider", "parrot")
print(json.dumps([*(cls.__name__ for cls in loaded), broken]))
"""


def test_an_installed_plugin_loads_by_its_id_and_a_broken_one_says_whose_it_is(tell):
    scorer, provider, broken = tell(LOAD)
    assert (scorer, provider) == ("Mentions", "Parrot")
    assert broken.startswith("scorer 'broken' of benchmaker-broken can't be loaded: Module")


SCORE = """
import json
from benchmaker import score
print(json.dumps([
    score("mentions", "It is FORTY.", "forty").score,
    score("mentions", "It is FORTY.", "forty", ignore_case=False).score,
]))
"""


def test_an_installed_scorer_scores_by_its_id(tell):
    assert tell(SCORE) == [1.0, 0.0]


EXPORT = """
import json, sys
from benchmaker import Suite, export, run
suite = Suite("s", [{"id": "a", "prompt": "2?", "expected": "2"}], scorer="exact")
result = run(suite, provider=lambda request: "2", models=["m"], home=".")
files = [export(result, name) for name in ("t.outcomes", "t.csv")]
files.append(export(result, "t", form="outcomes"))
print(json.dumps([file.read_text().split()[:2] for file in files]))
"""


def test_an_installed_format_is_found_by_its_id_and_suffix_and_takes_none_of_ours(tell):
    by_suffix, ours, by_id = tell(EXPORT)
    assert by_suffix == by_id == ["a", "scored"]
    assert ours[0].startswith("run_id,")


SELECT = """
import contextlib, io, json, os, pathlib
from fastapi.testclient import TestClient
from benchmaker import estimate, run, SpecError, resume
from benchmaker.cli import main
from benchmaker.web import Settings, create_app
home = pathlib.Path.cwd() / "home"
os.environ["BENCHMAKER_HOME"] = str(home)
pathlib.Path("s.yaml").write_text(
    "name: s\\nscorer: exact\\ncases: [{id: a, prompt: forty, expected: forty}]\\n"
)
with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
    main(("run", "s.yaml", "--model", "parrot/green", "--json", "--home", str(home)))
said = json.loads(out.getvalue())
both = run("s.yaml", models=["parrot", "parrot/green"], home=home)
try:
    run("s.yaml", models=["scripted"], home=home)
except SpecError as exc:
    unnamed = str(exc)
asking = TestClient(create_app(Settings(home=home, hosts=("testserver",))))
hash = both.summary.suite_hash
started = asking.post("/api/v1/runs", json={"suite": hash, "models": ["parrot"]})
offered = asking.get("/arena/models?q=parr")
print(json.dumps({
    "command": [(it["model"], it["mean"]) for it in said["models"]],
    "python": {it.model: it.mean for it in both.summary.models},
    "recorded": both.summary.run.provider["models"]["parrot/green"],
    "estimate": estimate("s.yaml", models=["parrot"], home=home).models[0].reason,
    "unnamed": unnamed,
    "api": (started.status_code, started.text[:300]),
    "offered": "parrot" in offered.text,
}))
"""


def test_an_installed_provider_is_selected_by_its_id(tell):
    found = tell(SELECT)
    assert found["command"] == [["parrot/green", 1.0]]
    assert found["python"] == {"parrot": 1.0, "parrot/green": 1.0}
    assert found["recorded"] == {"provider": "parrot", "version": "1", "model": "green"}
    assert found["estimate"] == "a registered provider has no listed price"
    assert "no endpoint in model 'scripted'" in found["unnamed"]
    assert found["api"][0] in (201, 202), found["api"]
    assert found["offered"]


COMMANDS = """
import contextlib, io, json
from benchmaker.cli import main
def said(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main(words)
    return out.getvalue()
print(json.dumps([said("export", "--help"), said("plugins")]))
"""


def test_an_installed_format_is_a_choice_of_the_command_and_listed(tell):
    choices, listed = tell(COMMANDS)
    assert "|outcomes|" in choices
    assert "Outcomes, a line a trial. [benchmaker-mentions]" in listed


SERVE = """
import json, pathlib
from fastapi.testclient import TestClient
from benchmaker.plugins import list_plugins
from benchmaker.web import Settings, create_app
app = create_app(Settings(home=pathlib.Path.cwd() / "home", hosts=("testserver",)))
asking = TestClient(app)
shown, home = asking.get("/run-count"), asking.get("/")
print(json.dumps({
    "status": shown.status_code,
    "has_text": "0 runs" in shown.text,
    "is_linked": 'href="/run-count"' in home.text,
    "failures": [one.id for one in app.state.pages.failures],
    "broken": [one.distribution for one in list_plugins("page") if one.error],
}))
"""


def test_an_installed_page_is_served_with_its_template_and_a_broken_one_is_left_out(tell):
    assert tell(SERVE) == {
        "status": 200,
        "has_text": True,
        "is_linked": True,
        "failures": ["broken_page"],
        "broken": ["benchmaker-broken"],
    }


def test_the_packages_own_tests_pass_with_the_conformance_kit(site, tmp_path):
    tests = tmp_path / "tests"
    shutil.copytree(HERE / "mentions" / "tests", tests)
    done = python(
        *("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(tests)),
        cwd=tmp_path,
        PYTHONPATH=str(site),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) > 30
