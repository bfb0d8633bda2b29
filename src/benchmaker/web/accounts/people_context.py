"""What pages about people work with: who is signed in, and the store in which people are."""

from fastapi import Request

from benchmaker.record.account import Actor
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.workbench import Workbench


def actor_of(request: Request) -> Actor:
    """Who is signed in; the guard lets nobody else come to these pages."""
    found: Actor = request.state.actor
    return found


def root_of(request: Request) -> Workbench:
    """The workbench of the whole server, where the accounts are."""
    found: Workbench = request.app.state.bench
    return found


def accounts_of(request: Request) -> AccountStore:
    """The people, teams and tokens of the server."""
    return root_of(request).store.accounts
