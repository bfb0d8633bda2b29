import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from page import contrast, rules, text_of

NAMES = ("--text", "--background", "--accent", "--accent-text", "--error")
DARK = "(prefers-color-scheme: dark)"


class Style(unittest.TestCase):
    def setUp(self):
        self.rules = rules(text_of("styles.css"))

    def colours(self, *, is_dark):
        found = {}
        for one in self.rules:
            if one.selector == ":root" and (not one.media or (is_dark and DARK in one.media)):
                found |= {name: value for name, value in one.given if name in NAMES}
        self.assertEqual(set(found), set(NAMES))
        return found

    def enough(self, colours):
        self.assertGreaterEqual(contrast(colours["--text"], colours["--background"]), 7)
        self.assertGreaterEqual(contrast(colours["--accent-text"], colours["--accent"]), 4.5)
        self.assertGreaterEqual(contrast(colours["--error"], colours["--background"]), 4.5)
        self.assertGreaterEqual(contrast(colours["--accent"], colours["--background"]), 3)

    def test_light_colours_can_be_read(self):
        self.enough(self.colours(is_dark=False))

    def test_dark_colours_can_be_read_and_are_others(self):
        dark, light = self.colours(is_dark=True), self.colours(is_dark=False)
        self.enough(dark)
        self.assertNotEqual(dark["--background"], light["--background"])

    def test_the_body_uses_the_named_colours(self):
        body = [one for one in self.rules if one.selector == "body" and not one.media]
        self.assertIn("var(--text)", [one.get("color") for one in body])
        used = [one.get("background-color") or one.get("background") for one in body]
        self.assertIn("var(--background)", used)

    def test_colours_are_named_and_nowhere_else_written(self):
        for one in self.rules:
            for name, value in one.given:
                if not name.startswith("--"):
                    self.assertNotRegex(
                        value, r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|color)a?\("
                    )

    def test_the_focus_can_be_seen(self):
        shown = [
            one.get("outline")
            for one in self.rules
            if ":focus-visible" in one.selector and not one.media
        ]
        widths = [re.match(r"(\d+)px solid var\(--[a-z-]+\)$", value or "") for value in shown]
        self.assertTrue(any(one and int(one[1]) >= 2 for one in widths), shown)
        for one in self.rules:
            self.assertNotIn(one.get("outline"), ("none", "0"))
            self.assertNotIn(one.get("outline-style"), ("none",))

    def test_text_grows_with_the_readers_wish(self):
        sizes = [value for one in self.rules for name, value in one.given if name == "font-size"]
        self.assertTrue(sizes)
        self.assertFalse(
            [
                one
                for one in sizes
                if not re.fullmatch(r"[\d.]+(?:rem|em|%)|inherit|clamp\(.*\)", one)
            ]
        )

    def test_targets_are_large_enough(self):
        for wanted in ("input", "button", "textarea"):
            heights = [one.get("min-height") or "" for one in self.rules if one.selector == wanted]
            found = [re.fullmatch(r"([\d.]+)rem", one) for one in heights]
            self.assertTrue(any(one and float(one[1]) >= 2.75 for one in found), wanted)

    def test_lines_do_not_grow_too_long(self):
        widths = [
            re.fullmatch(r"([\d.]+)rem", one.get("max-width") or "")
            for one in self.rules
            if one.selector == "main"
        ]
        self.assertTrue(any(one and 20 <= float(one[1]) <= 50 for one in widths))

    def test_those_who_want_no_motion_get_none(self):
        still = [one for one in self.rules if "(prefers-reduced-motion: reduce)" in one.media]
        self.assertTrue(any((one.get("transition") or "").startswith("none") for one in still))

    def test_what_is_hidden_stays_hidden(self):
        shown = [one.get("display") for one in self.rules if "[hidden]" in one.selector]
        self.assertEqual([one for one in shown if one and not one.startswith("none")], [])
        self.assertTrue(shown)


if __name__ == "__main__":
    unittest.main()
