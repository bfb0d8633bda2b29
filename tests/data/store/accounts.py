"""What a kept store file holds of people, teams and tokens."""

from itertools import count

import msgspec

from benchmaker.record.account import AuditEntry, Role, TokenScope
from benchmaker.store import Store
from tests.databases import accounts_with_ids

THEN = "2025-01-01T00:00:00.000Z"
NEVER = "9999-12-31T00:00:00.000Z"
TIMES = ("made_at", "seen_at", "disabled_at", "revoked_at", "at")


def fill(store: Store) -> None:
    """Put something into every table of accounts."""
    numbers = count(1)
    rooms = accounts_with_ids(store, lambda kind: f"{kind}-{next(numbers)}")
    ada = rooms.add_user("ada", "$argon2id$made-up")
    eve = rooms.add_user("eve", None, oidc="https://id.example é half-\ud800")
    rooms.add_team("vision", "Vision \x00 é")
    rooms.set_team("vision", is_public=True)
    rooms.set_role("vision", eve.id, Role.MEMBER)
    for secret, expires in (("1", None), ("2", NEVER)):
        given = {"name": f"ci \x00 {secret}", "secret_hash": secret * 64, "expires_at": expires}
        rooms.add_token(ada.id, "main", scopes=[TokenScope.WRITE, TokenScope.READ], **given)
    rooms.touch_token("t-3", THEN)
    rooms.open_session(
        ada.id, "c" * 64, team="main", address="::1", agent="half \ud800", expires_at=NEVER
    )
    rooms.disable(eve.id)
    rooms.audit(AuditEntry(actor="token ci of ada", action="run.start", object="odd \x00", at=THEN))
    rooms.audit(AuditEntry(actor="cli", action="user.add", team="vision", detail="é", at=THEN))
    rooms.put_secret("vision", "OPENAI_API_KEY", b"sealed \x00\xff", by="ada", at=THEN)
    attempt = rooms.register_attempt("main", "tidy é", system="claude-code", by="ada")
    rooms.register_attempt("main", "tidy é", system="claude-code", by="ada")
    rooms.bind_attempt(attempt, "claude_code-0123456789abcdef0123")


def held(store: Store) -> list[str]:
    """What a reader finds, each value in a form that keeps what JSON lacks; no time of the day."""
    rooms = store.accounts
    users = rooms.users()
    found = (
        *users,
        *rooms.teams(),
        *(member for team in rooms.teams() for member in rooms.members(team.slug)),
        *sorted(rooms.tokens(), key=lambda token: token.id),
        *(one for user in users for one in rooms.sessions(user.id)),
        *rooms.audit_entries(),
        *rooms.attempts("tidy é", "claude-code"),
    )
    plain = [msgspec.to_builtins(it) for it in found]
    told = [ascii({name: it[name] for name in it if name not in TIMES}) for it in plain]
    sealed = [ascii((rooms.secret_names(it.slug), rooms.secrets(it.slug))) for it in rooms.teams()]
    hashes = [ascii(rooms.password_hash(user.name)) for user in users]
    return [*told, *sealed, *hashes] if users else []
