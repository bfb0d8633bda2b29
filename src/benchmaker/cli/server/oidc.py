"""Options of a server with sign-in by the company's identity provider."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.context import Context
from benchmaker.errors import PrerequisiteError, SpecError

if TYPE_CHECKING:
    from benchmaker.accounts.oidc_settings import JoinPolicy, OidcSettings

Command = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class OidcOptions:
    """The provider on the command line; its secret is an environment variable."""

    issuer: str
    client_id: str
    name: str
    claim: str
    join: str
    domains: tuple[str, ...]
    groups: tuple[str, ...]

    def settings(self, context: Context) -> "OidcSettings | None":
        """Return the checked provider; None without one.

        Raises:
            SpecError: an invalid setting, or there are no accounts.
            PrerequisiteError: a required package is not installed.
        """
        from benchmaker.accounts import oidc_settings

        environ = context.environ
        issuer = self.issuer or environ.get(oidc_settings.ISSUER, "")
        if not issuer:
            self._refuse_alone()
            return None
        made = oidc_settings.OidcSettings(
            issuer=issuer,
            client_id=self.client_id or environ.get(oidc_settings.CLIENT_ID, ""),
            client_secret=environ.get(oidc_settings.CLIENT_SECRET, ""),
            name=self.name,
            claim=self.claim or oidc_settings.USUAL_CLAIM,
            joining=self._join_policy(),
        )
        _refuse_unready()
        _refuse_without_people(context, made.joining)
        return made

    def _join_policy(self) -> "JoinPolicy | None":
        from benchmaker.accounts.oidc_settings import JoinPolicy

        if self.join:
            return JoinPolicy.of(self.join, domains=self.domains, groups=self.groups)
        if self.domains or self.groups:
            raise SpecError("no team to join.", hint="Add --oidc-join main:viewer.")
        return None

    def _refuse_alone(self) -> None:
        """Refuse options that mean something where there is a provider alone."""
        given = (self.client_id, self.name, self.claim, self.join, self.domains, self.groups)
        if any(given):
            raise SpecError(
                "no identity provider.", hint="Add --oidc-issuer https://login.example.org."
            )


def oidc_options(function: Command) -> Command:
    """``--oidc-issuer`` and those that go with it; the command gets them as ``oidc``."""

    @wraps(function)
    def command(*args: Any, **given: Any) -> Any:  # noqa: ANN401  whatever the command has
        options = OidcOptions(
            issuer=given.pop("oidc_issuer") or "",
            client_id=given.pop("oidc_client_id") or "",
            name=given.pop("oidc_name") or "",
            claim=given.pop("oidc_claim") or "",
            join=given.pop("oidc_join") or "",
            domains=given.pop("oidc_join_domain"),
            groups=given.pop("oidc_join_group"),
        )
        return function(*args, oidc=options, **given)

    made: Command = command
    for option in reversed(_OPTIONS):
        made = option(made)
    return made


_OPTIONS = (
    click.option(
        "--oidc-issuer",
        metavar="URL",
        help="OpenID Connect provider for signing in; requires accounts. Default: "
        "BENCHMAKER_OIDC_ISSUER. The client secret is BENCHMAKER_OIDC_CLIENT_SECRET.",
    ),
    click.option(
        "--oidc-client-id",
        metavar="ID",
        help="Client id of this server at the provider. Default: BENCHMAKER_OIDC_CLIENT_ID.",
    ),
    click.option(
        "--oidc-name",
        metavar="NAME",
        help="Label of the sign-in button. Default: the provider's host.",
    ),
    click.option(
        "--oidc-claim",
        metavar="CLAIM",
        help="Claim that identifies prepared accounts. Default: preferred_username. An email "
        "claim must be verified.",
    ),
    click.option(
        "--oidc-join",
        metavar="TEAM:ROLE",
        help="Create an account with this role for unknown people. Default: off.",
    ),
    click.option(
        "--oidc-join-domain",
        metavar="DOMAIN",
        multiple=True,
        help="Let people with a verified e-mail address in this domain join. Repeatable.",
    ),
    click.option(
        "--oidc-join-group",
        metavar="GROUP",
        multiple=True,
        help="Let people with this group in their groups claim join. Repeatable.",
    ),
)


def _refuse_unready() -> None:
    """Before a server starts whose button would lead nowhere; nothing is imported for it."""
    from importlib.util import find_spec

    missing = [name for name in ("authlib", "joserfc", "cryptography") if find_spec(name) is None]
    if missing:
        raise PrerequisiteError(
            f"external sign-in needs {', '.join(missing)}.",
            hint="Install it with: pip install 'benchmaker[accounts]'",
        )


def _refuse_without_people(context: Context, joining: "JoinPolicy | None") -> None:
    from benchmaker.store.home import Home

    with Home.of(context.home, context.store_url).open_store() as store:
        if not store.accounts.has_users():
            raise SpecError(
                "external sign-in needs accounts, and there are none.",
                hint="Create the first one: benchmaker user add NAME",
            )
        if joining is not None and store.accounts.team(joining.team) is None:
            raise SpecError(
                f"there is no team {joining.team!r} to join.", hint="See: benchmaker team list"
            )
