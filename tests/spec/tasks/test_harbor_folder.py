"""Folders of Harbor, read as tasks."""

import platform

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.tasks.task_file import load_task

PYTHON = ".".join(platform.python_version_tuple()[:2])
TOML = """\
version = "1.0"

[metadata]
difficulty = "easy"
category = "sorting"
tags = ["a", "b"]

[verifier]
timeout_sec = 4000.0

[agent]
timeout_sec = 120.0

[environment]
memory = "2G"
storage = "10G"
cpus = 2
"""
DOCKERFILE = """\
# a comment
FROM ubuntu:24.04
ARG WHO=world
ENV GREETING="hello $WHO" LEVEL=3
WORKDIR /app
COPY data/ ./data/
COPY --chmod=755 run.sh \\
     notes.txt /app/
RUN mkdir -p /app
"""
FILES = {
    "task.toml": TOML,
    "instruction.md": "<!-- canary GUID x -->\n\nWrite /app/out.txt.\n",
    "environment/Dockerfile": DOCKERFILE,
    "environment/data/in.txt": "1",
    "environment/data/deep/in.txt": "2",
    "environment/run.sh": "echo",
    "environment/notes.txt": "n",
    "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
    "solution/solve.sh": "echo hello > out.txt\n",
}


def folder(tmp_path, **changed):
    place = tmp_path / "Sort Me"
    for name, text in {**FILES, **changed}.items():
        if text is not None:
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return place


def test_a_folder_is_read_with_its_files_variables_and_limits(tmp_path):
    task = load_task(folder(tmp_path))
    spec = task.task
    assert (spec.id, spec.prompt) == ("sort-me", "Write /app/out.txt.\n")
    assert (spec.category, spec.difficulty, spec.tags) == ("sorting", "easy", ("a", "b"))
    assert (spec.workdir, spec.env) == ("/app", {"GREETING": "hello world", "LEVEL": "3"})
    assert (spec.limits.memory_mb, spec.limits.disk_mb) == (2048, 10240)
    assert (spec.agent_timeout_s, spec.criteria[0].timeout_s) == (120.0, 4000.0)
    assert (spec.isolation, spec.needs_container, spec.network) == ("namespace", (), False)
    found = {p.relative_to(task.start).as_posix() for p in task.start.rglob("*") if p.is_file()}
    assert found == {"data/in.txt", "data/deep/in.txt", "run.sh", "notes.txt"}
    assert (task.start / "run.sh").stat().st_mode & 0o100
    assert task.solve_script is not None


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.4"])
def test_each_schema_is_read(tmp_path, version):
    toml = f'schema_version = "{version}"\n[task]\nname = "org/sort"\ndescription = "Sort."\n'
    task = load_task(folder(tmp_path, **{"task.toml": toml})).task
    assert (task.id, task.title) == ("sort", "Sort.")


def test_the_file_itself_can_be_named(tmp_path):
    place = folder(tmp_path)
    assert load_task(place / "task.toml") == load_task(place)


def test_a_change_of_a_test_is_another_version(tmp_path):
    before = load_task(folder(tmp_path))
    after = load_task(folder(tmp_path, **{"tests/test.sh": "echo 0 > /logs/verifier/reward.txt\n"}))
    assert before.digest != after.digest


CONTAINER = {
    "RUN apt-get install -y curl": "Dockerfile:10  RUN apt-get install -y curl: needs the network",
    "RUN make": "Dockerfile:10  RUN make: changes the image when it is built",
    "COPY run.sh /usr/bin/x": "/usr/bin/x is outside of the working folder /app",
    "COPY --from=build /a /app/": "--from needs a container",
    "COPY missing.txt /app/": "missing.txt does not exist",
    "COPY ../task.toml /app/": "../task.toml does not exist",
    "ADD https://example.org/x /app/": "needs the network",
    "ENV PATH=/opt/bin:$PATH": "names programs of the image",
    "ENV A=$UNKNOWN": "has a variable without a value",
    "ENTRYPOINT /serve": "only a container can do this",
    "FROM ubuntu:24.04": "a second stage needs a container",
    "WORKDIR /root": "/root is not free in a namespace",
    "RUN <<EOF\npip install x\nEOF": "Dockerfile:10",
}


@pytest.mark.parametrize("line", CONTAINER)
def test_a_line_that_needs_a_container_is_named(tmp_path, line):
    task = load_task(folder(tmp_path, **{"environment/Dockerfile": f"{DOCKERFILE}{line}\n"})).task
    assert task.isolation == "container"
    assert task.image.startswith("localhost/benchmaker-task:")
    assert CONTAINER[line] in "\n".join(task.needs_container)


@pytest.mark.parametrize(
    ("base", "is_enough"),
    [
        ("debian:bookworm", True),
        (f"python:{PYTHON}-slim", True),
        (f"docker.io/library/python:{PYTHON}", True),
        ("python:2.7", False),
        ("python", False),
        ("node:22", False),
        ("ghcr.io/a/ubuntu:1", False),
    ],
)
def test_a_base_image_with_programs_of_its_own_needs_a_container(tmp_path, base, is_enough):
    text = DOCKERFILE.replace("ubuntu:24.04", base)
    task = load_task(folder(tmp_path, **{"environment/Dockerfile": text})).task
    assert (task.isolation == "namespace") is is_enough


def test_scripts_that_install_or_fetch_need_a_container(tmp_path):
    script = "set -e\n# curl x\ncurl http://localhost:80\nuvx pytest\n"
    task = load_task(folder(tmp_path, **{"tests/test.sh": script})).task
    assert task.needs_container == ("tests/test.sh:4  uvx pytest: needs the network",)
    task = load_task(folder(tmp_path, **{"solution/solve.sh": "pip install x\n"})).task
    assert task.needs_container[0].startswith("solution/solve.sh:1")


def test_a_given_image_needs_a_container(tmp_path):
    toml = '[environment]\ndocker_image = "a/b:1"\nworkdir = "/app"\n'
    task = load_task(folder(tmp_path, **{"task.toml": toml})).task
    assert (task.image, task.network) == ("a/b:1", True)
    assert task.needs_container[0].startswith('task.toml:2  docker_image = "a/b:1"')


def test_a_separate_verifier_takes_the_artifacts(tmp_path):
    toml = 'artifacts = ["/app/out.txt", "build"]\n[verifier]\nenvironment_mode = "separate"\n'
    assert load_task(folder(tmp_path, **{"task.toml": toml})).task.outputs == ("out.txt", "build")
    whole = toml.replace("/app/out.txt", "/app")
    assert load_task(folder(tmp_path, **{"task.toml": whole})).task.outputs == ("**",)
    docker = {"tests/Dockerfile": "FROM ubuntu:24.04\nWORKDIR /app\nCOPY . /tests/\n"}
    assert not load_task(folder(tmp_path, **{"task.toml": toml}, **docker)).task.needs_container


REFUSED = {
    "not TOML": ({"task.toml": "[a\n"}, "task.toml:1"),
    "a later schema": ({"task.toml": 'schema_version = "2.0"\n'}, "1.0 to 1.4"),
    "a wrong value": (
        {"task.toml": "[verifier]\n\ntimeout_sec = -1\n"},
        "task.toml:3:1: verifier.timeout_sec",
    ),
    "steps": ({"task.toml": '[[steps]]\nname = "a"\n'}, "several steps"),
    "windows": ({"task.toml": '[environment]\nos = "windows"\n'}, "task.toml:2"),
    "no test": ({"tests/test.sh": None}, "tests/test.sh: the file is missing"),
    "no instruction": ({"instruction.md": None}, "instruction.md: the file is missing"),
    "no Dockerfile": ({"environment/Dockerfile": None}, "Dockerfile: the file is missing"),
    "compose": ({"environment/docker-compose.yaml": ""}, "several services"),
    "a host's variable": (
        {"task.toml": '[environment.env]\nKEY = "${OPENAI_API_KEY}"\n'},
        "KEY is a variable of the host",
    ),
    "no artifacts": (
        {"task.toml": '[verifier]\nenvironment_mode = "separate"\n'},
        "a separate verifier needs artifacts",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_supported_is_refused_with_its_place(tmp_path, case):
    changed, said = REFUSED[case]
    with pytest.raises(SpecError) as refused:
        load_task(folder(tmp_path, **changed))
    assert said in str(refused.value)


def test_links_are_refused(tmp_path):
    place = folder(tmp_path)
    (place / "tests" / "here").symlink_to("/etc/passwd")
    with pytest.raises(SpecError, match="must not contain links"):
        load_task(place)


def test_a_default_stands_for_a_variable_of_the_host(tmp_path):
    toml = '[environment.env]\nKEY = "${NO_SUCH:-x}"\n'
    assert load_task(folder(tmp_path, **{"task.toml": toml})).task.env["KEY"] == "x"
