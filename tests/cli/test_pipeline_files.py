"""The pipelines that ``init --ci`` writes, their steps run by bash in a repository of the test.

A local server stands for the API of GitHub and GitLab, and keeps the comments; it also answers
as the model.
"""

import json
import os
import re
import subprocess
import sys
import threading
import venv
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path

import pytest
from ruamel.yaml import YAML

PROJECT = Path(__file__).parents[2]
BOT = "github-actions[bot]"
SKIPPED = {"Install"}
"""Steps that need a package index."""


class CommentApi(ThreadingHTTPServer):
    """Comments of one pull request, and of one merge request."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), CommentHandler)
        self.comments = []
        self.requests = []
        self.is_read_only = False
        self.wrong = 0
        self.is_down = False

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def add(self, body, author=BOT):
        user = {"login": author, "username": author}
        self.comments.append({"id": len(self.comments) + 1, "body": body, "user": user})


class CommentHandler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/user":
            self.reply(200, {"username": BOT})
            return
        page = int(re.search(r"[?&]page=(\d+)", self.path)[1])
        self.reply(200, self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self):
        if self.path.endswith("/chat/completions"):
            made = self.completion()
            self.reply(*((404, {"error": "gone"}) if self.server.is_down else (200, made)))
            return
        body = self.body()
        if self.server.is_read_only:
            self.reply(403, {"message": "Resource not accessible"})
            return
        self.server.add(body)
        self.reply(201, {})

    def completion(self):
        """A chat completion: wrong for the first so many cases."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = int(asked["messages"][-1]["content"])
        text = "no" if number < self.server.wrong else "yes"
        message = {"role": "assistant", "content": text}
        return {
            "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        }

    def do_PATCH(self):
        self.server.comments[int(self.path.rpartition("/")[2]) - 1]["body"] = self.body()
        self.reply(200, {})

    do_PUT = do_PATCH  # noqa: N815  as http.server names it

    def body(self):
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def api():
    server = CommentApi()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


class Repository:
    """A clone with a suite, and the environment of its pipeline."""

    def __init__(self, root, api):
        self.root, self.api = root / "clone", api
        self.origin = root / "origin.git"
        self.git("init", "--quiet", "--bare", "--initial-branch", "main", self.origin, cwd=root)
        self.git("clone", "--quiet", self.origin, self.root, cwd=root)
        cases = "".join(f"  - {{id: c{at}, prompt: '{at}', expected: 'yes'}}\n" for at in range(40))
        models = "models: [openai/gpt-4o-mini]"
        self.write("suite.yaml", f"name: polls\nscorer: exact\n{models}\ncases:\n{cases}")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words, cwd=None):
        named = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *named, *map(str, words)], cwd=cwd or self.root, check=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")
        self.git("push", "--quiet", "origin", "HEAD:main")

    def environment(self, **more):
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.root.parent),
            "BENCHMAKER_HOME": str(self.root.parent / "home"),
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": f"{self.api.address}/v1",
            **more,
        }

    def bash(self, script, **env):
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=self.root,
            env=self.environment(**env),
            text=True,
            capture_output=True,
            check=False,
        )

    def make_baseline(self):
        done = self.bash(
            "benchmaker run suite.yaml --max-cost 1 --quiet && "
            "benchmaker export latest --baseline --output main.baseline.json"
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(tmp_path, api):
    made = Repository(tmp_path, api)
    made.make_baseline()
    made.commit()
    return made


def resolved(text, context):
    """A text with its expressions replaced by the values of the context."""
    return re.sub(r"\$\{\{\s*(.+?)\s*\}\}", lambda it: context.get(it[1], ""), str(text))


def github_context(**more):
    return {
        "github.base_ref": "main",
        "github.event.pull_request.number": "7",
        "github.event.pull_request.head.repo.fork": "false",
        "github.token": "t0ken",
        "secrets.OPENAI_API_KEY": "key",
        **more,
    }


def run_steps(repository, steps, context, **env):
    """Run the steps as the runner does; after a failure only those whose condition allows it."""
    made, failed = [], False
    summary = repository.root.parent / "summary.md"
    for step in steps:
        if "run" not in step or step.get("name") in SKIPPED:
            continue
        if (
            "hashFiles('gate.md')" in step.get("if", "")
            and not (repository.root / "gate.md").exists()
        ):
            continue
        if failed and "cancelled" not in step.get("if", ""):
            continue
        own = {name: resolved(value, context) for name, value in step.get("env", {}).items()}
        done = repository.bash(
            resolved(step["run"], context),
            GITHUB_ACTIONS="true",
            GITHUB_API_URL=repository.api.address,
            GITHUB_REPOSITORY="o/r",
            GITHUB_STEP_SUMMARY=str(summary),
            GITHUB_OUTPUT=str(repository.root.parent / "output"),
            **{**env, **own},
        )
        failed |= done.returncode != 0
        made.append(done)
    return failed, "".join(one.stdout + one.stderr for one in made)


@pytest.fixture
def github(cli, repository):
    """Run the steps of the workflow that ``init --ci github`` writes."""
    cli("init", repository.root, "--ci", "github")
    path = repository.root / ".github/workflows/benchmaker.yml"
    workflow = YAML(typ="safe").load(path.read_text())

    def run(context=None, **env):
        return run_steps(
            repository, workflow["jobs"]["gate"]["steps"], context or github_context(), **env
        )

    return run


@pytest.mark.long
def test_a_drop_fails_and_its_comment_is_updated(repository, github, api):
    for number in range(103):
        api.add(f"comment {number}", author="a")
    api.add("<!-- benchmaker gate: polls -->\nforged", author="stranger")
    api.wrong = 30
    failed, said = github()
    assert failed
    assert "::error file=suite.yaml,line=5,title=c0 dropped::" in said
    assert [one["body"] for one in api.comments[103:-1]] == [
        "<!-- benchmaker gate: polls -->\nforged"
    ]
    assert api.comments[-1]["body"].splitlines()[1].startswith("**Gate failed: ")
    api.wrong = 0
    failed, _ = github()
    assert not failed
    assert len(api.comments) == 105
    assert api.comments[-1]["body"].splitlines()[1].startswith("**Gate passed: ")
    method, path, headers = api.requests[-1]
    assert (method, path) == ("PATCH", "/repos/o/r/issues/comments/105")
    assert headers["Authorization"] == "Bearer t0ken"
    assert "Gate passed" in (repository.root.parent / "summary.md").read_text()


@pytest.mark.long
def test_the_baseline_of_the_target_branch_counts(repository, github, api):
    api.wrong = 30
    repository.make_baseline()  # the change would bring its own
    failed, said = github()
    assert failed
    assert "Gate failed" in said


@pytest.mark.long
def test_undecided_is_a_warning_unless_asked_for(repository, github, api):
    api.wrong = 2
    failed, said = github()
    assert not failed
    assert "::warning file=suite.yaml" in said
    assert github(FAIL_ON_UNDECIDED="true")[0]
    assert (repository.root.parent / "output").read_text() == "verdict=undecided\n" * 2


@pytest.mark.long
def test_a_fork_without_secrets_ends_neutral(github, api):
    none = {"secrets.OPENAI_API_KEY": ""}
    fork = {"github.event.pull_request.head.repo.fork": "true"}
    failed, said = github(github_context(**none, **fork))
    assert not failed
    assert "::notice title=Benchmaker gate::The gate did not run: pull requests from forks" in said
    assert api.comments == []
    assert github(github_context(**none))[0]


@pytest.mark.long
def test_a_token_that_may_not_write_does_not_fail(github, api):
    api.is_read_only = True
    failed, said = github()
    assert not failed
    assert "The token can't write comments" in said


@pytest.fixture
def program_repository(repository):
    """The suite asks a program, whose baseline was made without a budget."""
    suite = (repository.root / "suite.yaml").read_text()
    bot = "models: ['command:echo yes']"
    repository.write("suite.yaml", suite.replace("models: [openai/gpt-4o-mini]", bot))
    done = repository.bash(
        "benchmaker run suite.yaml --quiet && "
        "benchmaker export latest --baseline --output main.baseline.json"
    )
    assert done.returncode == 0, done.stderr
    repository.commit()
    return repository


@pytest.mark.long
def test_a_program_is_gated_with_a_committed_price(program_repository, github):
    failed, said = github()
    assert failed
    assert "A price is unknown. Commit a prices.yaml with it and set PRICES to its path" in said
    price = "{input: 0, output: 0, request: 0.01}"
    program_repository.write("ci/prices.yaml", f"prices: {{'command:*': {price}}}\n")
    failed, said = github(PRICES="ci/prices.yaml")
    assert not failed, said
    assert "Gate passed" in (program_repository.root / "gate.md").read_text()


@pytest.mark.long
def test_a_program_without_a_price_is_gated_without_a_budget(program_repository):
    gate = f"bash {PROJECT}/src/benchmaker/resources/ci/gate.sh"
    done = program_repository.bash(gate, MAX_COST="none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Gate passed" in (program_repository.root / "gate.md").read_text()
    lost = program_repository.bash(gate, PRICES="missing.yaml")
    assert lost.returncode == 2
    assert "The prices missing.yaml can't be copied" in lost.stdout


@pytest.mark.long
def test_without_a_baseline_on_the_target_the_gate_is_undecided(repository, github, api):
    text = (repository.root / "main.baseline.json").read_text()
    repository.git("rm", "--quiet", "main.baseline.json")
    repository.commit()
    repository.write("main.baseline.json", text)  # the change brings its own
    failed, said = github()
    assert not failed
    assert "benchmaker export latest --baseline --output main.baseline.json" in said
    assert "the first one must be merged first" in said
    marker, verdict = api.comments[0]["body"].splitlines()
    assert marker == "<!-- benchmaker gate: polls -->"
    assert verdict.startswith("**Gate undecided: no baseline main.baseline.json on the target")
    assert github(FAIL_ON_UNDECIDED="true")[0]
    assert len(api.comments) == 1


@pytest.mark.long
def test_a_target_branch_that_can_not_be_fetched_is_an_error(github):
    failed, said = github(github_context(**{"github.base_ref": "missing"}))
    assert failed
    assert "the target branch missing can't be fetched" in said


@pytest.mark.long
def test_the_models_of_the_pipeline(cli, repository, github, api):
    suite = (repository.root / "suite.yaml").read_text()
    repository.write("suite.yaml", suite.replace("models: [openai/gpt-4o-mini]\n", ""))
    failed, said = github()
    assert failed
    assert "The suite suite.yaml names no models. Set MODELS" in said
    assert "The gate did not run" in api.comments[0]["body"]
    failed, _ = github(MODELS="openai/gpt-4o-mini, openai/gpt-4o")
    assert not failed
    assert "Gate passed" in api.comments[0]["body"]
    done = cli("init", repository.root, "--ci", "github", "--force").stdout
    assert "suite.yaml names no models: set MODELS" in " ".join(done.split())


@pytest.mark.long
def test_a_run_without_answers_updates_the_comment(github, api):
    github()
    api.is_down = True
    failed, said = github()
    assert not failed
    verdict = api.comments[-1]["body"].splitlines()[1]
    said_first = "no answer of the run has a score: \\d+ provider errors, \\d+ not run"
    assert re.fullmatch(rf"\*\*Gate undecided: {said_first}\.\*\*", verdict)
    assert len(api.comments) == 1
    assert "Traceback" not in said


PROGRAM = """
import os, pathlib, sys
def main():
    pathlib.Path(os.environ["HOME"], "seen").write_text("\\n".join(os.environ))
    print("benchmaker 0.1.0")
"""
"""Another program of the same name."""


@pytest.fixture
def other_program(tmp_path):
    """The wheel of a project with that name that is not this one."""
    path = tmp_path / "benchmaker-0.1.0-py3-none-any.whl"
    info = "benchmaker-0.1.0.dist-info"
    files = {
        "benchmaker.py": PROGRAM,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: benchmaker\nVersion: 0.1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nbenchmaker = benchmaker:main\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


def install(package, tmp_path, bin_folder, **env):
    env = {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "OPENAI_API_KEY": "key",
        "PIP_NO_INDEX": "1",
        "BENCHMAKER_PACKAGE": str(package),
        **env,
    }
    script = PROJECT / "src/benchmaker/resources/ci/install.sh"
    return subprocess.run(
        ["bash", script], env=env, cwd=tmp_path, text=True, capture_output=True, check=False
    )


def test_nothing_is_installed_without_a_package(tmp_path):
    here = Path(sys.executable).parent
    done = install("", tmp_path, here)
    assert done.returncode == 2
    assert "BENCHMAKER_PACKAGE is empty. Set it to what pip installs" in done.stdout
    assert install("", tmp_path, here, FROM_FORK="true").returncode == 0


@pytest.mark.long
def test_another_program_of_that_name_is_refused_and_sees_no_key(tmp_path, other_program):
    venv.create(tmp_path / "env", with_pip=True)
    done = install(other_program, tmp_path, tmp_path / "env/bin")
    assert done.returncode == 2, done.stderr
    assert "is another program: it has no gate" in done.stdout
    assert "OPENAI_API_KEY" not in (tmp_path / "seen").read_text()
    assert "PATH" in (tmp_path / "seen").read_text()


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_pipelines_install_what_is_named(cli, tmp_path, system):
    said = cli("init", tmp_path, "--ci", system).stdout
    assert "BENCHMAKER_PACKAGE" in said
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    workflow = next(path for path in files if path.suffix == ".yml")
    assert not any("pip install benchmaker" in path.read_text() for path in files)
    YAML(typ="safe").load(workflow.read_text())
    spec = 'git+https://example.org/b@v0.2.0#"x"'
    cli("init", tmp_path, "--ci", system, "--package", spec, "--force")
    text = workflow.read_text()
    assert f"BENCHMAKER_PACKAGE: {json.dumps(spec)}" in text
    made = YAML(typ="safe").load(text)
    found = (
        made["jobs"]["gate"]["steps"][2]["env"]
        if system == "github"
        else made["benchmaker-gate"]["variables"]
    )
    assert found["BENCHMAKER_PACKAGE"] == spec
    assert "--package needs --ci" in cli("init", tmp_path / "x", "--package", spec, code=2).stderr


def test_keys_are_only_in_the_step_of_the_gate(cli, tmp_path):
    cli("init", tmp_path, "--ci", "github")
    workflow = YAML(typ="safe").load((tmp_path / ".github/workflows/benchmaker.yml").read_text())
    (job,) = workflow["jobs"].values()
    with_secrets = [it["name"] for it in job["steps"] if "secrets." in json.dumps(it)]
    assert with_secrets == ["Run and gate"]
    assert "env" not in job
    assert "env" not in workflow


@pytest.mark.long
def test_the_action_runs_the_same_scripts(repository, api):
    action = YAML(typ="safe").load((PROJECT / "action.yml").read_text())
    inputs = {f"inputs.{name}": resolved(it["default"], github_context())
              for name, it in action["inputs"].items()}  # fmt: skip
    api.wrong = 30
    failed, _ = run_steps(
        repository,
        action["runs"]["steps"],
        github_context(**inputs),
        GITHUB_ACTION_PATH=str(PROJECT),
    )
    assert failed
    assert "Gate failed" in api.comments[0]["body"]


@pytest.mark.long
def test_gitlab_notes_are_updated(cli, repository, api):
    cli("init", repository.root, "--ci", "gitlab")
    path = repository.root / ".gitlab/benchmaker/gate.yml"
    job = YAML(typ="safe").load(path.read_text())["benchmaker-gate"]
    env = {
        "CI_API_V4_URL": api.address,
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "9",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "GITLAB_TOKEN": "t0ken",
    }
    env |= {
        name: str(value).replace("$CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
        for name, value in job["variables"].items()
    }
    for wrong, code, verdict in ((30, 1, "failed"), (0, 0, "passed")):
        api.wrong = wrong
        assert repository.bash("\n".join(job["script"]), **env).returncode == code
        done = repository.bash("\n".join(job["after_script"]), **env)
        assert done.returncode == 0, done.stderr
        assert f"Gate {verdict}" in api.comments[0]["body"]
    assert [method for method, _, _ in api.requests] == ["POST", "PUT"]
    assert len(api.comments) == 1


def test_a_comment_is_written_once_and_updated(tmp_path, api):
    report = tmp_path / "gate.md"
    script = PROJECT / "src/benchmaker/resources/ci/comment.sh"
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GITHUB_API_URL": api.address,
        "GITHUB_REPOSITORY": "o/r",
        "PULL_REQUEST": "7",
        "GITHUB_TOKEN": "t0ken",
    }
    for text in ("first", "second"):
        report.write_text(f"<!-- benchmaker gate: s -->\n{text} 'quoted' \"x\" é\n")
        subprocess.run(["bash", script, report], env=env, check=True, capture_output=True)
    (comment,) = api.comments
    assert comment["body"] == "<!-- benchmaker gate: s -->\nsecond 'quoted' \"x\" é\n"


@pytest.mark.parametrize("reply", ["<html>", '{"message": "?"}', "[3]"])
def test_an_unreadable_reply_is_said_without_a_traceback(tmp_path, reply):
    report = tmp_path / "gate.md"
    report.write_text("<!-- benchmaker gate: s -->\ntext\n")
    server = HTTPServer(("127.0.0.1", 0), unreadable(reply))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_address[1]}",
        "GITHUB_REPOSITORY": "o/r",
        "PULL_REQUEST": "7",
    }
    script = PROJECT / "src/benchmaker/resources/ci/comment.sh"
    done = subprocess.run(
        ["bash", script, report], env=env, text=True, capture_output=True, check=False
    )
    server.shutdown()
    server.server_close()
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "the API's reply to the list of comments is not readable" in done.stderr
    missing = ["bash", script, tmp_path / "none.md"]
    done = subprocess.run(missing, env=env, text=True, capture_output=True, check=False)
    assert (done.returncode, "no comment is written" in done.stderr) == (0, True)


def unreadable(reply):
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            data = reply.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def test_existing_files_are_kept(cli, tmp_path):
    cli("init", tmp_path, "--ci", "github")
    assert "already there" in cli("init", tmp_path, "--ci", "github", code=2).stderr
    cli("init", tmp_path, "--ci", "github", "--force")
    assert "--ci needs a folder" in cli("init", "x.yaml", "--ci", "gitlab", code=2).stderr
