"""Makes a test of every page: README.md, CONTRIBUTING.md and the files of docs/.

``pytest docs/how-to/choose-a-profile.md`` runs one page: quickly, its ``benchmaker`` forked from
a process that has imported it, and, as a long test, with the program that is installed.
``--rewrite`` writes what was printed into the pages, ids and times replaced by ``…``; read the
difference before you keep it.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import left_out
from tests.docs.page import Page, pages
from tests.docs.rewrite import rewritten
from tests.docs.runner import DATA, Runner, Wrong
from tests.running import warm

pytest_plugins = [
    "tests.running.alone",
    "tests.running.forks",
    "tests.running.lanes",
    "tests.running.times",
    "tests.on_postgresql",
    "tests.small_disks",
]

AS_INSTALLED = frozenset({"first-suite.md", "gate-ci.md"})
"""Pages that the quick suite runs with the installed program, too, and not with forks."""

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads; workers share the cores


def pytest_configure(config: pytest.Config) -> None:
    """Add what counts the tests that are left out, and what forks programs.

    Both are imported here, too, and so added by hand.
    """
    config.pluginmanager.register(left_out, "left_out")
    config.pluginmanager.register(warm, "warm")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--rewrite``."""
    parser.addoption("--rewrite", action="store_true", help="write printed output into the pages")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect our pages, and no other Markdown."""
    if file_path.suffix == ".md" and file_path in pages():
        return PageFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the pages on real answers where those are not lent, and say so at the end."""
    if DATA.is_dir():
        return
    missing = [it for it in items if isinstance(it, PageItem) and it.get_closest_marker("data")]
    why = "of pages on the real answers not run: these are not here"
    left_out.leave_out(config, items, missing, why)


class PageFile(pytest.File):
    """One Markdown file; its blocks build on each other, so they are one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a way of calling the program, marked as the page's front line says."""
        page = Page.read(self.path)
        if page.blocks and not (self._is_called(page) and "long" in page.marks):
            yield self._item(page, "blocks")
        if self._is_called(page) and self.path.name not in AS_INSTALLED:
            item = self._item(page, "blocks-as-installed")
            item.add_marker("long")
            yield item

    @staticmethod
    def _is_called(page: Page) -> bool:
        """Whether the page calls the program at all."""
        console = (block.text for block in page.blocks if block.language == "console")
        return any("benchmaker " in text for text in console)

    def _item(self, page: Page, name: str) -> "PageItem":
        item: PageItem = PageItem.from_parent(self, name=name)
        for mark in page.marks:
            item.add_marker(mark)
        if name == "blocks" and self._is_called(page) and self.path.name not in AS_INSTALLED:
            item.add_marker("warm")
        if self.path.name == "README.md":
            item.add_marker(pytest.mark.quick("it is read first"))
        return item


class PageItem(pytest.Item):
    """The blocks of a page."""

    def runtest(self) -> None:
        """Run the blocks in a fresh folder."""
        factory: pytest.TempPathFactory = self.config._tmp_path_factory  # type: ignore[attr-defined]  # noqa: SLF001  no public way for an item
        page = Page.read(self.path)
        runner = Runner(
            page,
            factory.mktemp(self.path.stem),
            keep_going=self._rewrite,
            is_installed=self.name != "blocks" or self.path.name in AS_INSTALLED,
        )
        runner.run()
        if self._rewrite:
            self.path.write_text(rewritten(page.text, runner.printed), encoding="utf-8")

    @property
    def _rewrite(self) -> bool:
        return bool(self.config.getoption("--rewrite"))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> object:
        """The place in the page and what differs; faults of the harness with their traceback."""
        if isinstance(excinfo.value, Wrong):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)  # type: ignore[arg-type]  # as given

    def reportinfo(self) -> tuple[Path, int, str]:
        """The page, for the test's name."""
        return self.path, 0, f"page {self.path.name}"
