import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call
from test_examples import PROGRAM, value, values


def all_of(formulas, **cells):
    """The value of each formula, beside these cells."""
    named = {f"Y{at}": text for at, text in enumerate(formulas, start=1)}
    return values({**cells, **named}, *named)


class Texts(unittest.TestCase):
    def test_numbers_texts_and_nothing(self):
        given = {"A1": " 12 ", "A2": "-1.5", "A3": ".5", "A4": "2e3", "A5": " tea ", "A6": "  "}
        given |= {"A7": "nan", "A8": "1_000", "A9": "#DIV/0!", "B1": "+5"}
        wanted = [12.0, -1.5, 0.5, 2000.0, " tea ", None, "nan", "1_000", "#DIV/0!", 5.0]
        self.assertEqual(values(given, *given), wanted)

    def test_names_in_either_case_and_their_bounds(self):
        said = values({"zz99999": "7", "a1": "=ZZ99999+1"}, "A1", "Zz99999")
        self.assertEqual(said, [8.0, 7.0])

    def test_other_names_are_refused(self):
        names = ("", "A", "1", "A0", "A01", "AAA1", "A100000", "A1:A2", "Ä1", " A1", "A1\n")
        self.assertEqual(call(PROGRAM, [["get", one] for one in names]), ["refused"] * len(names))
        self.assertEqual(call(PROGRAM, [["set", "A0", "1"]]), ["refused"])

    def test_a_text_that_looks_like_an_error_is_a_text(self):
        self.assertEqual(
            values({"A1": "#NUM!", "A2": "=A1", "A3": "=A1+1"}, "A2", "A3"), ["#NUM!", "#VALUE!"]
        )


class Grammar(unittest.TestCase):
    def test_what_binds_tighter(self):
        formulas = ["=1+2*3", "=(1+2)*3", "=2^3^2", "=-2^2", "=2^-1", "=--3", "=8/4/2", "=7-3-2"]
        self.assertEqual(all_of(formulas), [7.0, 9.0, 512.0, -4.0, 0.5, 3.0, 1.0, 2.0])

    def test_comparisons_are_loosest(self):
        formulas = ["=1+1=2", "=1<>1", "=2<=1+1", "=(1<2)+(2>1)", "=3>=4", "=-1<0"]
        self.assertEqual(all_of(formulas), [1.0, 0.0, 1.0, 2.0, 0.0, 1.0])

    def test_spaces_and_cases(self):
        self.assertEqual(value("  = sum( a1 : A2 ,\t3 ) * If(1<2 , 2) ", A1="1", A2="2"), 12.0)

    def test_numbers_as_they_may_be_written(self):
        self.assertEqual(
            all_of(["=.5", "=1.", "=2E3", "=1e-2", "=1.5e+1"]), [0.5, 1.0, 2000.0, 0.01, 15.0]
        )

    def test_what_is_no_formula(self):
        wrong = ["=", "=1+", "=*1", "=(1", "=1)", "=1 2", "=A1:A2", "=A0", "=FOO(1)", "=SUM()"]
        wrong += ["=SUM(1,)", "=IF(1)", "=IF(1,2,3,4)", "=IF(A1:A2,1)", "=1<2<3", "=1..2", "=$A$1"]
        wrong += ["=SUM(A1:)", "=SUM(A1:3)", "=SUM(A1:A2+1)", "=SUM", "=1e", "=2A1", '="a"', "=,"]
        self.assertEqual(all_of(wrong), ["#SYNTAX!"] * len(wrong))


class Functions(unittest.TestCase):
    cells = {"A1": "4", "A2": "tea", "B1": "-1", "B3": "=A1*2", "C1": "=A2"}

    def test_each_over_a_range(self):
        formulas = [f"={name}(A1:C3)" for name in ("SUM", "MIN", "MAX", "COUNT", "AVG")]
        wanted = [11.0, -1.0, 8.0, 3.0, 11 / 3]
        for got, one in zip(all_of(formulas, **self.cells), wanted, strict=True):
            self.assertAlmostEqual(got, one)

    def test_any_two_corners_name_a_range(self):
        formulas = [f"=SUM({one})" for one in ("C3:A1", "A3:C1", "C1:A3", "a1:c3")]
        self.assertEqual(all_of(formulas, **self.cells), [11.0] * 4)

    def test_columns_go_on_after_z(self):
        self.assertEqual(value("=COUNT(Y2:AB2)", Y2="1", Z2="1", AA2="1", AB2="1"), 4.0)

    def test_a_cell_by_itself_is_passed_over_and_an_expression_is_not(self):
        formulas = ["=COUNT(A2)", "=COUNT(D9)", "=SUM(A2,1)", "=SUM(A2+0)", "=COUNT(D9+0)"]
        self.assertEqual(all_of(formulas, **self.cells), [0.0, 0.0, 1.0, "#VALUE!", 1.0])

    def test_of_nothing(self):
        formulas = [f"={name}(D1:D9)" for name in ("SUM", "MIN", "MAX", "COUNT", "AVG")]
        self.assertEqual(all_of(formulas), [0.0, 0.0, 0.0, 0.0, "#DIV/0!"])

    def test_a_choice_computes_only_what_is_chosen(self):
        formulas = ["=IF(1, 2, 1/0)", "=IF(0, 1/0, 3)", "=IF(0, 5)", "=IF(1/0, 1, 2)", "=IF(1, A2)"]
        wanted = [2.0, 3.0, 0.0, "#DIV/0!", "tea"]
        self.assertEqual(all_of(formulas, **self.cells), wanted)


class Errors(unittest.TestCase):
    def test_each_kind(self):
        formulas = [
            "=1/0",
            "=0^-1",
            "=(-8)^.5",
            "=10^400",
            "=1e308*10",
            "=A1+1",
            "=-A1",
            "=A1=A1",
            "=1e999",
        ]
        wanted = [
            "#DIV/0!",
            "#DIV/0!",
            "#NUM!",
            "#NUM!",
            "#NUM!",
            "#VALUE!",
            "#VALUE!",
            "#VALUE!",
            "#NUM!",
        ]
        self.assertEqual(all_of(formulas, A1="tea"), wanted)

    def test_the_first_one_wins(self):
        cells = {"A1": "=1/0", "B1": "=C9+tea", "A2": "tea", "B2": "=A2+1"}
        formulas = ["=A1+B2", "=B2+A1", "=SUM(A1:B2)", "=SUM(B2:A1)", "=SUM(B2,A1)", "=COUNT(A1)"]
        wanted = ["#DIV/0!", "#VALUE!", "#DIV/0!", "#DIV/0!", "#VALUE!", "#DIV/0!"]
        self.assertEqual(all_of(formulas, **cells), wanted)

    def test_empty_is_nothing_in_sums_and_comparisons(self):
        self.assertEqual(all_of(["=D1", "=D1+1", "=D1=0", "=1/D1"]), [0.0, 1.0, 1.0, "#DIV/0!"])

    def test_what_leads_to_a_cycle_is_one(self):
        cells = {
            "A1": "=B1",
            "B1": "=C1+1/0",
            "C1": "=A1",
            "D1": "=SUM(A1:C1)",
            "E1": "=E1",
            "F1": "=1",
        }
        self.assertEqual(values(cells, *cells), ["#CYCLE!"] * 5 + [1.0])

    def test_a_cycle_in_what_is_not_chosen_counts(self):
        self.assertEqual(values({"A1": "=IF(1, 2, B1)", "B1": "=A1"}, "B1", "A1"), ["#CYCLE!"] * 2)

    def test_mending_a_cycle_mends_the_values(self):
        steps = [["set", "A1", "=B1+1"], ["set", "B1", "=A1+1"], ["set", "C1", "=A1*2"]]
        steps += [["get", "C1"], ["set", "B1", "3"], ["get", "C1"], ["get", "A1"]]
        steps += [["set", "B1", "=C1"], ["get", "A1"], ["set", "C1", ""], ["get", "A1"]]
        self.assertEqual(call(PROGRAM, steps), ["#CYCLE!", 8.0, 4.0, "#CYCLE!", 1.0])


class Computed(unittest.TestCase):
    def counted(self, *steps):
        return call(PROGRAM, [*CHAIN, *steps])

    def test_setting_computes_nothing(self):
        self.assertEqual(self.counted(["computed"]), [0])

    def test_only_what_is_asked_for_is_computed(self):
        self.assertEqual(self.counted(["get", "A3"], ["computed"]), [3.0, 2])

    def test_a_formula_that_is_needed_twice_is_computed_once(self):
        said = self.counted(["set", "B1", "=A5+A5+A4"], ["get", "B1"], ["computed"])
        self.assertEqual(said, [14.0, 5])

    def test_a_change_computes_what_depends_on_it_and_no_more(self):
        said = self.counted(
            *(["get", "A9"], ["get", "C2"], ["computed"]),
            *(["set", "A5", "100"], ["get", "A9"], ["get", "A4"], ["get", "C2"], ["computed"]),
        )
        self.assertEqual(said, [9.0, 2.0, 10, 104.0, 4.0, 2.0, 14])

    def test_what_is_no_longer_needed_changes_nothing(self):
        said = self.counted(
            *(
                ["set", "B1", "=A2"],
                ["get", "B1"],
                ["set", "B1", "=C2"],
                ["get", "B1"],
                ["computed"],
            ),
            *(["set", "A1", "50"], ["get", "B1"], ["computed"]),
        )
        self.assertEqual(said, [2.0, 2.0, 5, 2.0, 5])

    def test_a_change_inside_of_a_range_is_seen(self):
        said = self.counted(
            *(["set", "B1", "=SUM(D1:D9)"], ["get", "B1"], ["set", "D5", "2"], ["get", "B1"]),
            *(["set", "D6", "=D5"], ["get", "B1"], ["set", "D5", ""], ["get", "B1"]),
        )
        self.assertEqual(said, [0.0, 2.0, 4.0, 0.0])


CHAIN = [
    *(["set", "A1", "1"], ["set", "C1", "=1"], ["set", "C2", "=C1+1"]),
    *(["set", f"A{row}", f"=A{row - 1}+1"] for row in range(2, 10)),
]


if __name__ == "__main__":
    unittest.main()
