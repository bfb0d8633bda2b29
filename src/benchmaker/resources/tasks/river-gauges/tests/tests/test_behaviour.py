import csv
import io
import json
import random
import sys
import tempfile
import unittest
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from test_examples import ROOT, report, run

DAY = "2025-03-01"


def at(hour, level, *, unit="m", station="Old Lock", remark=""):
    return f"{station};{DAY} {hour:02}:00;{level};{unit};{remark}"


def only(*lines):
    """The one station of a report."""
    (station,) = report(*lines)["stations"]
    return station


class Reading(unittest.TestCase):
    def test_units_become_metres(self):
        lines = [
            at(1, 1),
            at(2, 150, unit="CM"),
            at(3, 2000, unit="mm"),
            at(4, 10, unit=" Ft "),
            at(5, 4, unit=""),
        ]
        station = only(*lines)
        self.assertAlmostEqual(station["mean_m"], (1 + 1.5 + 2 + 3.048 + 4) / 5, delta=0.0011)
        self.assertEqual((station["min_m"], station["max_m"]), (1.0, 4.0))

    def test_a_comma_may_stand_for_the_point(self):
        self.assertEqual(only(at(1, "1,5"), at(2, "+2.5"), at(3, "-0,5"))["mean_m"], 1.167)

    def test_three_ways_to_write_a_time(self):
        lines = ["A;2025-03-01 06:00;1;m;", "A;2025-03-01T07:00Z;3;m;", "A;02.03.2025 08:30;2;m;"]
        station = only(*lines)
        self.assertEqual((station["days"], station["max_at"]), (2, "2025-03-01T07:00Z"))

    def test_names_that_differ_in_case_and_spaces_are_one_station(self):
        lines = [
            at(1, 1, station=" Old   Lock "),
            at(2, 2, station="OLD LOCK"),
            at(3, 3, station="old lock"),
        ]
        self.assertEqual((only(*lines)["name"], only(*lines)["readings"]), ("Old Lock", 3))

    def test_stations_stand_in_order_whatever_their_case(self):
        lines = [at(1, 1, station=name) for name in ("weir", "Öland", "Bridge", "amber")]
        names = [one["name"] for one in report(*lines)["stations"]]
        self.assertEqual(names, ["amber", "Bridge", "weir", "Öland"])

    def test_missing_levels_are_counted_and_are_no_zero(self):
        lines = [
            at(hour, text) for hour, text in enumerate(("", "NA", "n/a", "-", "-999", "2", " "))
        ]
        station = only(*lines)
        self.assertEqual((station["missing"], station["readings"], station["mean_m"]), (6, 1, 2.0))

    def test_a_station_without_a_reading_has_nothing_to_say(self):
        station = only(at(1, "NA"))
        empty = ("mean_m", "min_m", "max_m", "max_at", "largest_rise_m")
        self.assertEqual([station[name] for name in empty], [None] * 5)
        self.assertEqual((station["readings"], station["missing"], station["days"]), (0, 1, 0))

    def test_a_mark_at_the_start_of_the_file_is_no_part_of_it(self):
        self.assertEqual(report(at(1, 1), start="\ufeff")["stations"][0]["readings"], 1)


class Rejecting(unittest.TestCase):
    def reasons(self, *lines):
        return [(one["line"], one["reason"]) for one in report(at(0, 1), *lines)["rejected"]]

    def test_each_reason(self):
        said = self.reasons(
            *(
                f";{DAY} 01:00;1;m;",
                "A;yesterday;1;m;",
                at(2, 1, unit="inch"),
                at(3, "1e3"),
                at(4, "20.1"),
            ),
            *(at(5, "-1.01"), at(6, "1.2.3"), "A;2025-02-30 00:00;1;m;"),
        )
        wanted = ["station", "time", "unit", "level", "range", "range", "level", "time"]
        self.assertEqual(said, list(zip(range(3, 11), wanted, strict=True)))

    def test_the_first_thing_that_is_wrong_is_the_reason(self):
        said = self.reasons(
            ";never;x;inch;", "A;never;x;inch;", at(1, "x", unit="inch"), at(1, "", unit="inch")
        )
        self.assertEqual([reason for _, reason in said], ["station", "time", "unit", "unit"])

    def test_lines_are_counted_as_they_stand_in_the_file(self):
        said = self.reasons(
            at(1, 1, remark='"two\nlines"'),
            "",
            at(2, "x"),
            at(3, "x", remark='"a;\n\n;b"'),
            at(4, "?"),
        )
        self.assertEqual(said, [(6, "level"), (7, "level"), (10, "level")])

    def test_a_rejected_row_makes_no_station_and_no_duplicate(self):
        said = report(at(1, 1), at(1, 99), at(2, "x", station="Nowhere"))
        self.assertEqual((said["duplicates"], len(said["stations"]), said["rows"]), (0, 1, 3))


class Repeating(unittest.TestCase):
    def test_the_last_of_a_time_counts(self):
        lines = [at(1, 1), at(1, 3), "old lock;01.03.2025 01:00;250;cm;"]
        self.assertEqual((report(*lines)["duplicates"], only(*lines)["mean_m"]), (2, 2.5))

    def test_a_missing_level_replaces_none(self):
        self.assertEqual(only(at(1, 2), at(1, "NA"))["mean_m"], 2.0)
        self.assertEqual(only(at(1, "NA"), at(1, 2))["missing"], 0)


class Rising(unittest.TestCase):
    def test_a_rise_within_three_hours(self):
        self.assertEqual(only(at(0, 1), at(3, 1.5), at(4, 1.7), at(8, 5))["largest_rise_m"], 0.5)

    def test_rows_may_stand_in_any_order(self):
        self.assertEqual(only(at(4, 1.7), at(0, 1), at(3, 1.5))["largest_rise_m"], 0.5)

    def test_what_only_falls_never_rises(self):
        self.assertIsNone(only(at(0, 3), at(1, 2), at(2, 2))["largest_rise_m"])

    def test_the_highest_level_is_that_of_its_first_time(self):
        self.assertEqual(only(at(5, 3), at(2, 3), at(1, 1))["max_at"], f"{DAY}T02:00Z")


class Whole(unittest.TestCase):
    def test_random_files_say_what_was_put_into_them(self):
        for seed in range(6):
            lines, wanted = a_file(random.Random(seed))
            said = {one["name"]: one for one in report(*lines)["stations"]}
            self.assertEqual(sorted(said), sorted(wanted))
            for name, readings in wanted.items():
                levels = list(readings.values())
                self.assertEqual(said[name]["readings"], len(levels))
                self.assertAlmostEqual(said[name]["mean_m"], sum(levels) / len(levels), delta=0.002)
                self.assertAlmostEqual(said[name]["max_m"], max(levels), delta=0.002)

    def test_the_table_says_the_same_as_the_report(self):
        file = ROOT / "data" / "readings.csv"
        rows = list(csv.reader(io.StringIO(run(file, "--table")), delimiter="\t"))
        fields = (
            "name",
            "readings",
            "missing",
            "days",
            "mean_m",
            "min_m",
            "max_m",
            "largest_rise_m",
        )
        stations = json.loads(run(file))["stations"]
        wanted = [["-" if one[f] is None else str(one[f]) for f in fields] for one in stations]
        self.assertEqual(rows, wanted)

    def test_the_report_that_is_handed_in_is_that_of_the_data(self):
        handed_in = json.loads((ROOT / "report.json").read_text(encoding="utf-8"))
        self.assertEqual(handed_in, json.loads(run(ROOT / "data" / "readings.csv")))

    def test_a_file_with_columns_in_another_order(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "other.csv")
            file.write_text(f" UNIT ;Level;station;Time\ncm;150;A;{DAY} 01:00\n", encoding="utf-8")
            said = json.loads(run(file))
        self.assertEqual(said["stations"][0]["mean_m"], 1.5)


def a_file(source):
    """Lines, and the levels in metres that they mean, by station and time."""
    lines, wanted, start = [], {}, datetime(2025, 1, 1)
    for name in ("North", "South", "East"):
        for hour in range(30):
            time = start + timedelta(hours=hour)
            centimetres = source.randrange(50, 900)
            wanted.setdefault(name, {})[time] = centimetres / 100
            lines.append(a_line(source, name, time, centimetres))
            if source.random() < 0.2:
                lines.insert(0, a_line(source, name, time, source.randrange(50, 900)))
            if source.random() < 0.2:
                lines.append(a_line(source, name, time, "NA"))
    lines.sort(key=lambda line: "North" in line)
    first = lines[0].split(";")[0].strip()
    return [f"{first};never;1;m;", *lines], wanted


def a_line(source, name, time, centimetres):
    shown = source.choice(("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%MZ", "%d.%m.%Y %H:%M"))
    if centimetres == "NA":
        return f"{name};{time.strftime(shown)};NA;;"
    unit, factor = source.choice((("m", 0.01), ("cm", 1), ("mm", 10), ("ft", 1 / 30.48)))
    level = f"{centimetres * factor:.5f}".replace(".", source.choice(".,"))
    return f" {name} ;{time.strftime(shown)};{level};{unit};"


if __name__ == "__main__":
    unittest.main()
