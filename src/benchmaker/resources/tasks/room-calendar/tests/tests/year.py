"""Books a room for a year, ten times a day."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call

PROGRAM = """
from calendar_book import Calendar

def answer(days):
    room = Calendar()
    for day in range(days):
        for slot in range(10):
            room.book("ada", day * 1440 + 480 + slot * 60, day * 1440 + 530 + slot * 60)
    return [room.busy_minutes(0, days * 1440), len(room.free(days - 1))]
"""

if call(PROGRAM, 250) != [125_000, 10]:
    sys.exit("a year of bookings does not add up")
