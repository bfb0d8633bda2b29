"""What the invoice said before its function was split, it must say after."""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call
from original import invoice
from test_examples import PROGRAM

TITLES = ("Tea", "A very long title that does not fit", "x" * 24, "y" * 25, "Lamp", "Straße ✓")
KINDS = ("book", "food", "voucher", "other")
COUNTRIES = ("DE", "FR", "CH", "US")
WORDS = ("please", "ring", "twice", "a" * 60, "the", "backdoor", "b" * 48, "c" * 49)


def before(order):
    try:
        return invoice(order)
    except ValueError as wrong:
        return f"ValueError: {wrong}"


def item(source):
    return {
        "title": source.choice(TITLES),
        "price": source.choice((0, 1, 99, 333, 1999, 12_345)),
        "count": source.choice((1, 2, 4, 5, 19, 20, 99, 100)),
        "kind": source.choice(KINDS),
        "grams": source.choice((0, 10, 500, 1999)),
    }


def order(source, **fixed):
    customer = {"name": " Ada ", "country": source.choice(COUNTRIES)}
    for name, value in (("company", "Looms"), ("tax_number", "X1"), ("member", True)):
        if source.random() < 0.4:
            customer[name] = value
    customer["orders_before"] = source.choice((0, 3))
    made = {
        "number": " N-7",
        "customer": customer,
        "items": [item(source) for _ in range(source.randrange(1, 6))],
        "coupon": source.choice((None, None, "WELCOME", "READER", "HALF", "OLD")),
        "express": source.random() < 0.3,
        "pickup": source.random() < 0.2,
    }
    if source.random() < 0.4:
        made["note"] = " ".join(source.choice(WORDS) for _ in range(source.randrange(1, 20)))
    return {**made, **fixed}


class Behaviour(unittest.TestCase):
    def same(self, orders):
        for given, got in zip(orders, call(PROGRAM, orders), strict=True):
            self.assertEqual(got, before(given), given)

    def many(self, seed, country=None, **fixed):
        source = random.Random(seed)
        made = [order(source, **fixed) for _ in range(200)]
        for one in made:
            if country:
                one["customer"]["country"] = country
        self.same(made)
        return made

    def test_orders_to_germany(self):
        self.many(1, "DE")

    def test_orders_to_france_and_tax_owed_by_the_customer(self):
        self.many(2, "FR")

    def test_orders_to_switzerland_and_what_is_paid_in_cash(self):
        self.many(3, "CH")

    def test_orders_overseas_by_weight(self):
        self.many(4, "US", pickup=False)

    def test_welcome_coupons(self):
        self.many(5, coupon="WELCOME")

    def test_reader_coupons(self):
        self.many(6, coupon="READER")

    def test_half_coupons(self):
        self.many(7, coupon="HALF")

    def test_coupons_that_nobody_knows(self):
        self.many(8, coupon="SPRING")

    def test_orders_that_are_fetched(self):
        self.many(9, pickup=True)

    def test_express_orders(self):
        self.many(10, express=True)

    def test_notes_are_wrapped(self):
        self.many(11, note=" ".join(WORDS) + " " + "d" * 100 + "  end ")

    def test_mixed_orders(self):
        for seed in range(12, 16):
            self.many(seed)

    def test_discounts_begin_at_five_twenty_and_a_hundred(self):
        counts = (1, 4, 5, 19, 20, 99, 100, 250)
        base = {"number": "1", "customer": {"name": "A"}}
        self.same(
            [
                {**base, "items": [{"title": "T", "price": 777, "count": count, "kind": kind}]}
                for count in counts
                for kind in KINDS
            ]
        )

    def test_delivery_changes_at_its_bounds(self):
        self.same(
            [
                {
                    "number": "1",
                    "customer": {"name": "A", "country": country},
                    "items": [{"title": "T", "price": price, "grams": grams}],
                }
                for country in COUNTRIES
                for price in (4899, 4900, 9899, 9900)
                for grams in (1999, 2000, 2001, 4999, 5000, 5001, 6000, 6001)
            ]
        )

    def test_everything_that_is_wrong_with_an_order_is_said_as_before(self):
        good = {"number": "1", "customer": {"name": "A"}, "items": [{"title": "T", "price": 1}]}
        wrong = [None, [], {}, {**good, "number": " "}, {**good, "number": 7}]
        wrong += [{**good, "customer": who} for who in (None, {}, {"name": ""}, {"name": 4})]
        wrong += [{**good, "customer": {"name": "A", "country": where}} for where in ("GB", None)]
        wrong += [{**good, "items": them} for them in (None, [], {}, [4], [{}])]
        wrong += [
            {
                **good,
                "items": [{"title": "T", "price": 1}, {"title": title, "price": price, "count": n}],
            }
            for title, price, n in (
                ("", 1, 1),
                (None, 1, 1),
                ("T", -1, 1),
                ("T", 1.5, 1),
                ("T", True, 1),
                ("T", 1, 0),
                ("T", 1, "2"),
                ("T", 1, True),
            )
        ]
        self.same(wrong)

    def test_an_order_is_not_changed_and_gives_the_same_twice(self):
        program = PROGRAM.replace("def answer(orders):", "def once(orders):")
        program += (
            "import copy\n"
            "def answer(orders):\n"
            "    kept = copy.deepcopy(orders)\n"
            "    return [once(orders) == once(orders), kept == orders]\n"
        )
        source = random.Random(20)
        self.assertEqual(call(program, [order(source) for _ in range(100)]), [True, True])


if __name__ == "__main__":
    unittest.main()
