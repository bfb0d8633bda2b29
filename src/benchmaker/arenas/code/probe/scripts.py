"""The scripts that run in pages, read from the package once."""

from functools import cache
from importlib.resources import files

_RESOURCES = files("benchmaker") / "resources"


@cache
def script(name: str) -> str:
    """The text of ``resources/probe/<name>.js``."""
    return (_RESOURCES / "probe" / f"{name}.js").read_text("utf-8")


@cache
def axe() -> str:
    """The text of axe-core, unmodified."""
    return (_RESOURCES / "vendor" / "code" / "axe.js").read_text("utf-8")
