import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call

PROGRAM = """
from calendar_book import Calendar, Refused, merged, shared_free

def answer(steps):
    rooms, said = {}, []
    for name, *words in steps:
        try:
            if name == "room":
                rooms[words[0]] = Calendar(*words[1:])
                said.append(None)
            elif name == "merged":
                said.append(merged([tuple(one) for one in words[0]]))
            elif name == "shared_free":
                said.append(shared_free([rooms[one] for one in words[0]], *words[1:]))
            else:
                said.append(getattr(rooms[words[0]], name)(*words[1:]))
        except Refused:
            said.append("refused")
    return said
"""


def after(*steps):
    """What each step says, from a calendar for room "a" that is open from 8 to 18."""
    return call(PROGRAM, [["room", "a"], *steps])[1:]


class Examples(unittest.TestCase):
    def test_a_room_that_is_taken_is_refused(self):
        said = after(["book", "a", "ada", 540, 600], ["book", "a", "bo", 570, 630])
        self.assertEqual(said, [1, "refused"])

    def test_one_booking_may_begin_when_another_ends(self):
        said = after(["book", "a", "ada", 540, 600], ["book", "a", "bo", 600, 660])
        self.assertEqual(said, [1, 2])

    def test_stretches_that_touch_become_one(self):
        self.assertEqual(after(["merged", [[60, 90], [30, 60]]]), [[[30, 90]]])


if __name__ == "__main__":
    unittest.main()
