"""Secrets of the team: entered once by an admin, and never shown again."""

from typing import ClassVar, Final, NamedTuple

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.accounts.sealing import checked_secret, refuse_name
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.plugins import web_page
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, with_base_url
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.accounts.environ import unreadable_secrets
from benchmaker.web.accounts.people_context import accounts_of, actor_of
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Posted
from benchmaker.web.pages.people.sign_in import where_accounts_are
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, TeamWorkbenches, Workbench

router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])


@web_page(id="team_secrets")
class TeamSecretsPage:
    """Secrets of a team."""

    routes: ClassVar = router


HOME: Final = "/settings/secrets"
MOST: Final = 100
"""Maximum number of secrets per team."""


class SecretRow(NamedTuple):
    """A secret without its value; and whether the current key opens it."""

    name: str
    by: str
    at: str
    opens: bool


@router.get(HOME)
def secrets(request: Request, bench: Bench) -> Response:
    """Their names, who entered them, and when."""
    return _page(request, bench)


@router.post(HOME)
def enter(request: Request, bench: Bench, fields: Posted) -> Response:
    """Keep a secret, instead of an earlier one of its name."""
    accounts, own, benches = accounts_of(request), actor_of(request), _benches(request)
    name = fields["name"].strip()
    try:
        refuse_name(name)
        value = checked_secret(fields["value"])
        _refuse_out_of_reach(bench, name, value, benches.reach)
        _refuse_too_many(accounts, own.team, name)
        sealed = benches.sealer().seal(value, team=own.team, name=name)
    except (SpecError, PrerequisiteError) as exc:
        said = f"{capitalise(exc.message)} {exc.hint}".strip()
        return _page(request, bench, status=422, refused=said, name=name)
    accounts.put_secret(own.team, name, sealed, by=own.name)
    benches.forget_secrets(own.team)
    annotate(request, object=name)
    return RedirectResponse(HOME, 303)


@router.post("/settings/secrets/drop")
def drop(request: Request, bench: Bench, fields: Posted) -> Response:
    """Forget a secret."""
    del bench  # it makes sure that the team's is there
    own = actor_of(request)
    if not accounts_of(request).drop_secret(own.team, fields["name"]):
        raise Missing("there is no such secret.", hint="Load the page again.")
    _benches(request).forget_secrets(own.team)
    annotate(request, object=fields["name"])
    return RedirectResponse(HOME, 303)


def _page(
    request: Request, bench: Workbench, *, status: int = 200, refused: str = "", name: str = ""
) -> Response:
    accounts, own = accounts_of(request), actor_of(request)
    known = accounts.secret_names(own.team)
    shut = (
        unreadable_secrets(accounts, own.team, _benches(request).sealer) if known else frozenset()
    )
    return page(
        request,
        "people/team_secrets",
        title="Secrets",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("Secrets")),
        status=status,
        refused=refused,
        own=own,
        name=name[:128],
        rows=[SecretRow(it.name, it.by, it.at, it.name not in shut) for it in known],
        offered=_known_variables(bench),
        reach=_benches(request).reach,
    )


def _known_variables(bench: Workbench) -> list[str]:
    """The variables that the team's endpoints read: keys first, then addresses."""
    endpoints = _endpoints(bench)
    keys = [name for one in endpoints for name in one.keys]
    return list(dict.fromkeys([*keys, *(name for one in endpoints for name in one.base_urls)]))


def _refuse_out_of_reach(bench: Workbench, name: str, value: str, reach: EgressPolicy) -> None:
    """Refuse a base URL outside the team's egress policy, which is checked again on each use."""
    for endpoint in _endpoints(bench):
        if name in endpoint.base_urls:
            reach.check_url(_base_url(endpoint, name, value))


def _base_url(endpoint: Endpoint, name: str, value: str) -> str:
    """Return the base URL in a variable; an invalid one is not shown: it may be a key."""
    try:
        return with_base_url(endpoint, {name: value}).base_url
    except SpecError as exc:
        raise SpecError(
            f"not a base URL for {name}.", hint="Write https://host/v1, with host and path only."
        ) from exc


def _refuse_too_many(accounts: AccountStore, team: str, name: str) -> None:
    known = {it.name for it in accounts.secret_names(team)}
    if name not in known and len(known) >= MOST:
        raise SpecError(f"the team has {MOST} secrets, the maximum.", hint="Delete one first.")


def _endpoints(bench: Workbench) -> list[Endpoint]:
    try:
        return list(endpoints_of(bench.home).values())
    except BenchmakerError:  # said on the page of endpoints
        return []


def _benches(request: Request) -> TeamWorkbenches:
    root: Workbench = request.app.state.bench
    return root.benches
