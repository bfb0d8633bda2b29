"""Guests, whose submissions wait for a moderator."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from benchmaker.record.account import Actor, Role, TokenScope
from benchmaker.web.accounts.people_context import accounts_of


async def _guest(request: Request) -> str | None:
    actor: Actor | None = getattr(request.state, "actor", None)
    if actor is None or actor.may(Role.ADMIN, TokenScope.ADMIN):
        return None
    team = await run_in_threadpool(accounts_of(request).team, actor.team)
    return actor.name if team is None or team.is_moderated else None


Guest = Annotated[str | None, Depends(_guest)]
"""The name of a submitter whose submission needs a moderator; None if it counts at once."""
