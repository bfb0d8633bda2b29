"""Scores of long replies, for shapes that patterns may read again and again."""

import pytest

from benchmaker import score
from tests.growth import is_linear

SHAPES = {
    "rule": ("", "-", "x"),
    "rule of a table": ("| ", "--", " 42."),
    "rule with spaces": ("", "- ", "x"),
    "corrections": ("The answer is ", "no, ", ")"),
    "blank lines": ("wait, ", " \n", "x"),
    "marks behind an option": ("B ", "_", " 42."),
    "quotes behind an option": ("The answer is Lima ", "'", "!"),
    "places": ("The last one. ", "\n", "x"),
    "cell": ("| ", "Lima; ", "."),
    "cell in marks": ("| ", r"\[", ""),
    "unclosed marks": ("<answer>", "「", " so the answer is B."),
    "colons": ("", ":", "."),
    "commas": ("The answer is ", ", ", ""),
    "dots": ("", "…", "."),
    "spaces": ("```\n", " ", " Lima"),
    "brackets": ("{", r"\[", " 42."),
    "bold": ("It is ", "**Lima ", "."),
    "words": ("", "Lima or ", "."),
    "digits": ("", "1,234 ", "."),
    "items": ("", "- Lima\n", ""),
}
KINDS = {
    "exact": ("Lima", {}),
    "numeric": ("42", {}),
    "boolean": ("yes", {}),
    "choice": ("B", {"choices": ["Cusco", "Lima", "Quito", "La Paz"]}),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_with_the_length_alone(kind, shape):
    expected, more = KINDS[kind]
    head, unit, tail = SHAPES[shape]

    def read(length):
        text = f"{head}{unit * (length // len(unit))}{tail}"
        score(kind, text, expected, profile="robust", **more)

    assert is_linear(read, 9_600)
    assert is_linear(read, 100_000)
