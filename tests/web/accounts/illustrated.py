"""A server with accounts at work, for pictures; all of it is illustrative."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchmaker.accounts import passwords, tokens
from benchmaker.accounts.sealing import SecretSealer
from benchmaker.arenas.agentic.evaluation.registered_attempts import register
from benchmaker.record.account import Role, TokenScope
from benchmaker.record.submissions.submission import Cost, OutcomeOf, Status, System, TimeSpent
from benchmaker.store import Store
from benchmaker.store.home import Home
from benchmaker.store.team_stores import make_team_place
from tests.arenas.agentic.handed import a_submission, the_id
from tests.web.accounts.people import JSON, PASSWORDS, Asker, sign_in

TASK = "repair-the-parser"
SYSTEM = System(harness="illustrative-cli", model="illustrative-d")
HANDED_IN, WAITING = 400, (401, 402)
SECRET = "no-key-of-anybody-0123456789"  # noqa: S105  made up
_BEFORE_S, _WORK_S = 7_200, 240.0


def peopled(home: Path) -> None:
    """Three people in two teams, with tokens and a key."""
    make_team_place(Home(home), "vision")
    with Store.open(home / "benchmaker.db") as store:
        rooms = store.accounts
        ada, max_, vi = (
            rooms.add_user(name, passwords.hash_password(PASSWORDS[name]))
            for name in ("ada", "max", "vi")
        )
        rooms.add_team("vision", "Vision group")
        rooms.set_role("main", max_.id, Role.MEMBER)
        rooms.set_role("main", vi.id, Role.VIEWER)
        rooms.set_role("vision", ada.id, Role.ADMIN)
        rooms.set_role("vision", vi.id, Role.MEMBER)
        for name, scope in (("nightly runs", TokenScope.WRITE), ("board reader", TokenScope.READ)):
            hashed = tokens.hash_secret(tokens.new_secret())
            rooms.add_token(ada.id, "main", name=name, scopes=(scope,), secret_hash=hashed)
        sealed = SecretSealer.of(home, {}).seal(SECRET, team="main", name="OPENAI_API_KEY")
        rooms.put_secret("main", "OPENAI_API_KEY", sealed, by="ada")
        rooms.set_team("main", title="Everybody", is_public=True)


def worked(address: str, home: Path) -> str:
    """Max registers attempts and hands in; from then on an admin has to look first.

    Returns the id of what came of the first attempt.
    """
    max_, _ = sign_in(address, "max")
    with Store.open(home / "benchmaker.db", clock=lambda: time.time() - _BEFORE_S) as store:
        first, *_ = register(store, TASK, SYSTEM, count=3, by="max")
    _hand_in(max_, HANDED_IN, attempt=first.id)
    with Store.open(home / "benchmaker.db") as store:
        store.accounts.set_team("main", is_moderated=True)
    for number in WAITING:
        _hand_in(max_, number)
    return the_id(HANDED_IN)


def _hand_in(asker: Asker, number: int, **more: str) -> None:
    began = time.time() - _BEFORE_S / 2
    one = a_submission(
        number,
        task=TASK,
        system=SYSTEM,
        started_at=_utc(began),
        finished_at=_utc(began + _WORK_S),
        time=TimeSpent(wall_s=_WORK_S),
        cost=Cost(reported_usd=0.17),
        outcome=OutcomeOf(status=Status.COMPLETED, success=True),
    )
    log = {"name": "rows.jsonl", "text": msgspec.json.encode(one).decode(), **more}
    answer = asker.ask("POST", "/api/v1/agentic/submissions", json.dumps(log).encode(), **JSON)
    assert answer.status in {201, 202}, answer.text


def _utc(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S}.000Z"
