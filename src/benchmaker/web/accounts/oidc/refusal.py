"""Why nobody was let in."""

from benchmaker.errors import BenchmakerError


class Refused(BenchmakerError):
    """A sign-in elsewhere opens nothing here; the message is for the log, and holds no secret."""


class Away(Refused):
    """The provider did not answer as it should."""


class Unknown(Refused):
    """The provider knows the person, and here nobody does, or they may not sign in."""
