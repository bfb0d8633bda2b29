"""Says what a messy file of river gauge readings holds: ``report.py FILE [--table]``."""

import csv
import io
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

FORMATS = ("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%MZ", "%d.%m.%Y %H:%M")
METRES = {"": 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048}
MISSING = {"", "na", "n/a", "-", "-999"}
LEVEL = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
COLUMNS = ("name", "readings", "missing", "days", "mean_m", "min_m", "max_m", "largest_rise_m")
LOWEST, HIGHEST = -1.0, 20.0
NEAR = timedelta(hours=3)


class Rejected(Exception):
    """A row that can't be used; the text is the reason."""


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    report = reported(Path(sys.argv[1]))
    if "--table" in sys.argv[2:]:
        for one in report["stations"]:
            print(*("-" if one[field] is None else one[field] for field in COLUMNS), sep="\t")
    else:
        print(json.dumps(report, indent=2, ensure_ascii=False))


def reported(path):
    """The report on a file."""
    names, levels, rejected, rows, duplicates = {}, {}, [], 0, 0
    for line, row in numbered(path):
        rows += 1
        try:
            station, time, level = read(row)
        except Rejected as why:
            rejected.append({"line": line, "reason": str(why)})
            continue
        key = station.casefold()
        names.setdefault(key, station)
        known = levels.setdefault(key, {})
        duplicates += time in known
        if level is not None or time not in known:
            known[time] = level
    stations = [summary(names[key], levels[key]) for key in sorted(names)]
    return {"rows": rows, "duplicates": duplicates, "rejected": rejected, "stations": stations}


def numbered(path):
    """Each row with the line it begins in; empty lines are no rows."""
    text = path.read_text(encoding="utf-8-sig")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    header = [name.strip().lower() for name in next(reader, [])]
    before = reader.line_num
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield before + 1, dict(zip(header, cells, strict=False))
        before = reader.line_num


def read(row):
    """Station, time and level in metres of a row; no level is None."""
    station = " ".join((row.get("station") or "").split())
    if not station:
        raise Rejected("station")
    time = read_time(" ".join((row.get("time") or "").split()))
    unit = (row.get("unit") or "").strip().lower()
    if unit not in METRES:
        raise Rejected("unit")
    text = (row.get("level") or "").strip()
    if text.lower() in MISSING:
        return station, time, 0.0
    if not LEVEL.fullmatch(text):
        raise Rejected("level")
    level = float(text.replace(",", ".")) * METRES[unit]
    if not LOWEST <= level <= HIGHEST:
        raise Rejected("range")
    return station, time, level


def read_time(text):
    for form in FORMATS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise Rejected("time")


def summary(name, levels):
    """What one station's readings come to."""
    known = {time: level for time, level in sorted(levels.items()) if level is not None}
    made = {"name": name, "readings": len(known), "missing": len(levels) - len(known)}
    made["days"] = len({time.date() for time in known})
    if not known:
        nothing = ("mean_m", "min_m", "max_m", "max_at", "largest_rise_m")
        return made | dict.fromkeys(nothing)
    highest = max(known.values())
    at = min(time for time, level in known.items() if level == highest)
    return made | {
        "mean_m": round(sum(known.values()) / len(known), 3),
        "min_m": round(min(known.values()), 3),
        "max_m": round(highest, 3),
        "max_at": at.strftime("%Y-%m-%dT%H:%MZ"),
        "largest_rise_m": largest_rise(list(known.items())),
    }


def largest_rise(readings):
    """By how much the level rose most from one reading to the next, at most three hours later."""
    pairs = zip(readings, readings[1:], strict=False)
    rises = [b[1] - a[1] for a, b in pairs if b[0] - a[0] <= NEAR and b[1] > a[1]]
    return round(max(rises), 3) if rises else None


if __name__ == "__main__":
    main()
