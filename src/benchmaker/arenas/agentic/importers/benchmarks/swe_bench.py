"""SWE-bench: reports of its evaluation, of a whole run or of one instance."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, RowIdentity, SessionRef
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.events import Event, Session, SessionEnd
from benchmaker.arenas.agentic.logs.lenient_json import Loose, loose_document
from benchmaker.arenas.agentic.logs.options import QUIET
from benchmaker.arenas.agentic.logs.shared_file import FileCache
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import CriterionResult, Status

_RUN = {"resolved_ids", "unresolved_ids", "submitted_instances"}
_OF_INSTANCE = (".patch_successfully_applied", ".resolved")
_MOST_CRITERIA = 5_000


class _Report(msgspec.Struct):
    submitted_ids: list[str] | None = None
    completed_ids: list[str] | None = None
    resolved_ids: list[str] | None = None
    unresolved_ids: list[str] | None = None
    empty_patch_ids: list[str] | None = None
    error_ids: list[str] | None = None

    @property
    def verdicts(self) -> dict[str, SessionEnd]:
        """The verdict on each instance that was submitted; of several lists the last counts."""
        solved = SessionEnd(status=Status.COMPLETED, success=True)
        failed = SessionEnd(status=Status.COMPLETED, success=False)
        empty = SessionEnd(status=Status.COMPLETED, success=False, failure_cause="empty patch")
        broken = SessionEnd(status=Status.INFRA_ERROR, failure_cause="evaluation error")
        lists = (
            (self.submitted_ids, SessionEnd()),
            (self.completed_ids, SessionEnd()),
            (self.unresolved_ids, failed),
            (self.resolved_ids, solved),
            (self.empty_patch_ids, empty),
            (self.error_ids, broken),
        )
        return {name: verdict for names, verdict in lists for name in names or ()}


class _Tests(msgspec.Struct):
    success: list[str] = []
    failure: list[str] = []


class _Instance(msgspec.Struct):
    patch_successfully_applied: bool | None = None
    resolved: bool | None = None
    tests_status: dict[str, _Tests] | None = None


_REPORTS = Loose(_Report)
_INSTANCES: Loose[dict[str, _Instance]] = Loose(dict[str, _Instance])


@importer(id="swe_bench", version="1")
class SweBench:
    """Reports of SWE-bench's evaluation: a submission for each instance, without tokens.

    Based on the reports of release 5.0 of ``swebench``. Reports name no system: the model is taken
    from the name of the file or the folder, as SWE-bench writes them.
    """

    id: ClassVar[str] = "swe_bench"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "SWE-bench report"

    def __init__(self) -> None:
        self._reports = FileCache(_read)

    def sniff(self, head: FileHead) -> float:
        """By the fields of the two kinds of report."""
        return 0.9 if _kind(head.start) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each instance, the same in both reports; an empty one without any."""
        is_run = _kind(file_start(root)) == "run"
        found = self._reports.get(root, QUIET)
        for instance in found:
            model, run = _names_of_run(root) if is_run else _names_of_folders(root, instance)
            name = f"{model}/{run}/{instance}" if model else ""
            yield SessionRef(
                importer=self.id,
                id=name or instance,
                files=(root,),
                part=instance,
                task_id=instance,
                row=RowIdentity(id=name) if name else None,
                hints={"model": model},
                session=name,
                form="export" if is_run else "log",
            )
        if not found:
            yield SessionRef(self.id, root.stem, (root,))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The verdict on one instance."""
        found = self._reports.get(ref.files[0], options).get(ref.part)
        if found is None:
            return
        yield Session(
            session_id=ref.id,
            model=ref.hints.get("model") or options.model,
            mode="headless",
            task_id=ref.part,
        )
        yield found


def _kind(start: bytes) -> str:
    """Return the kind of report, ``run`` or ``instance``; empty for neither."""
    fields = outline(start)
    if fields >= _RUN:
        return "run"
    is_instance = all(any(it.endswith(sign) for it in fields) for sign in _OF_INSTANCE)
    return "instance" if is_instance else ""


def _names_of_run(path: Path) -> tuple[str, str]:
    """The model and the run of ``<model>.<run>.json``; empty if the file is named otherwise."""
    model, _, run = path.name.removesuffix(".gz").removesuffix(".json").rpartition(".")
    return model, run


def _names_of_folders(path: Path, instance: str) -> tuple[str, str]:
    """The model and the run of ``<run>/<model>/<instance>/report.json``; empty elsewhere.

    The folders of submissions to the leaderboard, ``<name>/logs/<instance>/``, name no model.
    """
    folder = path.parent.parent
    if path.parent.name != instance or folder.name == "logs":
        return "", ""
    return folder.name, folder.parent.name


def _read(path: Path, options: Options) -> dict[str, SessionEnd]:
    if _kind(file_start(path)) == "run":
        return (loose_document(path, options, _REPORTS) or _Report()).verdicts
    found = loose_document(path, options, _INSTANCES) or {}
    return {name: _of_instance(it) for name, it in found.items()}


def _of_instance(found: _Instance) -> SessionEnd:
    if found.resolved is None:
        return SessionEnd()
    cause = "the patch does not apply" if found.patch_successfully_applied is False else None
    criteria = tuple(_criteria(found))[:_MOST_CRITERIA]
    return SessionEnd(
        status=Status.COMPLETED, success=found.resolved, failure_cause=cause, criteria=criteria
    )


def _criteria(found: _Instance) -> Iterator[CriterionResult]:
    for group, tests in (found.tests_status or {}).items():
        for result, names in (("pass", tests.success), ("fail", tests.failure)):
            yield from (CriterionResult(id=f"{group}: {it}", result=result) for it in names)
