"""The recipes of deploy/ as they are written, and what they start."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
CONTAINERFILE = DEPLOY / "Containerfile"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file() and "secrets" not in path.parts)
OWN_IMAGE = "benchmaker:local"


def read(path: Path) -> list[Any]:
    """Every document of a file of YAML."""
    return list(YAML(typ="safe", pure=True).load_all(path.read_text(encoding="utf-8")))


def compose() -> dict[str, Any]:
    return read(DEPLOY / "compose.yaml")[0]


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the Containerfile with its words, lines put together."""
    text = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def last(name: str) -> str:
    """The words of the last instruction of that name."""
    return [words for instruction, words in instructions() if instruction == name][-1]


def pods() -> Iterator[dict[str, Any]]:
    """The template of every pod in the manifests."""
    for path in MANIFESTS:
        for one in read(path):
            if "template" in one["spec"]:
                yield one["spec"]["template"]


def containers() -> Iterator[dict[str, Any]]:
    for pod in pods():
        yield from pod["spec"]["containers"]


def calls() -> Iterator[list[str]]:
    """The words behind ``benchmaker`` wherever a recipe or its page starts one."""
    yield json.loads(last("CMD"))
    for service in compose()["services"].values():
        if service["image"] == OWN_IMAGE:
            yield service["command"]
    for one in containers():
        yield one["args"]
    for name in ("deploy-a-server", "observe", "upgrade"):
        text = (ROOT / "docs" / "how-to" / f"{name}.md").read_text(encoding="utf-8")
        for found in re.finditer(r"^(?:\$ |\.venv/bin/)?benchmaker ([a-z].*)$", text, re.MULTILINE):
            yield shlex.split(found[1])


def checks() -> Iterator[list[str]]:
    """Every command that asks for health."""
    yield json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    for service in compose()["services"].values():
        if service["image"] == OWN_IMAGE and "test" in service["healthcheck"]:
            yield service["healthcheck"]["test"][1:]
    for one in containers():
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            if probe in one:
                yield one[probe]["exec"]["command"]
