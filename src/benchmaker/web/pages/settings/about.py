"""About: versions, the data folder, its size, and its integrity."""

import os
import platform
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.version import __version__
from benchmaker.web.accounts.actors import Who, may_see_paths
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="about")
class AboutPage:
    """Versions, data folder and store."""

    routes: ClassVar = router
    title: ClassVar = "About, data folder"
    navigation: ClassVar = NavigationPlace("Settings", position=90)


PARTS = ("fastapi", "sqlalchemy", "numpy", "scipy", "genai-prices")
"""Packages whose versions are shown."""

_PATIENCE_S = 1.0


class Size(NamedTuple):
    """The size of a folder in bytes; ``is_whole`` if there was enough time for all of it."""

    bytes: int
    files: int
    is_whole: bool


@router.get("/settings/about")
def about_page(request: Request, bench: Bench, who: Who) -> Response:
    """Versions, the data folder and its size, and on request a check of the store."""
    view = read_view(request, filters={"check": ("store",)})
    found = bench.store.check() if view.filters["check"] else None
    return page(
        request,
        "settings/about",
        title="About",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("About")),
        facts=list(_facts(bench, has_places=may_see_paths(who))),
        size=folder_size(bench.home),
        check=found,
        counts=bench.store.row_counts(),
    )


def _facts(bench: Workbench, *, has_places: bool) -> Iterator[tuple[str, str]]:
    yield "Benchmaker", __version__
    yield "Python", platform.python_version()
    for part in PARTS:
        yield part, version(part)
    if has_places:
        yield "Data folder", str(bench.home)
        yield "Store", str(bench.store.address)


def folder_size(folder: Path, *, patience_s: float = _PATIENCE_S) -> Size:
    """Return the total size of regular files, without following links, within a time limit."""
    end = time.monotonic() + patience_s
    total = files = 0
    for place, _, names in os.walk(folder, onerror=None):
        for name in names:
            if time.monotonic() > end:
                return Size(total, files, is_whole=False)
            path = Path(place, name)
            try:
                if not path.is_symlink() and path.is_file():
                    total, files = total + path.lstat().st_size, files + 1
            except OSError:  # gone since, or not ours to see
                continue
    return Size(total, files, is_whole=True)
