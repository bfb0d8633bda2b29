"""Does what the blocks of a page say, in a folder of its own, and compares what is printed."""

import contextlib
import doctest
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ruamel.yaml import YAML

from tests.docs.page import ROOT, Block, Page
from tests.docs.provider import provided
from tests.running.warm import programs

DATA = ROOT.parent / "shared" / "data"
ANYTHING = "…"
SECONDS = 900
PROGRAMS = Path(__file__).parent / "programs"
"""Programs that stand for the system's of the same name."""
SYSTEM = f"/usr/local/bin{os.pathsep}/usr/bin{os.pathsep}/bin"
ON_ITS_OWN = re.compile(r"(?<![&>])&(?![&>0-9])|(?<!-)\b(?:kill|timeout|PYTHON)")
"""Commands that go on beside others, that a signal ends, or that tell Python how to begin."""


class Wrong(Exception):
    """A block does not do what the page says."""


class Printed(NamedTuple):
    """What a page says is printed, and what was; ``line`` is where the first line of it stands."""

    line: int
    written: str
    got: str


class Runner:
    """The blocks of one page, done in order in ``folder``.

    ``benchmaker`` is the installed program if it ``is_installed``, and else a fork of a process
    that has imported it; see ``tests/running/warm.py``.
    """

    def __init__(
        self, page: Page, folder: Path, *, keep_going: bool = False, is_installed: bool = True
    ) -> None:
        self.page = page
        self.keep_going = keep_going
        self.is_installed = is_installed
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.said = ""
        self.printed: list[Printed] = []
        self.sessions: list[int] = []
        self.environment = {
            "PATH": os.pathsep.join([str(PROGRAMS), str(Path(sys.executable).parent), SYSTEM]),
            "HOME": str(folder / "home"),
            "BENCHMAKER_HOME": str(folder / "home" / ".local" / "share" / "benchmaker"),
            "DATA": str(DATA),
            "COLUMNS": "88",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }

    def run(self) -> None:
        """Do every block; Wrong names the first that fails."""
        (self.folder / "home").mkdir(exist_ok=True)
        with contextlib.ExitStack() as stack:
            if self.page.needs_provider:
                self.environment |= stack.enter_context(provided())
            stack.callback(self._end_sessions)
            stack.enter_context(self._inside())
            for block in self.page.blocks:
                self._do(block)

    def _do(self, block: Block) -> None:
        if "file" in block.attributes:
            self._write(block)
            return
        action = _ACTIONS.get(block.language)
        if action is None:
            known = ", ".join(sorted(_ACTIONS))
            raise self._wrong(block.line, f"nobody runs {block.language!r} blocks; known: {known}")
        try:
            action(self, block)
        except Wrong:
            raise
        except (Exception, SystemExit) as exc:
            raise self._wrong(block.line, f"{type(exc).__name__}: {exc}") from exc

    def _write(self, block: Block) -> None:
        target = self.folder / block.attributes["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")

    def _python(self, block: Block) -> None:
        code = compile("\n" * block.line + block.text, str(self.page.path), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(code, self.names)  # noqa: S102  our own documentation
        self.said = said.getvalue()

    def _pycon(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.text, self.names, str(self.page.path), str(self.page.path), block.line
        )
        said: list[str] = []
        doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(
            test, out=said.append, clear_globs=False
        )
        self.names.update(test.globs)
        if said:
            raise self._wrong(block.line, "".join(said))

    def _console(self, block: Block) -> None:
        commands = list(_commands(block))
        for line, command, written in commands:
            is_last = line == commands[-1][0]
            wanted = int(block.attributes.get("exit", "0")) if is_last else 0
            code, said = self._shell(command)
            if code != wanted:
                raise self._wrong(line, f"$ {command}\nexit code {code}\n{said}")
            if written:
                self._compare(line + command.count("\n") + 1, written, said)

    def _shell(self, command: str) -> tuple[int, str]:
        """What the command ended with and printed; what it put in the background goes on."""
        environment = dict(self.environment)
        if not self.is_installed and "benchmaker" in command and not ON_ITS_OWN.search(command):
            environment["PATH"] = f"{programs()}{os.pathsep}{environment['PATH']}"
        with tempfile.TemporaryFile() as printed:
            shell = subprocess.Popen(
                ["bash", "-c", command],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self.sessions.append(shell.pid)
            code = shell.wait(SECONDS)
            printed.seek(0)
            return code, printed.read().decode("utf-8")

    def _end_sessions(self) -> None:
        """Kill what commands left in the background."""
        for session in self.sessions:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(session, signal.SIGKILL)

    def _text(self, block: Block) -> None:
        if "output" in block.attributes:
            self._compare(block.line + 1, block.text, self.said)

    def _compare(self, line: int, written: str, got: str) -> None:
        got = got.replace(str(self.folder), ".")
        self.printed.append(Printed(line, written, got))
        if not self.keep_going and not matches(written, got):
            raise self._wrong(line, f"the page says\n{written}\nand printed was\n{got}")

    def _make(self, block: Block) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in re.findall(r"^make ([a-z-]+)", block.text, flags=re.MULTILINE):
            if not re.search(rf"^{target}:", makefile, flags=re.MULTILINE):
                raise self._wrong(block.line, f"the Makefile has no target {target!r}")

    def _wrong(self, line: int, what: str) -> Wrong:
        return Wrong(f"{self.page.path}:{line}: {what}")

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        """This process as a reader's: the page's folder, home and environment."""
        before, modules = dict(os.environ), set(sys.modules)
        os.environ.update(self.environment)
        sys.path.insert(0, str(self.folder))
        try:
            with contextlib.chdir(self.folder):
                yield
        finally:
            sys.path.remove(str(self.folder))
            for name in set(sys.modules) - modules:
                if str(getattr(sys.modules[name], "__file__", "")).startswith(str(self.folder)):
                    del sys.modules[name]
            os.environ.clear()
            os.environ.update(before)


def _parses(read: Callable[[str], object]) -> Callable[[Runner, Block], None]:
    def parse(_: Runner, block: Block) -> None:
        read(block.text)

    return parse


def _jsonl(text: str) -> list[object]:
    return [json.loads(line) for line in text.splitlines()]


_ACTIONS: dict[str, Callable[[Runner, Block], None]] = {
    "python": Runner._python,
    "pycon": Runner._pycon,
    "console": Runner._console,
    "text": Runner._text,
    "make": Runner._make,
    "yaml": _parses(YAML(typ="safe", pure=True).load),
    "json": _parses(json.loads),
    "jsonl": _parses(_jsonl),
    "toml": _parses(tomllib.loads),
}


def _commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Each ``$ `` line of a console block with its continuation lines and what follows it."""
    starts = [*re.finditer(r"^\$ ((?:.*\\\n)*.*)\n?", block.text, flags=re.MULTILINE)]
    if not starts or starts[0].start() > 0:
        raise ValueError("a console block begins with a line '$ command'")
    ends = [*(start.start() for start in starts[1:]), len(block.text)]
    for start, end in zip(starts, ends, strict=True):
        line = block.line + 1 + block.text[: start.start()].count("\n")
        yield line, start[1], block.text[start.end() : end]


def matches(written: str, got: str) -> bool:
    """Whether what was printed is what is written.

    ``…`` stands for anything within a line; a line of ``…`` alone for any number of lines.
    Space at the ends of lines does not count.
    """
    pattern = "".join(map(_line_pattern, written.rstrip().splitlines()))
    plain = "".join(f"{line.rstrip()}\n" for line in got.rstrip().splitlines())
    return re.fullmatch(pattern, plain) is not None


def _line_pattern(line: str) -> str:
    if line.strip() == ANYTHING:
        return r"(?:.*\n)*?"
    return ".*?".join(re.escape(part) for part in line.rstrip().split(ANYTHING)) + r" *\n"
