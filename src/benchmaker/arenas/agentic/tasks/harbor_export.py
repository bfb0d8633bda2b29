"""Tasks written as task folders of Harbor."""

import json
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmaker.arenas.agentic.tasks import grader
from benchmaker.arenas.agentic.tasks.grader.criterion_functions import CHECKS, KEYWORDS
from benchmaker.arenas.agentic.verify.frameworks.python import RUNNER, SEALING
from benchmaker.errors import SpecError
from benchmaker.record.counts import count
from benchmaker.spec.tasks.criterion import Criterion, HarborTest, JsonSchema, TestsPass
from benchmaker.spec.tasks.harbor.harbor_folder import (
    CHEATS,
    GRADER,
    METADATA,
    REFERENCE_FILES,
    START_FILES,
    TASK_JSON,
    TEST_FILES,
    grader_digest,
)
from benchmaker.spec.tasks.task import Task, TaskFolder

WORKDIR: Final = "/app"
_SCHEMA: Final = "1.4"
_ORGANISATION: Final = "benchmaker"
_GRADER_FILES: Final = ("grade.py", "criterion_functions.py")
_RUNNER_FILES: Final = (
    *("tests.py", "pytest_worker.py", "unittest_worker.py", "ledger.py", "probe.py"),
    *("pytest.ini",),
)
_TEST: Final = """\
#!/bin/bash
# Grades {workdir} by the criteria of benchmaker/task.json.
exec python3 -I -B /tests/benchmaker/grade.py {workdir} /tests /logs/verifier
"""
_SOLVE: Final = """\
#!/bin/bash
set -e
cp -R /solution/workspace/. {workdir}/
"""


class Exported(NamedTuple):
    """An exported task: its folder, and the criteria that its reward leaves out."""

    folder: Path
    left_out: tuple[str, ...]


def export_to_harbor(task: TaskFolder, folder: Path) -> Exported:
    """Write a task as a folder of Harbor with its own grader; the folder is new or empty.

    The reward is 1 if all required criteria are met, else 0. Criteria that need a judge, a person
    or the session are left out if they are not required.

    Raises:
        SpecError: a required criterion can't be graded there, or the folder is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        hint = "Choose a new or empty folder."
        raise SpecError("the folder is not empty.", where=str(folder), hint=hint)
    if any(isinstance(one, HarborTest) for one in task.task.criteria):
        raise SpecError("the task is a task of Harbor already.", where=str(task.folder))
    left_out = tuple(one.id for one in task.task.criteria if not _is_portable(one, task))
    _refuse_required(task.task, left_out)
    for source, name in (
        (task.start, START_FILES),
        (task.tests, TEST_FILES),
        (task.start, "tests/start"),
        (task.reference, REFERENCE_FILES),
        (task.folder / CHEATS, CHEATS),
    ):
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, ignore=ignored)
    _write_texts(task, folder, left_out)
    return Exported(folder, left_out)


def _is_portable(one: Criterion, task: TaskFolder) -> bool:
    kind = str(type(one).model_fields["type"].default)
    if isinstance(one, TestsPass):
        return one.framework in ("pytest", "unittest") and one.run is None
    if isinstance(one, JsonSchema):
        schema: Any = one.schema_
        if isinstance(schema, str):
            schema = json.loads((task.tests / schema).read_text(encoding="utf-8"))
        return set(_keywords(schema)) <= KEYWORDS
    return kind in CHECKS


def _keywords(schema: Any) -> Iterator[str]:  # noqa: ANN401  JSON
    """The keywords of a schema and of those inside."""
    if not isinstance(schema, dict):
        return
    yield from schema
    inner = [*schema.get("properties", {}).values(), schema.get("additionalProperties")]
    for one in [*inner, schema.get("items")]:
        yield from _keywords(one)


def _refuse_required(task: Task, left_out: tuple[str, ...]) -> None:
    deciding = {one.id for one in task.required_criteria or task.criteria}
    if problems := sorted(deciding & set(left_out)):
        named = f"{count(len(problems), 'criterion', 'criteria')} can't be graded by a script"
        hint = "They need a judge, a person, the session, a plug-in or another framework."
        raise SpecError(f"{named}: {', '.join(problems)}.", hint=hint)
    if not task.criteria:
        raise SpecError("the task has no criteria.", hint="Add one, such as tests_pass.")


def _write_texts(task: TaskFolder, folder: Path, left_out: tuple[str, ...]) -> None:
    spec = task.task
    workdir = spec.workdir or WORKDIR
    texts = {
        "instruction.md": spec.prompt,
        "environment/Dockerfile": _dockerfile(task, workdir),
        "tests/test.sh": _TEST.format(workdir=workdir),
        TASK_JSON: json.dumps(spec.to_document(), indent=1),
        f"{GRADER}/left_out.json": json.dumps(left_out),
    }
    if any(task.reference.glob("*")):
        texts["solution/solve.sh"] = _SOLVE.format(workdir=workdir)
    for name in _GRADER_FILES:
        texts[f"{GRADER}/{name}"] = (Path(grader.__path__[0]) / name).read_text(encoding="utf-8")
    for file in (*(RUNNER / name for name in _RUNNER_FILES), SEALING):
        texts[f"{GRADER}/runner/{file.name}"] = file.read_text(encoding="utf-8")
    for name, text in texts.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")
        if name.endswith(".sh"):
            place.chmod(0o755)
    (folder / "task.toml").write_text(_toml(spec, workdir, grader_digest(folder)), encoding="utf-8")


def _dockerfile(task: TaskFolder, workdir: str) -> str:
    version = ".".join(platform.python_version_tuple()[:2])
    lines = [f"FROM {task.task.image or f'python:{version}-slim'}", f"WORKDIR {workdir}"]
    lines += [f"ENV {name}={json.dumps(value)}" for name, value in task.task.env.items()]
    if task.start.is_dir():
        lines.append(f"COPY start/ {workdir}/")
    return "\n".join(lines) + "\n"


def _toml(task: Task, workdir: str, digest: str) -> str:
    seconds = sum(_most_seconds(one) for one in task.criteria) + 60
    limits = task.limits
    metadata = {"category": task.category, "difficulty": task.difficulty, "tags": list(task.tags)}
    agent = {"timeout_sec": task.agent_timeout_s} if task.agent_timeout_s else {}
    sections: dict[str, dict[str, Any]] = {
        "": {"schema_version": _SCHEMA, "artifacts": _artifacts(task, workdir)},
        "task": {"name": f"{_ORGANISATION}/{task.id}", "description": task.title},
        "metadata": {name: value for name, value in metadata.items() if value},
        f"metadata.{METADATA}": {"grader": digest},
        "agent": agent,
        "verifier": {"timeout_sec": float(seconds), "environment_mode": "separate"},
        "environment": {
            **_network(task),
            "cpus": 1,
            "memory_mb": max(512, limits.memory_mb * 2),
            "storage_mb": max(1024, limits.disk_mb * 4),
        },
    }
    return "\n".join(_toml_sections(sections))


def _network(task: Task) -> dict[str, Any]:
    """The network of a task; Harbor lists hosts without ports."""
    if task.hosts:
        names = dict.fromkeys(host.partition(":")[0] for host in task.hosts)
        return {"network_mode": "allowlist", "allowed_hosts": list(names)}
    return {"network_mode": "public" if task.network else "no-network"}


def _artifacts(task: Task, workdir: str) -> list[str]:
    """The outputs as paths in the container; patterns stand for the folder above them."""
    roots = {path.split("*")[0].split("?")[0] for path in task.outputs}
    whole = [path if path in task.outputs else path.rpartition("/")[0] for path in sorted(roots)]
    return [workdir] if "" in whole else [f"{workdir}/{path}" for path in whole]


def _most_seconds(one: Criterion) -> float:
    runs = int(getattr(one, "runs", 1))
    return (one.timeout_s + float(getattr(one, "ready_s", 0.0)) + 5) * runs


def _toml_sections(sections: dict[str, dict[str, Any]]) -> Iterator[str]:
    for name, values in sections.items():
        if not values:
            continue
        if name:
            yield f"[{name}]"
        yield from (f"{key} = {json.dumps(value)}" for key, value in values.items())
        yield ""
