import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call
from test_examples import PROGRAM, after

DAY = 1440


class Booking(unittest.TestCase):
    def test_numbers_count_up_and_are_never_used_again(self):
        said = after(
            ["book", "a", "ada", 540, 600], ["cancel", "a", 1], ["book", "a", "bo", 540, 600]
        )
        self.assertEqual(said, [1, None, 2])

    def test_a_booking_before_touching_one_is_taken(self):
        said = after(["book", "a", "ada", 600, 660], ["book", "a", "bo", 540, 600])
        self.assertEqual(said, [1, 2])

    def test_a_booking_around_another_is_refused(self):
        said = after(["book", "a", "ada", 600, 610], ["book", "a", "bo", 540, 660])
        self.assertEqual(said, [1, "refused"])

    def test_conflicts_names_every_booking_in_the_way(self):
        said = after(
            ["book", "a", "ada", 540, 600],
            ["book", "a", "bo", 600, 660],
            ["book", "a", "cy", 660, 720],
            ["conflicts", "a", 599, 661],
            ["conflicts", "a", 600, 660],
        )
        self.assertEqual(said[3:], [[1, 2, 3], [2]])

    def test_outside_of_hours_and_backwards_is_refused(self):
        said = after(
            ["book", "a", "ada", 479, 500],
            ["book", "a", "ada", 1000, 1081],
            ["book", "a", "ada", 600, 600],
            ["book", "a", "ada", 600, 540],
            ["book", "a", "ada", 1020, DAY + 500],
            ["book", "a", "ada", 480, 1080],
        )
        self.assertEqual(said, ["refused"] * 5 + [1])


class Moving(unittest.TestCase):
    def test_a_booking_moves_and_keeps_its_number(self):
        said = after(
            ["book", "a", "ada", 540, 600],
            ["move", "a", 1, 700, 760],
            ["conflicts", "a", 540, 600],
            ["conflicts", "a", 700, 701],
        )
        self.assertEqual(said[2:], [[], [1]])

    def test_a_booking_may_move_into_its_own_time(self):
        said = after(
            ["book", "a", "ada", 540, 600],
            ["move", "a", 1, 570, 630],
            ["busy_minutes", "a", 0, DAY],
        )
        self.assertEqual(said[1:], [None, 60])

    def test_a_move_onto_another_booking_is_refused_and_the_old_time_stays(self):
        said = after(
            ["book", "a", "ada", 540, 600],
            ["book", "a", "bo", 660, 720],
            ["move", "a", 1, 700, 760],
            ["conflicts", "a", 540, 600],
            ["cancel", "a", 1],
        )
        self.assertEqual(said[2:], ["refused", [1], None])

    def test_a_move_out_of_hours_is_refused_and_the_old_time_stays(self):
        said = after(
            ["book", "a", "ada", 540, 600],
            ["move", "a", 1, 1070, 1090],
            ["move", "a", 1, 700, 690],
            ["busy_minutes", "a", 0, DAY],
        )
        self.assertEqual(said[1:], ["refused", "refused", 60])

    def test_what_is_not_there_can_be_neither_moved_nor_cancelled(self):
        self.assertEqual(after(["move", "a", 9, 540, 600], ["cancel", "a", 9]), ["refused"] * 2)


class Free(unittest.TestCase):
    def test_an_empty_day_is_free_from_opening_to_closing(self):
        self.assertEqual(after(["free", "a", 2]), [[[2 * DAY + 480, 2 * DAY + 1080]]])

    def test_a_gap_of_exactly_the_wanted_length_counts_wherever_it_lies(self):
        said = after(
            ["book", "a", "ada", 510, 600],
            ["book", "a", "bo", 630, 1050],
            ["free", "a", 0, 30],
            ["free", "a", 0, 31],
        )
        self.assertEqual(said[2:], [[[480, 510], [600, 630], [1050, 1080]], []])

    def test_bookings_of_other_days_take_nothing(self):
        said = after(["book", "a", "ada", DAY + 540, DAY + 600], ["free", "a", 0])
        self.assertEqual(said[1], [[480, 1080]])

    def test_rooms_with_different_hours_share_what_is_open_in_both(self):
        said = after(
            ["room", "b", 540, 1200],
            ["book", "a", "ada", 600, 660],
            ["book", "b", "bo", 570, 900],
            ["shared_free", ["a", "b"]],
            ["shared_free", ["a", "b"], 0, 31],
        )
        self.assertEqual(said[3:], [[[540, 570], [900, 1080]], [[900, 1080]]])


class Merging(unittest.TestCase):
    def test_a_stretch_inside_another_does_not_shorten_it(self):
        self.assertEqual(
            after(["merged", [[0, 100], [10, 20], [120, 130]]])[0], [[0, 100], [120, 130]]
        )

    def test_nothing_merges_to_nothing(self):
        self.assertEqual(after(["merged", []]), [[]])

    def test_random_stretches_cover_the_same_minutes(self):
        source = random.Random(4)
        for _ in range(3):
            rounds = [stretches(source) for _ in range(100)]
            said = call(PROGRAM, [["merged", one] for one in rounds])
            for given, got in zip(rounds, said, strict=True):
                self.assertEqual(minutes(got), minutes(given))
                self.assertTrue(all(a[1] < b[0] for a, b in zip(got, got[1:], strict=False)))


class AgainstMinutes(unittest.TestCase):
    def test_random_days_agree_with_a_calendar_that_marks_every_minute(self):
        source = random.Random(11)
        for _ in range(4):
            steps, wanted = a_day(source)
            self.assertEqual(call(PROGRAM, [["room", "a"], *steps])[1:], wanted)


def stretches(source):
    starts = [source.randrange(60) for _ in range(source.randrange(1, 9))]
    return [[start, start + source.randrange(1, 25)] for start in starts]


def minutes(given):
    return {minute for start, end in given for minute in range(start, end)}


def a_day(source):
    """Random steps, and what they must say by a table of minutes."""
    held, steps, wanted, number = {}, [], [], 0
    for _ in range(60):
        start = source.randrange(470, 1075, 5)
        end = start + source.choice((0, 5, 10, 30, 60, 120))
        is_open = start < end and start >= 480 and end <= 1080
        if held and source.random() < 0.4:
            which = source.choice(sorted(held))
            others = {m for one, times in held.items() if one != which for m in times}
            if source.random() < 0.4:
                steps.append(["cancel", "a", which])
                wanted.append(None)
                del held[which]
                continue
            steps.append(["move", "a", which, start, end])
            is_fine = is_open and not others & set(range(start, end))
            wanted.append(None if is_fine else "refused")
            if is_fine:
                held[which] = set(range(start, end))
        else:
            steps.append(["book", "a", "ada", start, end])
            taken = {m for times in held.values() for m in times}
            is_fine = is_open and not taken & set(range(start, end))
            number += is_fine
            wanted.append(number if is_fine else "refused")
            if is_fine:
                held[number] = set(range(start, end))
        taken = {m for times in held.values() for m in times}
        steps.append(["busy_minutes", "a", 0, DAY])
        wanted.append(len(taken))
        steps.append(["free", "a", 0, 10])
        wanted.append(gaps(taken, 10))
    return steps, wanted


def gaps(taken, at_least):
    """The free stretches of a day by its minutes."""
    found, at = [], None
    for minute in range(480, 1081):
        if minute < 1080 and minute not in taken:
            at = minute if at is None else at
        elif at is not None:
            if minute - at >= at_least:
                found.append([at, minute])
            at = None
    return found


if __name__ == "__main__":
    unittest.main()
