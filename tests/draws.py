"""How many examples and draws a test takes: few in the quick suite, all in the whole one."""

from hypothesis import settings


def draws(quick: int, full: int) -> int:
    """The number of this suite; ask when a test's module is read, or later."""
    return quick if settings.get_current_profile_name() == "quick" else full
