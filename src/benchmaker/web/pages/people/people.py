"""Users and teams: roles in the team, and for admins of ``main`` all people."""

from collections.abc import Callable
from typing import Any, ClassVar, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record.account import MAIN, Actor, Role, User
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.accounts.people_context import accounts_of, actor_of, root_of
from benchmaker.web.form_body import Fields, Posted
from benchmaker.web.pages.people.sign_in import where_accounts_are
from benchmaker.web.rendering import Crumb, page

router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])


@web_page(id="people")
class PeoplePage:
    """Users and teams."""

    routes: ClassVar = router


HOME: Final = "/settings/people"
MOST_PEOPLE: Final = 500
"""Number of rows per page; the command line lists more."""

Change = Callable[[AccountStore, Actor, Fields], tuple[str, str]]
"""Changes something; returns what the audit log calls it, and the detail."""


@router.get(HOME)
def people(request: Request) -> Response:
    """Show the team's people; in ``main`` everyone, and every team."""
    return _page(request)


@router.post("/settings/people/role")
def set_role(request: Request, fields: Posted) -> Response:
    """Add a person to the team, change their role, or remove them."""
    return _apply_change(request, fields, _set_role)


@router.post("/settings/people/team")
def change_team(request: Request, fields: Posted) -> Response:
    """The team's title, and who sees its boards."""
    return _apply_change(request, fields, _set_team)


@router.post("/settings/people/add-user")
def add_user(request: Request, fields: Posted) -> Response:
    """A new person, with a first password that they change themselves."""
    _require_main_team(request)
    return _apply_change(request, fields, _add_user)


@router.post("/settings/people/user")
def change_user(request: Request, fields: Posted) -> Response:
    """Let a person in no more, or again."""
    _require_main_team(request)
    return _apply_change(request, fields, _change_user)


@router.post("/settings/people/add-team")
def add_team(request: Request, fields: Posted) -> Response:
    """Create a team with its data folder and its store; its creator is its first admin."""
    _require_main_team(request)

    def add(accounts: AccountStore, own: Actor, fields: Fields) -> tuple[str, str]:
        made = accounts.add_team(fields["slug"].strip(), fields["title"].strip())
        accounts.set_role(made.slug, own.user_id, Role.ADMIN)
        root_of(request).of_team(made.slug)
        return made.slug, made.title

    return _apply_change(request, fields, add)


def _set_role(accounts: AccountStore, own: Actor, fields: Fields) -> tuple[str, str]:
    person, said = _person(accounts, fields["user"]), fields["role"]
    if said not in {*map(str, Role), "none"}:
        raise SpecError(f"{said[:40]!r} is not a role.", hint=f"Choose {', '.join(Role)} or none.")
    accounts.set_role(own.team, person.id, None if said == "none" else Role(said))
    return person.name, said


def _set_team(accounts: AccountStore, own: Actor, fields: Fields) -> tuple[str, str]:
    made = accounts.set_team(
        own.team,
        title=fields["title"].strip() or None,
        is_public=bool(fields["public"]),
        is_moderated=bool(fields["moderated"]),
    )
    shown = "public" if made.is_public else "the team's"
    return made.slug, f"{made.title}, {shown}{', moderated' if made.is_moderated else ''}"


def _add_user(accounts: AccountStore, _own: Actor, fields: Fields) -> tuple[str, str]:
    from benchmaker.accounts import passwords  # noqa: PLC0415  an extra

    name, password = fields["user"].strip(), fields["password"]
    if password != fields["again"]:
        raise SpecError("The two passwords differ.")
    passwords.refuse_weak(password, name)
    made = accounts.add_user(name, passwords.hash_password(password))
    role = fields["role"]
    if role in set(map(str, Role)):
        accounts.set_role(MAIN, made.id, Role(role))
    return made.name, role


def _change_user(accounts: AccountStore, own: Actor, fields: Fields) -> tuple[str, str]:
    person = _person(accounts, fields["user"])
    if fields["do"] == "enable":
        accounts.enable(person.id)
        return person.name, "enabled"
    if person.id == own.user_id:
        raise SpecError("You cannot disable your own account.", hint="Ask another admin.")
    accounts.disable(person.id)
    return person.name, "disabled"


def _apply_change(request: Request, fields: Fields, change: Change) -> Response:
    """Apply a change and return to the page, or show the fault there."""
    accounts, own = accounts_of(request), actor_of(request)
    try:
        what, detail = change(accounts, own, fields)
    except SpecError as exc:
        return _page(request, status=422, refused=f"{capitalise(exc.message)} {exc.hint}".strip())
    annotate(request, object=what, detail=detail)
    return RedirectResponse(HOME, 303)


def _page(request: Request, *, status: int = 200, refused: str = "") -> Response:
    accounts, own = accounts_of(request), actor_of(request)
    shown: dict[str, Any] = {"users": (), "teams": (), "roles_of": {}}
    if own.team == MAIN:
        everybody, teams = accounts.users(), accounts.teams()
        members = {team.slug: accounts.members(team.slug) for team in teams}
        shown = {
            "users": everybody[:MOST_PEOPLE],
            "teams": teams,
            "roles_of": {user.id: _roles(user, members) for user in everybody[:MOST_PEOPLE]},
        }
    return page(
        request,
        "people/people",
        title="Users and teams",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("Users and teams")),
        status=status,
        refused=refused,
        own=own,
        team=accounts.team(own.team),
        members=accounts.members(own.team)[:MOST_PEOPLE],
        roles=tuple(Role),
        **shown,
    )


def _roles(user: User, members: dict[str, Any]) -> list[tuple[str, Role]]:
    """Return a person's roles, by team."""
    return [
        (slug, it.role) for slug, all_ in members.items() for it in all_ if it.user_id == user.id
    ]


def _person(accounts: AccountStore, name: str) -> User:
    found = accounts.user(name.strip())
    if found is None:
        raise SpecError(
            f"There is no user {name.strip()[:60]!r}.", hint="Add the user under All users first."
        )
    return found


def _require_main_team(request: Request) -> None:
    if actor_of(request).team != MAIN:
        raise HTTPException(403, "Only admins of the team main can do this.")
