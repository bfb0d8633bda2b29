"""The context of pages about people: the signed-in user, and the account store."""

from fastapi import Request

from benchmaker.record.account import Actor
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.workbench import Workbench


def actor_of(request: Request) -> Actor:
    """Return the signed-in user; the guard admits nobody else to these pages."""
    found: Actor = request.state.actor
    return found


def root_of(request: Request) -> Workbench:
    """The workbench of the whole server, where the accounts are."""
    found: Workbench = request.app.state.bench
    return found


def accounts_of(request: Request) -> AccountStore:
    """Return the people, teams and tokens of the server."""
    return root_of(request).store.accounts
