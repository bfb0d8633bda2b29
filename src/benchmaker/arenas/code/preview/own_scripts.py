"""Our own scripts within a page, and safely embedded text."""

import html
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_CLOSING = re.compile(r"<(?=/script|!--)", re.IGNORECASE)


@cache
def own_script(name: str) -> str:
    """The element with one of our own scripts: ``shim``, ``loader`` or ``tailwind``."""
    source = files("benchmaker").joinpath("resources", "preview", f"{name}.js")
    return f"<script>{script_text(source.read_text(encoding='utf-8'))}</script>"


def script_text(text: str) -> str:
    """Return a script's text, safe to embed in a page."""
    return _CLOSING.sub(r"\\x3C", text)


def script_json(value: object) -> str:
    """Return JSON, safe to embed in a page."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def attribute(value: str) -> str:
    """A value between double quotes."""
    return html.escape(value, quote=True)


def scripts(addresses: Iterable[str]) -> str:
    """Elements that load scripts."""
    return "".join(f'<script src="{attribute(it)}"></script>' for it in addresses)
