"""The stores of people, teams, tokens, sign-ins, the audit log and secrets."""

from contextlib import AbstractContextManager

from benchmaker.store.agentic.registered_attempts import AttemptStore
from benchmaker.store.database.database import Database
from benchmaker.store.database.new_ids import NewId, random_id
from benchmaker.store.people.audits import AuditStore
from benchmaker.store.people.sign_ins import SignInStore
from benchmaker.store.people.team_secrets import SecretStore
from benchmaker.store.people.teams import TeamStore
from benchmaker.store.people.tokens import TokenStore
from benchmaker.store.people.users import UserStore


class AccountStore(
    UserStore, TeamStore, TokenStore, SignInStore, AuditStore, SecretStore, AttemptStore
):
    """Users, teams, tokens, sign-ins and secrets, with the audit log.

    Methods that change something raise :class:`~benchmaker.errors.SpecError` for errors that a user
    can correct, such as a taken or unknown name. Times are UTC, ISO 8601 with milliseconds.
    """

    def __init__(self, database: Database, *, new_id: NewId = random_id) -> None:
        super().__init__(database, new_id=new_id)
        self._had_users = False

    def now_utc(self) -> str:
        """Return the time of the store's clock, UTC, ISO 8601 with milliseconds."""
        return self.database.now_utc()

    def has_users(self) -> bool:
        """True if there are users, so that accounts are in use; True is cached."""
        self._had_users = self._had_users or super().has_users()
        return self._had_users

    def write_transaction(self) -> AbstractContextManager[None]:
        """Open a transaction for a change and its audit entry: both are stored, or neither."""
        return self.database.write_transaction()
