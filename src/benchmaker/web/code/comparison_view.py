"""One of two pages in a comparison: its preview's address, its code, or the reason for none."""

from typing import NamedTuple

from starlette.requests import Request

from benchmaker.record import ProbeOutcome
from benchmaker.record.artifact import ARTIFACT_FLAGS, CodeFile
from benchmaker.report.sentences.code_words import trouble_of
from benchmaker.web.code.preview_hosts import PreviewHost
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
    bench: Workbench,
    subject: CodeRun,
    case_id: str,
    model: str,
    *,
    letter: str,
    is_named: bool,
    user_agent: str = "",
) -> Pane:
    """Return the side with this model's page, for a browser."""
    made = subject.prepared_pages[case_id, model]
    return Pane(
        letter,
        model if is_named else "",
        preview_address(bench, PreviewOf(subject.run.id, case_id, model), user_agent=user_agent),
        made.report is not None and made.report.outcome in _DANGEROUS,
        made.artifact.files,
        trouble_of(made),
        tuple(ARTIFACT_FLAGS[flag] for flag in made.artifact.flags if flag in ARTIFACT_FLAGS),
    )


def preview_address(bench: Workbench, page: PreviewOf, *, user_agent: str = "") -> str:
    """Return the preview address of a page, on another host name; empty if there is none.

    A browser that resolves names below ``localhost`` gets a name for this preview alone.
    """
    host = PreviewHost(bench.settings.preview_host)
    if not host.name:
        return ""
    ticket = bench.tickets.give(page)
    name = host.name_for(ticket, user_agent=user_agent)
    return f"{bench.settings.scheme}://{name}/p/{ticket}/"


def user_agent_of(request: Request) -> str:
    """Return the browser's name for itself; empty without one."""
    return str(request.headers.get("user-agent", ""))


def policy_headers(bench: Workbench) -> dict[str, str]:
    """Return headers for pages that embed previews: their hosts may be framed."""
    host = PreviewHost(bench.settings.preview_host)
    sources = host.sources(bench.settings.scheme)
    return {"content-security-policy": f"{POLICY}; frame-src {sources}"} if host.name else {}
