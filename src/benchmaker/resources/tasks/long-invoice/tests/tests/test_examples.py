import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call

PROGRAM = """
from invoice import invoice

def one(order):
    try:
        return invoice(order)
    except ValueError as wrong:
        return f"ValueError: {wrong}"

def answer(orders):
    return [one(order) for order in orders]
"""

SMALL = {
    "number": "A-1",
    "customer": {"name": "Ada"},
    "items": [{"title": "Tea", "price": 450, "count": 2, "kind": "food"}],
}
AS_TEXT = """\
INVOICE A-1
================================================
To: Ada
    DE

 1 Tea                         2            9.00
------------------------------------------------
Delivery                                    4.90
Tax 7 %                                     0.97
================================================
To pay                                     14.87
"""


class Examples(unittest.TestCase):
    def test_a_small_order(self):
        self.assertEqual(call(PROGRAM, [SMALL]), [AS_TEXT])

    def test_an_order_without_items(self):
        said = call(PROGRAM, [{**SMALL, "items": []}])
        self.assertEqual(said, ["ValueError: the order has no items"])


if __name__ == "__main__":
    unittest.main()
