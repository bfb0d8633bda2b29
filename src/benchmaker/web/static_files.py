"""Style sheets, scripts and signs: a fixed list, named by content, kept by the browser for good."""

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Response

router = APIRouter(include_in_schema=False)

_PLACES = {
    "tokens.css": ("benchmaker.report", "templates/tokens.css"),
    "ui.css": ("benchmaker.web", "static/ui.css"),
    "workbench.css": ("benchmaker.web", "static/workbench.css"),
    "agentic.css": ("benchmaker.web", "static/agentic.css"),
    "results.css": ("benchmaker.web", "static/results.css"),
    "arena.css": ("benchmaker.web", "static/arena.css"),
    "arena.js": ("benchmaker.web", "static/arena.js"),
    "code.css": ("benchmaker.web", "static/code.css"),
    "code.js": ("benchmaker.web", "static/code.js"),
    "code_prompt.js": ("benchmaker.web", "static/code_prompt.js"),
    "suites.css": ("benchmaker.web", "static/suites.css"),
    "sheet.js": ("benchmaker.web", "static/sheet.js"),
    "grid.js": ("benchmaker.web", "static/grid.js"),
    "label.js": ("benchmaker.web", "static/label.js"),
    "workbench.js": ("benchmaker.web", "static/workbench.js"),
    "htmx.min.js": ("benchmaker.resources", "vendor/htmx.min.js"),
    "htmx-ext-sse.min.js": ("benchmaker.resources", "vendor/htmx-ext-sse.min.js"),
}
_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}


class _File(NamedTuple):
    body: bytes
    digest: str


@cache
def _file(name: str) -> _File:
    package, path = _PLACES[name]
    body = files(package).joinpath(path).read_bytes()
    if name.endswith(".css"):
        body = compact_styles(body.decode()).encode()
    return _File(body, hashlib.sha256(body).hexdigest()[:12])


def compact_styles(text: str) -> str:
    """Return a style sheet without comments and insignificant white space.

    Texts in quotation marks must hold no braces, semicolons or repeated spaces.

    >>> compact_styles("a { margin: 0 auto; /* centred */ color: red; }")
    'a{margin: 0 auto;color: red}'
    """
    without_comments = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    on_one_line = re.sub(r"\s+", " ", without_comments)
    compact = re.sub(r" ?([{};]) ?", r"\1", on_one_line)
    return compact.replace(";}", "}").strip()


def static_address(name: str) -> str:
    """The address of a file; another content has another address."""
    return f"/static/{_file(name).digest}/{name}"


@router.get("/static/{digest}/{name}")
def serve(digest: str, name: str) -> Response:
    """One file, if it is of that content."""
    if name not in _PLACES or _file(name).digest != digest:
        raise HTTPException(404)
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(_file(name).body, media_type=kind, headers=_FOR_GOOD)
