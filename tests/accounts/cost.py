"""Passwords of tests are hashed at the least cost there is: the real one takes .3 s of CPU each.

``tests/accounts/test_passwords.py`` asks a program that nobody has changed what its cost is.
"""

from benchmaker.accounts import passwords

LEAST = passwords.HashCost(passes=1, memory_kib=8, threads=1)


def use_least() -> None:
    """Hash at the least cost in this process."""
    passwords.COST = LEAST
