"""What ``requirements.lock`` names, and which of it a part of Benchmaker needs.

The lock holds everything that anybody needs. What hangs on what is told by ``pyproject.toml`` and
the metadata of the packages that are installed; a package that this machine has no use for ends its
branch.
Run it as ``python -m scripts.locked``: it rewrites ``deploy/requirements.lock``, what a server
needs, and ``deploy/build.lock``, what the wheel is built with.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
OWN = "benchmaker"
SERVER = (f"{OWN}[accounts,otel,postgres]",)
BUILD = ("hatchling",)
PARTS = {
    ROOT / "deploy" / "requirements.lock": SERVER,
    ROOT / "deploy" / "build.lock": BUILD,
}


class Entry(NamedTuple):
    """One package of the lock; ``text`` is its whole entry, markers and hashes included."""

    name: str
    version: str
    text: str

    @property
    def hashes(self) -> tuple[str, ...]:
        """The SHA-256 of every file that may be installed for it."""
        return tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", self.text))


def entries(lock: Path = LOCK) -> tuple[Entry, ...]:
    """Every package in the lock's order; one that differs by Python comes once for each version."""
    parts = re.split(r"^(?=\S)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    heads = (
        (re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", part), part) for part in parts
    )
    return tuple(Entry(canonicalize_name(head[1]), head[2], part) for head, part in heads if head)


def installed(name: str) -> Distribution | None:
    """What is installed under that name, if anything is."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def needs(requirement: Requirement) -> Iterator[Requirement]:
    """What a package needs itself, with the extras that were asked of it, on whatever machine."""
    found = installed(requirement.name)
    named = _own() if requirement.name == OWN else found.requires if found else None
    for line in named or ():
        needed = Requirement(line)
        if _is_wanted(needed, requirement.extras):
            yield needed


def _own() -> list[str]:
    """Our own requirements, those of extras marked as metadata marks them."""
    given = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = given["optional-dependencies"].items()
    marked = [f"{line} ; extra == '{extra}'" for extra, lines in extras for line in lines]
    return [*given["dependencies"], *marked]


def _is_wanted(needed: Requirement, extras: Iterable[str]) -> bool:
    if needed.marker is None or "extra" not in str(needed.marker):
        return True
    return any(needed.marker.evaluate({"extra": extra}) for extra in extras)


def closure(wanted: Iterable[str], known: Iterable[str]) -> set[str]:
    """The names out of ``known`` that these requirements lead to."""
    known, seen = set(known), set()
    open_ones = [Requirement(line) for line in wanted]
    while open_ones:
        one = open_ones.pop()
        place = (canonicalize_name(one.name), frozenset(one.extras))
        if place not in seen and (place[0] in known or place[0] == OWN):
            seen.add(place)
            open_ones.extend(needs(one))
    return {name for name, _ in seen} & known


def part(wanted: Iterable[str], lock: Path = LOCK) -> str:
    """The entries of the lock that these requirements lead to."""
    found = entries(lock)
    names = closure(wanted, {entry.name for entry in found})
    return "".join(entry.text for entry in found if entry.name in names)


def main() -> None:
    """Write the parts."""
    for path, wanted in PARTS.items():
        path.write_text(part(wanted), encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(entries(path))} packages")


if __name__ == "__main__":
    main()
