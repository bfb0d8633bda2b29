"""One of two pages side by side: the address of its preview, its code, why there is none."""

from typing import NamedTuple

from benchmaker.record import ProbeOutcome
from benchmaker.record.artifact import ARTIFACT_FLAGS, CodeFile
from benchmaker.report.sentences.code_words import trouble_of
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.guard import POLICY
from benchmaker.web.tickets import PreviewOf
from benchmaker.web.workbench import Workbench

_DANGEROUS = (
    ProbeOutcome.HANG,
    ProbeOutcome.CRASH,
    ProbeOutcome.MEMORY,
    ProbeOutcome.RELOAD_LOOP,
)


class Pane(NamedTuple):
    """What stands on one side.

    ``letter`` is A or B; ``model`` is empty until the vote. ``src`` is the preview's address, empty
    where previews are off; ``waits`` says that it is not started by itself, since it hung or broke
    the browser when it was rendered. ``trouble`` says in plain words what went wrong then, and
    ``notes`` what was done to the answer to show it.
    """

    letter: str
    model: str
    src: str
    waits: bool
    files: tuple[CodeFile, ...]
    trouble: str
    notes: tuple[str, ...]


def pane_of(
    bench: Workbench, subject: CodeRun, case_id: str, model: str, *, letter: str, is_named: bool
) -> Pane:
    """The side on which this model's page stands."""
    made = subject.prepared_pages[case_id, model]
    return Pane(
        letter,
        model if is_named else "",
        preview_address(bench, PreviewOf(subject.run.id, case_id, model)),
        made.report is not None and made.report.outcome in _DANGEROUS,
        made.artifact.files,
        trouble_of(made),
        tuple(ARTIFACT_FLAGS[flag] for flag in made.artifact.flags if flag in ARTIFACT_FLAGS),
    )


def preview_address(bench: Workbench, page: PreviewOf) -> str:
    """Where a page is shown, on the other host name; empty where there is none."""
    host = bench.settings.preview_host
    return f"{bench.settings.scheme}://{host}/p/{bench.tickets.give(page)}/" if host else ""


def policy_headers(bench: Workbench) -> dict[str, str]:
    """The headers of a page of ours with previews in frames: their host may be framed."""
    host = bench.settings.preview_host
    return (
        {"content-security-policy": f"{POLICY}; frame-src {bench.settings.scheme}://{host}"}
        if host
        else {}
    )
