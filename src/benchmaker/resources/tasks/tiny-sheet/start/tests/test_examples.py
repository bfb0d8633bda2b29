import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call

PROGRAM = """
from sheet import Sheet

def answer(steps):
    sheet, said = Sheet(), []
    for name, *words in steps:
        try:
            if name == "computed":
                said.append(sheet.computed)
            elif name == "set":
                sheet.set(*words)
            else:
                said.append(sheet.get(*words))
        except ValueError:
            said.append("refused")
    return said
"""


def values(cells, *asked):
    """What the asked cells hold in a sheet of these cells."""
    steps = [["set", name, text] for name, text in cells.items()]
    return call(PROGRAM, [*steps, *(["get", name] for name in asked)])


def value(formula, **cells):
    """What a formula in Z1 gives."""
    return values({**cells, "Z1": formula}, "Z1")[0]


class Examples(unittest.TestCase):
    def test_a_sum_of_a_column(self):
        cells = {"A1": "1", "A2": "2.5", "A3": "tea", "B1": "=SUM(A1:A4) * 2"}
        self.assertEqual(values(cells, "B1", "a3", "A4"), [7.0, "tea", None])

    def test_a_sign_binds_looser_than_a_power(self):
        self.assertEqual(value("=-2^2"), -4.0)

    def test_two_cells_that_need_each_other(self):
        self.assertEqual(values({"A1": "=B1", "B1": "=A1"}, "A1"), ["#CYCLE!"])

    def test_what_is_known_is_not_computed_again(self):
        steps = [["set", "A1", "=1+1"], ["get", "A1"], ["get", "A1"], ["computed"]]
        self.assertEqual(call(PROGRAM, steps), [2.0, 2.0, 1])


if __name__ == "__main__":
    unittest.main()
