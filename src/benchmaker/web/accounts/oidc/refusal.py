"""Why nobody was let in."""

from benchmaker.errors import BenchmakerError


class SignInRefused(BenchmakerError):
    """A sign-in elsewhere opens nothing here; the message is for the log, and holds no secret."""


class ProviderUnavailable(SignInRefused):
    """The provider did not answer as it should."""


class UnknownIdentity(SignInRefused):
    """The provider knows the person, and here nobody does, or they may not sign in."""
