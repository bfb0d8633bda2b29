import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from page import Tree, called, script, text_of

PAIRS = {")": "(", "]": "[", "}": "{"}
DANGEROUS = {
    "eval",
    "Function",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "alert",
    "confirm",
    "fetch",
    "XMLHttpRequest",
    "setTimeout",
}


class Script(unittest.TestCase):
    def setUp(self):
        self.tokens = script(text_of("form.js"))
        self.words = {word for kind, word in self.tokens if kind == "word"}
        self.calls = list(called(self.tokens))

    def test_brackets_and_quotes_match(self):
        open_ones = []
        for kind, word in self.tokens:
            if kind == "sign" and word in "([{":
                open_ones.append(word)
            elif kind == "sign" and word in PAIRS:
                self.assertTrue(open_ones and open_ones.pop() == PAIRS[word], word)
            self.assertFalse(kind == "sign" and word in "\"'`")
        self.assertEqual(open_ones, [])

    def test_nothing_dangerous_is_used(self):
        self.assertEqual(self.words & DANGEROUS, set())
        self.assertFalse([first for name, first in self.calls if name == "write"])

    def test_it_listens_and_holds_back_what_is_wrong(self):
        self.assertIn(("addEventListener", "submit"), self.calls)
        self.assertIn(("addEventListener", "input"), self.calls)
        self.assertIn("preventDefault", [name for name, _ in self.calls])
        self.assertTrue({"validity", "checkValidity"} & self.words)

    def test_it_says_what_is_wrong(self):
        self.assertIn(("setAttribute", "aria-invalid"), self.calls)
        self.assertIn(("removeAttribute", "aria-invalid"), self.calls)
        self.assertIn("focus", [name for name, _ in self.calls])
        self.assertIn("textContent", self.words)
        self.assertIn("hidden", self.words)

    def test_what_it_looks_for_is_in_the_page(self):
        known = {one["id"] for one in Tree(text_of("index.html")).root.all() if one["id"]}
        wanted = {
            first for name, first in self.calls if name == "getElementById" and "$" not in first
        }
        wanted |= {
            match[1]
            for name, first in self.calls
            if name == "querySelector" and (match := re.fullmatch(r"#([\w-]+)", first))
        }
        self.assertTrue({"booking", "summary", "status"} <= wanted, wanted)
        self.assertEqual({one for one in wanted if one} - known, set())

    def test_names_are_declared_and_bound_to_this_script(self):
        self.assertNotIn("var", self.words)
        self.assertTrue({"const", "let"} & self.words)
        strict = self.tokens and self.tokens[0] in (
            ("text", '"use strict"'),
            ("text", "'use strict'"),
        )
        kinds = {one["type"] for one in Tree(text_of("index.html")).root.all("script")}
        self.assertTrue(strict or "module" in kinds)


if __name__ == "__main__":
    unittest.main()
