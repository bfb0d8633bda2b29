"""The reasons for a refused sign-in."""

from benchmaker.errors import BenchmakerError


class SignInRefused(BenchmakerError):
    """A refused external sign-in; the message is for the log, and contains no secret."""


class ProviderUnavailable(SignInRefused):
    """The provider did not answer as it should."""


class UnknownIdentity(SignInRefused):
    """The provider knows the person, but there is no account, or it may not sign in."""
