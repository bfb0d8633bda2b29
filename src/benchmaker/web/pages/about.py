"""What this is: versions, and where the data lies."""

import platform
from collections.abc import Iterator
from importlib.metadata import version

from fastapi import APIRouter, Request, Response

from benchmaker import __version__
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)
_PARTS = ("fastapi", "sqlalchemy", "numpy", "scipy", "genai-prices")


@router.get("/settings/about")
def about(request: Request, bench: Bench) -> Response:
    """Versions, the data folder, and its size."""
    return page(
        request,
        "about",
        title="About",
        here="Settings",
        crumbs=(Crumb("Settings"), Crumb("About")),
        facts=list(_facts(bench)),
    )


def _facts(bench: Workbench) -> Iterator[tuple[str, str]]:
    yield "Benchmaker", __version__
    yield "Python", platform.python_version()
    for part in _PARTS:
        yield part, version(part)
    yield "Data folder", str(bench.home)
    yield "Store", str(bench.store.database.address)


def folder_size(bench: Workbench) -> int:
    """Bytes of the regular files in the data folder, links not followed."""
    files = (one for one in bench.home.rglob("*") if one.is_file() and not one.is_symlink())
    return sum(one.lstat().st_size for one in files)
