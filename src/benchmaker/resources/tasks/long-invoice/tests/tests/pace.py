"""Prints the same big invoice some hundred times."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call
from original import invoice

PROGRAM = """
from invoice import invoice

def answer(order):
    return [invoice(order) for _ in range(200)][-1]
"""

ITEM = {"title": "Tea", "price": 450, "count": 2, "kind": "food"}
ORDER = {"number": "1", "customer": {"name": "A"}, "items": [ITEM] * 300}

if call(PROGRAM, ORDER) != invoice(ORDER):
    sys.exit("the invoice is another one")
