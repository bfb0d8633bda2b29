import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path.cwd()


def run(file, *options):
    """What ``report.py`` prints for a file; an AssertionError when it ends otherwise."""
    done = subprocess.run(
        [sys.executable, "-I", "-B", str(ROOT / "report.py"), str(file), *options],
        capture_output=True,
        timeout=20,
        check=False,
    )
    if done.returncode or not done.stdout:
        raise AssertionError(f"it ended with {done.returncode}: {done.stderr[-2000:].decode()}")
    return done.stdout.decode("utf-8")


def report(*lines, start=""):
    """The report on a file of these lines, below the usual header."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "given.csv")
        text = "\n".join(["Station;Time;Level;Unit;Remark", *lines])
        file.write_text(start + text + "\n", encoding="utf-8")
        return json.loads(run(file))


class Examples(unittest.TestCase):
    def test_one_reading(self):
        wanted = {"name": "Mill Bridge", "readings": 1, "missing": 0, "days": 1}
        wanted |= {"mean_m": 1.25, "min_m": 1.25, "max_m": 1.25, "largest_rise_m": None}
        wanted |= {"max_at": "2025-03-01T06:00Z"}
        self.assertEqual(
            report("Mill Bridge;01.03.2025 06:00;125;cm;"),
            {"rows": 1, "duplicates": 0, "rejected": [], "stations": [wanted]},
        )

    def test_a_row_without_a_station_is_rejected(self):
        said = report("Mill Bridge;01.03.2025 06:00;125;cm;", ";01.03.2025 06:00;1,2;m;")
        self.assertEqual(said["rejected"], [{"line": 3, "reason": "station"}])

    def test_the_table_of_a_file(self):
        said = run(ROOT / "data" / "readings.csv", "--table").splitlines()
        self.assertEqual([one.split("\t")[0] for one in said][-1], "Upper Weir")


if __name__ == "__main__":
    unittest.main()
