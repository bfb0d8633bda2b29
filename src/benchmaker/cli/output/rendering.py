"""Options of rendering pages, and the probe's report of availability."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.options.options import Decorator, combine


class BrowserPath(click.ParamType[str, str]):
    """The path of a browser; a relative one is of the current folder, a bare name is on PATH."""

    name = "path"

    def convert(
        self,
        value: str,
        param: click.Parameter | None,  # noqa: ARG002  Click's signature
        ctx: click.Context | None,  # noqa: ARG002  Click's signature
    ) -> str:
        """Return the path, absolute if it names a folder; ~ is the home folder."""
        has_folder = os.path.dirname(value) or value.startswith("~")  # noqa: PTH120  Path drops ./
        return str(Path(value).expanduser().absolute()) if has_folder else value


BROWSER = BrowserPath()

STARTER = "starter"
"""The name of the bundled suite and its example answers."""


@contextmanager
def starter(given: Path | None, name: str) -> Iterator[Path | None]:
    """Provide the given file; for ``starter`` without such a file, the bundled one."""
    if given is None or str(given) != STARTER or given.exists():
        yield given
        return
    from importlib.resources import as_file

    from benchmaker.spec.documents.bundled_files import resource_path

    with as_file(resource_path("code", name)) as path:
        yield path


NO_JUDGE: Decorator[Any] = click.option(
    "--no-judge", is_flag=True, help="Call no judge. The score is the share of page checks passed."
)

render_options: Decorator[Any] = combine(
    [
        click.option(
            "--no-mapping",
            is_flag=True,
            help="Leave addresses of well-known libraries unchanged. These libraries are then "
            "missing.",
        ),
        click.option(
            "--browser",
            metavar="PATH",
            type=BROWSER,
            help="Path of Chromium or a compatible browser. Default: the first one installed.",
        ),
        click.option(
            "--workers",
            metavar="N",
            type=WholeNumber(1, 32),
            help="Number of pages rendered in parallel. Default: half of the processors, at most "
            "4.",
        ),
    ]
)
"""Options for rendering pages; see :class:`benchmaker.arenas.code.prepare.Pages`."""
