"""A bill of materials of everything that ``requirements.lock`` names, as CycloneDX 1.6.

The same lock and the same installed packages give the same bytes. Run it as
``python -m scripts.make_sbom [FILE]``; without a file it prints the document.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.locked import LOCK, OWN, SERVER, Entry, closure, entries, installed, needs

LONGEST = 100
"""Characters of a licence's name; what is longer is the licence itself."""


def document(lock: Path = LOCK) -> dict[str, Any]:
    """The bill of materials."""
    found = entries(lock)
    server = closure(SERVER, {one.name for one in found})
    made: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _own(), "tools": {"components": [_tool()]}},
        "components": [_component(one, is_needed=one.name in server) for one in sorted(found)],
        "dependencies": list(_dependencies(found)),
    }
    serial = uuid5(NAMESPACE_URL, json.dumps(made, sort_keys=True))
    return {"$schema": made.pop("$schema"), "serialNumber": f"urn:uuid:{serial}", **made}


def _own() -> dict[str, Any]:
    here = installed(OWN)
    version = here.version if here else "0"
    licence = {"licenses": [{"license": {"id": "Apache-2.0"}}]}
    ref = f"pkg:pypi/{OWN}@{version}"
    name = {"type": "application", "bom-ref": ref, "name": OWN, "version": version}
    return {**name, **licence, "purl": ref}


def _tool() -> dict[str, Any]:
    return {"type": "application", "name": "scripts/make_sbom.py"}


def _component(entry: Entry, *, is_needed: bool) -> dict[str, Any]:
    """``scope`` says whether a server needs it; the rest is for other extras and for tests."""
    ref = _ref(entry)
    return {
        "type": "library",
        "bom-ref": ref,
        "name": entry.name,
        "version": entry.version,
        "scope": "required" if is_needed else "optional",
        **_licences(entry.name),
        "purl": ref,
    }


def _licences(name: str) -> dict[str, Any]:
    """The licence as the installed package states it; nothing where it can't be asked."""
    here = installed(name)
    if here is None:
        return {}
    stated = here.metadata
    if expression := stated.get("License-Expression"):
        return {"licenses": [{"expression": expression}]}
    marks = [one for one in stated.get_all("Classifier", []) if one.startswith("License :: ")]
    names = [one.rpartition(" :: ")[2] for one in marks] or [stated.get("License") or ""]
    told = [one for one in names if one and len(one) <= LONGEST and "\n" not in one]
    return {"licenses": [{"license": {"name": one}} for one in told]} if told else {}


def _dependencies(found: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    yield {"ref": _own()["bom-ref"], "dependsOn": _led_to(OWN, found)}
    for one in sorted(found):
        yield {"ref": _ref(one), "dependsOn": _led_to(one.name, found)}


def _led_to(name: str, found: Sequence[Entry]) -> list[str]:
    names = {canonicalize_name(one.name) for one in needs(Requirement(name))}
    return sorted(_ref(one) for one in found if one.name in names)


def _ref(entry: Entry) -> str:
    return f"pkg:pypi/{entry.name}@{entry.version}"


def main() -> None:
    """Write the document into a file, or print it."""
    text = json.dumps(document(), indent=2) + "\n"
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
