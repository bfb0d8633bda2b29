"""The contract of importers of agent logs, as a class of tests to inherit."""

import inspect
import shutil
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import Importer, SessionRef
from benchmaker.arenas.agentic.importers.sniffing import FileHead, head_of
from benchmaker.arenas.agentic.logs.events import LlmCall
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.sessions.importing import Imported, take_in
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.scan import importers
from benchmaker.arenas.agentic.sessions.stored_events import EVENTS, events_of
from benchmaker.errors import BenchmakerError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import Submission
from benchmaker.store import Store
from benchmaker.testing.built_runs import KEY
from benchmaker.testing.demand import demand

HEADS = {
    "nothing": b"",
    "white space": b" \r\n\t",
    "nul": b"\0" * 50,
    "no UTF-8": b"\xff\xfe\xfa{",
    "a sentence": b"The quick brown fox.\n",
    "open brackets": b"[" * 20_000,
    "open braces": b'{"a": ' * 5_000,
    "an empty object": b"{}",
    "a list of numbers": b"[1, 2, 3]",
    "a cut packed file": b"\x1f\x8b\x08\0\0",
}
"""The first bytes of files that are no logs."""

_NOW = 1_900_000_000.0
_CUTS = (0.1, 0.35, 0.6, 0.9)
_FEW, _MANY = 200, 4_000
_LEEWAY_BYTES = 300_000


class ImporterContract:
    """Inherit, name the class ``Test…``, and set the attributes; pytest does the rest.

    ``importer`` creates the importer when called without arguments: usually its class. ``sample``
    is a whole log, as text, as bytes, or as the path of a file. ``file_name`` is the usual name of
    such a file. ``total_tokens`` is the sum of all tokens in the sample, None if it has none.
    ``sessions`` is its number of sessions.

    ``text`` is a text by the user in the sample, such as the prompt; the test of secrets replaces
    it, and is skipped without it. ``repeated`` creates a log with a given number of requests;
    without it, memory is not tested. A function needs ``staticmethod`` around it.

    Example::

        class TestMyTool(ImporterContract):
            importer = MyTool
            sample = Path(__file__).parent / "session.jsonl"
            total_tokens = 1_234
            text = "Fix the failing test."
    """

    importer: ClassVar[Callable[[], Importer]]
    sample: ClassVar[str | bytes | Path]
    file_name: ClassVar[str] = "log.jsonl"
    total_tokens: ClassVar[int | None] = None
    sessions: ClassVar[int] = 1
    text: ClassVar[str] = ""
    repeated: ClassVar[Callable[[int], str | bytes] | None] = None

    def test_it_has_an_id_a_version_and_a_title(self) -> None:
        """Has the attributes set by ``@importer``, and the name of the tool."""
        made = self._make()
        for mark in ("id", "version", "title"):
            value = getattr(made, mark, None)
            demand(isinstance(value, str) and value, f"no {mark}: mark the class with @importer")
        demand(getattr(made, "kind", "") == "importer", "mark the class with @importer")

    def test_its_docstring_begins_with_a_sentence(self) -> None:
        """Lists describe the importer by this sentence."""
        text = inspect.cleandoc(type(self._make()).__doc__ or "")
        demand(text.partition("\n")[0].endswith("."), "the docstring's first line is no sentence")

    def test_the_sample_is_recognised_by_this_importer_alone(self) -> None:
        """It is recognised by its content, under any file name."""
        with self._folder() as folder:
            path = self._write(folder)
            for name in (self.file_name, "copy", "x.json"):
                path = path.rename(folder / name)
                head = head_of(path)
                sure = self._make().sniff(head)
                demand(0.0 < sure <= 1.0, f"sniff gives {sure!r} for the sample named {name}")
                for other in self._others():
                    demand(not other.sniff(head), f"{other.id} takes the sample named {name}, too")

    def test_other_files_are_not_recognised(self) -> None:
        """Any content is rejected without an exception."""
        with self._folder() as folder:
            for name, start in HEADS.items():
                path = folder / "other"
                path.write_bytes(start)
                try:
                    sure = self._make().sniff(FileHead(path, len(start), start))
                except Exception as exc:
                    raise AssertionError(f"{name}: {type(exc).__name__}: {exc}") from exc
                demand(sure == 0.0, f"sniff gives {sure!r} for {name}")

    def test_it_names_the_sessions_of_the_file(self) -> None:
        """Each session has its files and the id of an importer: this one, or the whole log's."""
        with self._folder() as folder:
            path = self._write(folder)
            found = list(self._make().scan(path))
            demand(found, "scan finds no session in the sample")
            for ref in found:
                demand(isinstance(ref, SessionRef), f"scan gives {ref!r}, which is no SessionRef")
                known = {self._make().id, *(one.id for one in self._others())}
                demand(ref.importer in known, f"scan names the importer {ref.importer!r}")
                demand(ref.files and ref.files[0] == path, f"the first file is {ref.files[:1]!r}")

    def test_the_sample_has_its_figures(self) -> None:
        """It has the declared number of sessions and sum of tokens."""
        with self._folder() as folder:
            got = self._import(folder, self._write(folder))
            demand(not got.is_partial, f"not read: {_reasons(got.skipped_lines)}")
            n = len(got.submissions)
            demand(n == self.sessions, f"{n} sessions, not {self.sessions}")
            demand(_tokens(got) == self.total_tokens, f"total_tokens is {_tokens(got)!r}")

    def test_figures_are_not_negative(self) -> None:
        """Counts, seconds and dollars are from 0 up, or None if unknown."""
        for one in self._submissions():
            for place, value in _numbers(msgspec.to_builtins(one)):
                demand(value >= 0, f"{place} is {value!r}")

    def test_times_are_in_order(self) -> None:
        """A session ends after it began, and both lie between 2000 and now."""
        for one in self._submissions():
            begun, done = one.started_at, one.finished_at
            demand(begun is None or begun >= "2000", f"it began at {begun}")
            demand(None in (begun, done) or str(begun) <= str(done), f"from {begun} to {done}")

    def test_a_copy_counts_once(self) -> None:
        """The same session in another folder, with a different end of the file, adds nothing."""
        with self._folder() as folder:
            first = self._write(folder)
            second = folder / "again" / self.file_name
            second.parent.mkdir()
            shutil.copyfile(first, second)
            if self._is_text:
                second.write_bytes(first.read_bytes().rstrip(b"\n") + b"\n\n")
            got = self._import(folder, first, second)
            demand(_tokens(got) == self.total_tokens, f"twice, total_tokens is {_tokens(got)!r}")

    def test_a_second_import_changes_nothing(self) -> None:
        """A second import has the same ids and figures, and the store reports them as unchanged."""
        with self._folder() as folder:
            path = self._write(folder)
            first, second = (self._import(folder, path, stores=True) for _ in range(2))
            ids = [[one.id for one in it.submissions] for it in (first, second)]
            demand(ids[0] == ids[1], f"the ids are {ids[0]} first, {ids[1]} then")
            states = set(second.kept.values())
            demand(states <= {"unchanged"}, f"the second import is {', '.join(sorted(states))}")

    def test_a_cut_file_is_read_in_part_or_refused(self) -> None:
        """Figures cover the part before the cut, and a note reports the missing rest."""
        with self._folder() as folder:
            path = self._write(folder)
            whole = path.read_bytes()
            for share in _CUTS:
                cut = _cut(whole, share)
                path.write_bytes(cut)
                if self._make().sniff(head_of(path)):  # else the file is refused
                    self._check_cut(folder, path, f"cut after {len(cut)} of {len(whole)} bytes")

    def test_texts_are_left_out_where_they_are_not_wanted(self) -> None:
        """With ``drop_content`` no event has a text by the user."""
        if not self.text:
            return
        with self._folder() as folder:
            kept = _events_text(self._make(), self._write(folder), drop_content=False)
            demand(self.text in kept, "the text is in no event, though it is in the sample")
            left = _events_text(self._make(), self._write(folder), drop_content=True)
            demand(self.text not in left, "an event holds the text, though drop_content is set")

    def test_secrets_are_not_kept(self) -> None:
        """A key in a text is in no submission and in no stored event."""
        if not self.text:
            return
        with self._folder() as folder:
            path = self._write(folder)
            old, new = self.text.encode(), f"{self.text} {KEY}".encode()
            path.write_bytes(path.read_bytes().replace(old, new))
            demand(KEY.encode() in path.read_bytes(), "the text is not in the sample")
            got = self._import(folder, path, stores=True)
            demand(got.submissions, "with another text no session is found")
            for one in got.submissions:
                demand(KEY.encode() not in msgspec.json.encode(one), "a submission holds the key")
                with Store.open(folder / "benchmaker.db") as store:
                    stored = repr(list(events_of(store.trace(one.id, EVENTS))))
                demand(KEY not in stored, "a stored event holds the key")

    def test_memory_does_not_grow_with_the_file(self) -> None:
        """Events are read one by one."""
        if type(self).repeated is None:
            return
        with self._folder() as folder:
            few, many = (self._peak(folder, n) for n in (_FEW, _MANY))
            message = f"{_FEW} requests take {few:,} bytes, {_MANY} take {many:,}"
            demand(many < 2 * few + _LEEWAY_BYTES, message)

    def _peak(self, folder: Path, requests: int) -> int:
        made = type(self).repeated
        content = made(requests) if made is not None else b""
        path = folder / self.file_name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        del content
        tracemalloc.start()
        try:
            calls = sum(isinstance(one, LlmCall) for one in _events(self._make(), path))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        demand(calls >= requests, f"{calls} requests are read, of {requests}")
        return peak

    def _check_cut(self, folder: Path, path: Path, what: str) -> None:
        try:
            got = self._import(folder, path)
        except BenchmakerError as exc:
            demand(exc.message, f"{what}: {type(exc).__name__} without a message")
            return
        known, whole = _tokens(got) or 0, self.total_tokens
        demand(whole is None or known <= whole, f"{what}: total_tokens is {known}, more than whole")
        is_said = got.is_partial or got.notes or got.empty
        demand(is_said or not self._is_json, f"{what}: nothing says that something is missing")

    def _make(self) -> Importer:
        return type(self).importer()

    def _others(self) -> list[Importer]:
        return [one for one in importers() if one.id != self._make().id]

    def _submissions(self) -> Sequence[Submission]:
        with self._folder() as folder:
            return self._import(folder, self._write(folder)).submissions

    def _import(self, folder: Path, *paths: Path, stores: bool = False) -> Imported:
        """Import the files as ``benchmaker submit`` does, with this importer."""
        skips = Skips()
        return take_in(
            paths,
            Store.open(folder / "benchmaker.db") if stores else nullcontext(),
            readers=[self._make()],
            options=Options(skip=skips),
            skips=skips,
            pricer=lambda: Pricer(Prices(folder), now=_NOW),
            clock=lambda: _NOW,
        )

    def _write(self, folder: Path) -> Path:
        path = folder / self.file_name
        path.write_bytes(self._content)
        return path

    @property
    def _content(self) -> bytes:
        if isinstance(self.sample, Path):
            return self.sample.read_bytes()
        return self.sample.encode() if isinstance(self.sample, str) else self.sample

    @property
    def _is_text(self) -> bool:
        return b"\0" not in self._content

    @property
    def _is_json(self) -> bool:
        return self._content.lstrip().startswith((b"{", b"["))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        with TemporaryDirectory(prefix="benchmaker-testing-") as name:
            yield Path(name).resolve()


def _events(made: Importer, path: Path, *, drop_content: bool = False) -> Iterator[object]:
    options = Options(skip=_ignore, drop_content=drop_content)
    for ref in made.scan(path):
        yield from made.parse(ref, options)


def _events_text(made: Importer, path: Path, *, drop_content: bool) -> str:
    return repr(list(_events(made, path, drop_content=drop_content)))


def _ignore(_: Skipped) -> None:
    """Ignore the message."""


def _cut(whole: bytes, share: float) -> bytes:
    """Return the beginning of a file, cut within a line."""
    at = int(len(whole) * share)
    while at < len(whole) - 1 and b"\n" in whole[at - 1 : at + 1]:
        at += 1
    return whole[:at]


def _tokens(got: Imported) -> int | None:
    known = [one.total_tokens for one in got.submissions if one.total_tokens is not None]
    return sum(known) if known else None


def _reasons(skipped: Sequence[Skipped]) -> str:
    return "; ".join(f"line {one.line}: {one.reason}" for one in skipped[:3])


def _numbers(value: object, place: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number in a tree of JSON data, with its place."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _numbers(one, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        for at, one in enumerate(value):
            yield from _numbers(one, f"{place}.{at}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value
