"""The requirements of a contract, with messages for the author of the plug-in."""


def demand(holds: object, message: str) -> None:
    """Raise AssertionError with the message unless true; works without pytest's rewriting."""
    if not holds:
        raise AssertionError(message)
