"""One of two pages in a comparison: its preview's address, its code, or the reason for none."""

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
    """The content of one side.

    ``letter`` is A or B; ``model`` is empty until the vote. ``src`` is the preview's address, empty
    if previews are off; ``waits`` is true if it does not start automatically, since it hung or
    crashed the browser before. ``trouble`` describes that failure in plain words, and ``notes`` the
    changes made to display the answer.
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
    """Return the side with this model's page."""
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
    """Return the preview address of a page, on the other host name; empty if there is none."""
    host = bench.settings.preview_host
    return f"{bench.settings.scheme}://{host}/p/{bench.tickets.give(page)}/" if host else ""


def policy_headers(bench: Workbench) -> dict[str, str]:
    """Return headers for pages that embed previews: their host may be framed."""
    host = bench.settings.preview_host
    return (
        {"content-security-policy": f"{POLICY}; frame-src {bench.settings.scheme}://{host}"}
        if host
        else {}
    )
