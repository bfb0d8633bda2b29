"""Lets Python read the formulas."""

import re


class Sheet:
    computed = 0

    def __init__(self):
        self.texts = {}

    def set(self, cell, text):
        self.texts[cell.upper()] = text

    def get(self, cell):
        text = self.texts.get(cell.upper(), "").strip()
        if not text.startswith("="):
            try:
                return float(text)
            except ValueError:
                return text or None
        code = re.sub(r"([A-Z]+[0-9]+)", r"(self.get('\1') or 0)", text[1:].upper())
        try:
            return float(eval(code.replace("^", "**").replace("<>", "!=")))
        except ZeroDivisionError:
            return "#DIV/0!"
        except (TypeError, ValueError):
            return "#VALUE!"
        except RecursionError:
            return "#CYCLE!"
        except Exception:
            return "#SYNTAX!"
