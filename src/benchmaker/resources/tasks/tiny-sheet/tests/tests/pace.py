"""A chain of 20,000 cells, and many small edits beside it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call

PROGRAM = """
from sheet import Sheet

def answer(length):
    sheet, said = Sheet(), []
    sheet.set("A1", "1")
    for row in range(2, length + 1):
        sheet.set(f"A{row}", f"=A{row - 1}+1")
    said.append(sheet.get(f"A{length}"))
    sheet.set("B1", f"=SUM(A1:A{length // 10})")
    before = sheet.computed
    for edit in range(1000):
        sheet.set(f"A{length - 1}", str(edit))
        sheet.set("C1", "=B1")
        said.append(sheet.get(f"A{length}") + 0 * sheet.get("C1"))
    said.append(sheet.computed - before)
    return [said[0], said[-2], said[-1]]
"""

if call(PROGRAM, 20_000) != [20_000.0, 1000.0, 2001]:
    sys.exit("the chain does not add up, or was computed too often")
