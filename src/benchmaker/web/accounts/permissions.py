"""The permission that each route needs; a route without one is closed to all.

A route is named by its method and its template, as it is written in the code. Routes of pages get
the permission that their page declares (:class:`benchmaker.web.page_declaration.WebPage`), unless
the table has a line for them. Each route of a built-in page that changes data has a line, with the
name of its action in the audit log. The API and files are named by a prefix of their template; the
longest prefix applies.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmaker.record.account import Role, TokenScope
from benchmaker.web.page_declaration import DeclaredPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The requirements of a route.

    ``role`` is the minimum role in the team, None for a route that belongs to the person rather
    than to a team. ``scope`` is the required scope of a token. ``action`` is its name in the audit
    log, empty for read-only routes. A route that ``is_open`` needs no sign-in; one that
    ``is_public`` may be read by anyone if the team's boards are public. ``is_in_person`` excludes
    tokens of any scope. One that ``is_of_server`` concerns more than one team, and is for members
    of ``main``.
    """

    role: Role | None
    scope: TokenScope
    action: str = ""
    is_open: bool = False
    is_public: bool = False
    is_in_person: bool = False
    is_of_server: bool = False


_OPEN: Final = Need(role=None, scope=TokenScope.READ, is_open=True)
_READ: Final = Need(role=Role.VIEWER, scope=TokenScope.READ)
_PUBLIC: Final = Need(role=Role.VIEWER, scope=TokenScope.READ, is_public=True)
_MEMBERS: Final = Need(role=Role.MEMBER, scope=TokenScope.READ)
_SIGNED: Final = Need(role=None, scope=TokenScope.READ)
"""For whoever is let in at all; it tells nothing of any team."""

_OWN: Final = Need(role=None, scope=TokenScope.READ, is_in_person=True)
_ADMINS_IN_PERSON: Final = Need(role=Role.ADMIN, scope=TokenScope.ADMIN, is_in_person=True)
_TRIES: Final = Need(role=Role.MEMBER, scope=TokenScope.WRITE)
"""Looks at what is sent, and keeps nothing."""

API: Final = "/api/v1"


def _changes(action: str, role: Role = Role.MEMBER, scope: TokenScope = TokenScope.WRITE) -> Need:
    return Need(role=role, scope=scope, action=action)


def _own_account(action: str) -> Need:
    return Need(role=None, scope=TokenScope.ADMIN, action=action, is_in_person=True)


def _submits(action: str) -> Need:
    return _changes(action, scope=TokenScope.SUBMIT)


def _decides(action: str) -> Need:
    return _changes(action, Role.ADMIN, TokenScope.ADMIN)


def _governs(action: str, *, is_of_server: bool = False) -> Need:
    return Need(
        role=Role.ADMIN,
        scope=TokenScope.ADMIN,
        action=action,
        is_in_person=True,
        is_of_server=is_of_server,
    )


_BEGINNINGS: Final[dict[str, Need]] = {
    "/static/": _OPEN,
    f"{API}/agentic": _PUBLIC,
    f"{API}/agentic/reviews": _MEMBERS,
    f"{API}/agents": _PUBLIC,
    f"{API}/about": _READ,
    f"{API}/calibrations": _READ,
    f"{API}/code": _READ,
    f"{API}/compare": _READ,
    f"{API}/endpoints": _READ,
    f"{API}/health": _READ,
    f"{API}/jobs": _READ,
    f"{API}/judges": _READ,
    f"{API}/models": _READ,
    f"{API}/attempts": _READ,
    f"{API}/moderation": _MEMBERS,
    f"{API}/prices": _READ,
    f"{API}/profiles": _READ,
    f"{API}/power": _READ,
    f"{API}/rank": _READ,
    f"{API}/runs": _READ,
    f"{API}/series": _READ,
    f"{API}/suites": _READ,
    f"{API}/trend": _READ,
}
"""What reads, by the beginning of its template up to a slash, a dot or the end."""

_EXACT: Final[dict[tuple[str, str], Need]] = {
    # For programs that watch the server; these say themselves what they tell to whom.
    ("GET", "/healthz"): _OPEN,
    ("GET", "/readyz"): _OPEN,
    ("GET", "/metrics"): _OPEN,
    # The person themselves
    ("GET", "/sign-in"): _OPEN,
    ("POST", "/sign-in"): Need(
        role=None, scope=TokenScope.READ, action="session.open", is_open=True, is_in_person=True
    ),
    ("POST", "/sign-in/oidc"): _OPEN,
    ("GET", "/sign-in/oidc"): Need(
        role=None, scope=TokenScope.READ, action="session.open", is_open=True, is_in_person=True
    ),
    ("POST", "/sign-out"): _own_account("session.close"),
    ("GET", "/account"): _OWN,
    ("POST", "/account/password"): _own_account("user.password"),
    ("POST", "/account/identity/link"): _OWN,
    ("POST", "/account/identity/unlink"): _own_account("user.unlink"),
    ("POST", "/account/sessions"): _own_account("session.revoke"),
    ("POST", "/account/team"): _own_account("session.team"),
    ("POST", "/account/tokens"): _own_account("token.add"),
    ("POST", "/account/tokens/revoke"): _own_account("token.revoke"),
    ("POST", "/preferences/theme"): _OWN,
    ("POST", "/preferences/keys"): _OWN,
    # Settings
    ("GET", "/settings/people"): _ADMINS_IN_PERSON,
    ("POST", "/settings/people/role"): _governs("team.role"),
    ("POST", "/settings/people/team"): _governs("team.change"),
    ("POST", "/settings/people/add-user"): _governs("user.add", is_of_server=True),
    ("POST", "/settings/people/user"): _governs("user.change", is_of_server=True),
    ("POST", "/settings/people/add-team"): _governs("team.add", is_of_server=True),
    ("GET", "/settings/secrets"): _ADMINS_IN_PERSON,
    ("POST", "/settings/secrets"): _governs("secret.set"),
    ("POST", "/settings/secrets/drop"): _governs("secret.drop"),
    ("GET", f"{API}/openapi.json"): _SIGNED,
    ("GET", f"{API}/about/check"): _MEMBERS,
    # Runs
    ("POST", "/arena"): _changes("run.start"),
    ("POST", "/arena/test"): _changes("model.test"),
    ("POST", "/arena/{name}/stop"): _changes("run.stop"),
    ("POST", "/arena/{name}/resume"): _changes("run.resume"),
    ("POST", "/arena/{name}/control"): _changes("run.control"),
    ("POST", "/runs/{run}/dismiss"): _changes("run.dismiss"),
    ("POST", "/runs/{run}/rescore"): _changes("run.rescore"),
    ("POST", "/runs/{run}/corrected-suite"): _changes("run.rescore"),
    ("POST", "/runs/{run}/corrected-suite/file"): _changes("suite.add"),
    ("POST", "/runs/{run}/corrected-suite/text"): _changes("suite.add"),
    ("POST", "/series/{series}/corrected-suite"): _changes("run.rescore"),
    ("POST", "/series/{series}/corrected-suite/file"): _changes("suite.add"),
    ("POST", "/series/{series}/corrected-suite/text"): _changes("suite.add"),
    ("POST", "/runs/{run}/rescore/stop"): _changes("run.rescore-stop"),
    ("POST", "/series/{series}/rescore"): _changes("run.rescore"),
    ("POST", "/series/{series}/rescore/stop"): _changes("run.rescore-stop"),
    ("POST", f"{API}/runs"): _changes("run.start"),
    ("POST", f"{API}/runs/estimate"): _TRIES,
    ("POST", f"{API}/runs/{{run}}/stop"): _changes("run.stop"),
    ("POST", f"{API}/runs/{{run}}/resume"): _changes("run.resume"),
    ("POST", f"{API}/runs/{{run}}/control"): _changes("run.control"),
    ("POST", f"{API}/runs/{{run}}/rescore"): _changes("run.rescore"),
    ("DELETE", f"{API}/runs/{{run}}"): _decides("run.delete"),
    ("POST", f"{API}/jobs/{{job}}/stop"): _changes("job.stop"),
    # Suites
    ("GET", "/suites/new"): _MEMBERS,
    ("GET", "/suites/new/paste"): _MEMBERS,
    ("POST", "/suites/new/paste"): _changes("suite.add"),
    ("POST", "/suites/new/paste/preview"): _TRIES,
    ("POST", "/suites"): _changes("suite.add"),
    ("POST", "/suites/import"): _changes("suite.add"),
    ("POST", "/compare/suite"): _changes("suite.add"),
    ("POST", "/suites/check"): _TRIES,
    ("POST", "/suites/{content}/header"): _changes("suite.change"),
    ("POST", "/suites/{content}/header/check"): _TRIES,
    ("POST", "/suites/{content}/sheet"): _changes("suite.change"),
    ("POST", "/suites/{content}/sheet/rows"): _TRIES,
    ("POST", "/suites/{content}/paste"): _changes("suite.change"),
    ("POST", "/suites/{content}/paste/preview"): _TRIES,
    ("POST", "/suites/{content}/prompts"): _changes("suite.change"),
    ("POST", "/suites/{content}/cases/new"): _changes("suite.change"),
    ("POST", "/suites/{content}/cases/new/check"): _TRIES,
    ("POST", "/suites/{content}/cases/{number}"): _changes("suite.change"),
    ("POST", "/suites/{content}/cases/{number}/check"): _TRIES,
    ("POST", "/suites/{content}/cases/{number}/delete"): _changes("suite.change"),
    ("POST", "/suites/{content}/cases/{number}/duplicate"): _changes("suite.change"),
    ("POST", f"{API}/suites"): _changes("suite.add"),
    ("POST", f"{API}/suites/import"): _changes("suite.add"),
    ("PATCH", f"{API}/suites/{{content}}"): _changes("suite.change"),
    ("POST", f"{API}/suites/{{content}}/cases"): _changes("suite.change"),
    ("PUT", f"{API}/suites/{{content}}/cases/{{number}}"): _changes("suite.change"),
    ("DELETE", f"{API}/suites/{{content}}/cases/{{number}}"): _changes("suite.change"),
    # What people say
    ("POST", "/code"): _changes("run.start"),
    ("POST", "/code/estimate"): _TRIES,
    ("POST", "/code/{run}/{number:int}"): _changes("vote.cast"),
    ("POST", f"{API}/code/runs"): _changes("run.start"),
    ("POST", "/code/{run}/{number:int}/{n:int}/improve"): _changes("run.start"),
    ("POST", "/code/{run}/render"): _changes("run.resume"),
    ("POST", f"{API}/code/runs/{{run}}/pages/{{position}}/{{rank}}/improvements"): _changes(
        "run.start"
    ),
    ("POST", f"{API}/code/runs/{{run}}/votes"): _changes("vote.cast"),
    ("POST", f"{API}/code/runs/{{run}}/votes/undo"): _changes("vote.undo"),
    ("POST", "/judges/label"): _changes("label.keep"),
    ("POST", f"{API}/runs/{{run}}/labels"): _changes("label.keep"),
    ("POST", f"{API}/runs/{{run}}/labels/undo"): _changes("label.undo"),
    ("POST", "/runs/{run}/trials/{position:int}-{rank:int}/notes"): _changes("note.change"),
    ("POST", "/runs/{run}/trials/{position:int}-{rank:int}/label"): _changes("label.keep"),
    ("POST", "/agentic/review"): _decides("review.decide"),
    ("POST", f"{API}/agentic/reviews/{{name}}"): _decides("review.decide"),
    ("POST", "/agentic/moderation"): _decides("moderation.decide"),
    ("POST", f"{API}/submissions/{{name}}/moderation"): _decides("moderation.decide"),
    # Submissions
    ("POST", f"{API}/attempts"): _submits("attempt.register"),
    ("POST", "/agentic/evaluate"): _changes("submission.evaluate"),
    ("POST", "/agentic/usage/import"): _governs("submission.collect", is_of_server=True),
    ("POST", "/agentic/submit"): _submits("submission.upload"),
    ("POST", "/agentic/submit/{token}"): _submits("submission.add"),
    ("POST", f"{API}/agentic/submissions"): _submits("submission.add"),
    ("POST", f"{API}/agentic/submissions/upload"): _submits("submission.add"),
    ("POST", f"{API}/agentic/submissions/preview"): Need(role=Role.MEMBER, scope=TokenScope.SUBMIT),
    ("DELETE", f"{API}/agentic/submissions/{{name}}"): _decides("submission.delete"),
}

_READING: Final = frozenset({"GET", "HEAD"})


def need_of(
    method: str, template: str, pages: Mapping[tuple[str, str], DeclaredPage]
) -> Need | None:
    """Return the permission that a route needs; None where nobody may call it.

    Args:
        method: of the request.
        template: of the route's address.
        pages: the pages by method and template of their routes.

    >>> need_of("DELETE", "/api/v1/runs/{run}", {}).role
    <Role.ADMIN: 'admin'>
    >>> need_of("GET", "/api/v1/runs", {}).role
    <Role.VIEWER: 'viewer'>
    >>> need_of("DELETE", "/runs/{run}", {}) is None
    True
    """
    read = "GET" if method in _READING else method
    if (read, template) in _EXACT:
        return _EXACT[read, template]
    if (read, template) in pages:
        return _declared_need(pages[read, template], is_reading=method in _READING)
    return _by_beginning(template) if method in _READING else None


def _declared_need(page: DeclaredPage, *, is_reading: bool) -> Need:
    """The permission that a page declares; what changes something takes a member at least."""
    is_of_admins = page.role is Role.ADMIN
    if is_reading:
        scope = TokenScope.ADMIN if is_of_admins else TokenScope.READ
        return Need(role=page.role, scope=scope, is_public=page.is_public)
    action = f"page.{page.id}"
    return _decides(action) if is_of_admins else _changes(action)


def _by_beginning(template: str) -> Need | None:
    """What the longest beginning says."""
    fitting = [it for it in _BEGINNINGS if _begins(template, it)]
    return _BEGINNINGS[max(fitting, key=len)] if fitting else None


def _begins(template: str, beginning: str) -> bool:
    rest = template.removeprefix(beginning)
    ends = not rest or beginning.endswith("/") or rest[0] in "/."
    return template.startswith(beginning) and ends
