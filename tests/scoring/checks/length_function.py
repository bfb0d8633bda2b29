"""A function that the python check calls."""


def is_short(output, case):
    return len(output) < 10 and bool(case["id"])
