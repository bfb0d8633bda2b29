"""The files and variables of a Dockerfile, and the lines that only a container can carry out."""

import fnmatch
import platform
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmaker.spec.tasks.harbor.dockerfile import Instruction, expand, instructions
from benchmaker.spec.tasks.harbor.network_use import needs_network

DOCKERFILE: Final = "Dockerfile"
_SYSTEMS: Final = frozenset({"ubuntu", "debian", "alpine", "busybox", "scratch"})
_PYTHON: Final = re.compile(r"python:(\d+\.\d+)(?:\.\d+)?(?:-[a-z0-9.-]+)?")
_WITHOUT_EFFECT: Final = frozenset(
    {"LABEL", "MAINTAINER", "EXPOSE", "STOPSIGNAL", "USER", "CMD", "HEALTHCHECK"}
)
_COPY_FLAGS: Final = frozenset({"chown", "chmod", "link"})
_ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".txz", ".tbz2")
_TAKEN: Final = (
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/proc", "/dev"),
    *("/sys", "/run", "/tmp", "/root", "/workspace", "/benchmaker"),  # noqa: S108  of the sandbox
    *("/tests", "/logs", "/solution"),
)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A reason for a container: the place, what stands there, and why it needs one."""

    file: str
    line: int
    text: str
    why: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}  {_shorten(self.text)}: {self.why}"


@dataclass(slots=True)
class ImagePlan:
    """The effect of a Dockerfile: files of the working folder, variables, and obstacles.

    ``files`` maps paths below ``workdir`` to files of the build context; ``programs`` are those
    with the executable bit.
    """

    file: str
    workdir: str = ""
    files: dict[str, Path] = field(default_factory=dict)
    programs: set[str] = field(default_factory=set)
    env: dict[str, str] = field(default_factory=dict)
    obstacles: list[Obstacle] = field(default_factory=list)


def plan_image(folder: Path, name: str, *, workdir: str = "", tests: bool = False) -> ImagePlan:
    """Read the Dockerfile of a build context; ``name`` is the file as messages call it.

    ``workdir`` overrides the one of the Dockerfile. With ``tests``, it is the image of a verifier,
    whose files belong to ``/tests``.
    """
    reader = _Reader(folder, ImagePlan(name), is_verifier=tests)
    text = (folder / DOCKERFILE).read_text(encoding="utf-8", errors="replace")
    found = instructions(text)
    for one in found:
        reader.read(one)
    reader.finish(workdir, found)
    return reader.plan


@dataclass(slots=True)
class _Reader:
    folder: Path
    plan: ImagePlan
    is_verifier: bool = False
    stages: int = 0
    cwd: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    copied: list[tuple[Instruction, str, Path, bool]] = field(default_factory=list)

    def read(self, one: Instruction) -> None:
        match one.name:
            case "FROM":
                self.base(one)
            case "WORKDIR":
                self.enter(one)
            case "COPY" | "ADD":
                self.copy(one)
            case "ENV":
                self.set_variables(one, self.plan.env)
            case "ARG":
                self.set_variables(one, self.arguments)
            case "RUN":
                self.run(one)
            case name if name in _WITHOUT_EFFECT:
                pass
            case _:
                self.object(one, "only a container can do this")

    def object(self, one: Instruction, why: str) -> None:
        self.plan.obstacles.append(Obstacle(self.plan.file, one.line, one.source, why))

    def base(self, one: Instruction) -> None:
        self.stages += 1
        image = self.expand_text(one, " ".join(one.arguments[:1]))
        if self.stages > 1:
            self.object(one, "a second stage needs a container")
        elif image is not None and (why := _missing_in(image)):
            self.object(one, why)

    def enter(self, one: Instruction) -> None:
        path = self.expand_text(one, one.text)
        if path is not None:
            self.cwd = posixpath.normpath(posixpath.join(self.cwd or "/", path))

    def run(self, one: Instruction) -> None:
        words = one.arguments
        if words[:2] == ["mkdir", "-p"] and set(words[2:]) <= {self.cwd, self.cwd + "/"}:
            return
        fetches = needs_network(one.text)
        self.object(one, "needs the network" if fetches else "changes the image when it is built")

    def set_variables(self, one: Instruction, into: dict[str, str]) -> None:
        for name, value in _assignments(one):
            if one.name == "ENV" and name == "PATH":
                self.object(one, "names programs of the image")
            elif (expanded := self.expand_text(one, value)) is not None:
                into[name] = expanded

    def expand_text(self, one: Instruction, text: str) -> str | None:
        found = expand(text, {**self.arguments, **self.plan.env})
        if found is None:
            self.object(one, "has a variable without a value")
        return found

    def copy(self, one: Instruction) -> None:
        odd = set(one.flags) - _COPY_FLAGS
        words = [self.expand_text(one, word) for word in one.arguments]
        *sources, target = [word for word in words if word is not None] or [""]
        if one.has_heredoc:
            self.object(one, "has its file in the Dockerfile")
        elif odd:
            self.object(one, f"--{min(odd)} needs a container")
        elif any("://" in source for source in sources):
            self.object(one, "needs the network")
        elif one.name == "ADD" and any(source.endswith(_ARCHIVES) for source in sources):
            self.object(one, "unpacks an archive")
        elif None not in words:
            self.copy_to(one, sources, posixpath.join(self.cwd or "/", target))

    def copy_to(self, one: Instruction, sources: list[str], target: str) -> None:
        mode = one.flags.get("chmod", "")
        is_program = "+x" in mode or (_is_octal(mode) and bool(int(mode, 8) & 0o100))
        for source in sources:
            found = list(self.matching(source))
            if not found:
                self.object(one, f"{source} does not exist")
            is_folder = target.endswith(("/", "/.")) or len(sources) > 1 or len(found) > 1
            is_folder = is_folder or posixpath.normpath(target) == self.cwd
            for path in found:
                for file, place in _list_places(path, posixpath.normpath(target), into=is_folder):
                    self.copied.append((one, place, file, is_program))

    def matching(self, source: str) -> Iterator[Path]:
        """The files and folders of the context that a source names, never outside of it."""
        parts = [part for part in source.split("/") if part not in ("", ".")]
        if ".." in parts:
            return
        found = [self.folder]
        for part in parts:
            found = [
                child
                for above in found
                if above.is_dir()
                for child in sorted(above.iterdir())
                if fnmatch.fnmatchcase(child.name, part)
            ]
        yield from found

    def finish(self, workdir: str, found: list[Instruction]) -> None:
        """Place the copied files below the working folder."""
        first = found[0] if found else Instruction(1, "FROM", "")
        if not found:
            self.object(first, "the Dockerfile is empty")
        root = posixpath.normpath(workdir or self.cwd or "/")
        self.plan.workdir = root
        if why := _unfit_workdir(root, is_named=bool(workdir or self.cwd)):
            named = [one for one in found if one.name == "WORKDIR"]
            self.object(named[-1] if named else first, why)
            return
        for one, place, file, is_program in self.copied:
            self.place(one, root, place, file, is_program=is_program)

    def place(
        self, one: Instruction, root: str, place: str, file: Path, *, is_program: bool
    ) -> None:
        if self.is_verifier and place.startswith("/tests/"):
            return
        if not place.startswith(f"{root}/"):
            why = f"{place} is outside of the working folder {root}"
            if not any(it.line == one.line for it in self.plan.obstacles):
                self.object(one, why)
            return
        path = place.removeprefix(f"{root}/")
        self.plan.files[path] = file
        if is_program:
            self.plan.programs.add(path)


def _missing_in(image: str) -> str:
    """Why a namespace cannot stand for an image, which has this machine's programs; else empty."""
    name = image.rpartition("@")[0] or image
    name = name.removeprefix("docker.io/").removeprefix("library/")
    if name.partition(":")[0] in _SYSTEMS:
        return ""
    ours = ".".join(platform.python_version_tuple()[:2])
    found = _PYTHON.fullmatch(name)
    if found and found[1] == ours:
        return ""
    if found:
        return f"has Python {found[1]}, this machine has {ours}"
    return "has programs of its own"


def _unfit_workdir(path: str, *, is_named: bool) -> str:
    if not is_named or path == "/":
        return "there is no WORKDIR, so that the agent's folder is the whole image"
    if any(path == own or path.startswith(f"{own}/") for own in _TAKEN):
        return f"{path} is not free in a namespace"
    return ""


def _list_places(source: Path, target: str, *, into: bool) -> Iterator[tuple[Path, str]]:
    """The files of a source with their places: a folder's content, or the file itself."""
    if source.is_dir() and not source.is_symlink():
        for file in sorted(source.rglob("*")):
            if not file.is_dir() or file.is_symlink():
                yield file, posixpath.join(target, file.relative_to(source).as_posix())
    else:
        yield source, posixpath.join(target, source.name) if into else target


def _assignments(one: Instruction) -> Iterator[tuple[str, str]]:
    words = one.arguments
    if words and "=" not in words[0] and one.name == "ENV":
        yield words[0], " ".join(words[1:])  # the older form: ENV NAME value
        return
    for word in words:
        name, _, value = word.partition("=")
        yield name, value


def _is_octal(text: str) -> bool:
    return bool(re.fullmatch(r"[0-7]{3,4}", text))


def _shorten(text: str, characters: int = 100) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
