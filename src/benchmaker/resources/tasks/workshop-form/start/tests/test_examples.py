import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from page import Tree, text_of


class Examples(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(text_of("index.html"))

    def test_the_page_is_well_formed(self):
        self.assertEqual(self.tree.faults, [])
        self.assertEqual(self.tree.doctype, "doctype html")

    def test_there_is_one_form_that_books(self):
        (form,) = self.tree.root.all("form")
        self.assertEqual(
            (form["id"], form["method"], form["action"]), ("booking", "post", "/bookings")
        )

    def test_no_code_and_no_style_stands_in_the_page(self):
        for one in self.tree.root.all():
            self.assertFalse(
                [name for name in one.given if name.startswith("on") or name == "style"]
            )
            self.assertFalse(one.tag == "style" or (one.tag == "script" and one.text()))


if __name__ == "__main__":
    unittest.main()
