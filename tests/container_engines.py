"""Engines of containers for tests: scripted ones on the search path, by their recorded calls."""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).with_name("scripted_engine.py")


@dataclass(frozen=True)
class ScriptedEngine:
    """An engine in a folder of its own."""

    folder: Path
    name: str

    @property
    def program(self):
        return str(self.folder / self.name)

    def answer(self, command, status=0, stdout="", stderr=""):
        """Script the answer to commands that start so."""
        file = self.folder / "answers.json"
        known = json.loads(file.read_text())
        known[command] = {"status": status, "stdout": stdout, "stderr": stderr}
        file.write_text(json.dumps(known))

    def add_image(self, image, **config):
        """Have an image on this machine."""
        place = self.folder / "state" / "images" / image.replace("/", "%")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(config))

    def add_container(self, name, **labels):
        """Have a container on this machine."""
        place = self.folder / "state" / "containers" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        state = {"Status": "running", "StartedAt": "2026-11-29T19:48:38Z", "OOMKilled": False}
        document = {"Id": name[-12:], "Image": "", "State": state, "Config": {"Labels": labels}}
        place.write_text(json.dumps(document))

    def containers(self):
        """The names of the containers that are left."""
        place = self.folder / "state" / "containers"
        return sorted(it.name for it in place.iterdir()) if place.exists() else []

    def calls(self, *start):
        """The recorded command lines, or those that start so, without the program."""
        file = self.folder / "calls.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        every = [json.loads(line)[1:] for line in lines]
        return [words for words in every if tuple(words[: len(start)]) == start]


def scripted_engine(folder, monkeypatch, *, name="podman"):
    """Put a scripted engine first on the search path."""
    place = folder / f"engine-{name}"
    place.mkdir()
    engine = ScriptedEngine(place, name)
    text = f"#!{sys.executable} -IS\n{SCRIPT.read_text(encoding='utf-8')}"
    Path(engine.program).write_text(text, encoding="utf-8")
    Path(engine.program).chmod(0o755)
    (place / "answers.json").write_text("{}")
    paths = [str(place), *_without_engines()]
    monkeypatch.setenv("PATH", ":".join(paths))
    return engine


def _without_engines():
    """The folders of the search path that hold no engine; their other programs are in others."""
    folders = os.environ["PATH"].split(":")
    return [it for it in folders if not shutil.which("podman", path=it)]
