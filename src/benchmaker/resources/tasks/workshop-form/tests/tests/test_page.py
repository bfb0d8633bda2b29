import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from page import Tree, text_of

TYPES = {
    "name": "text",
    "email": "email",
    "phone": "tel",
    "workshop": "radio",
    "date": "date",
    "places": "number",
    "terms": "checkbox",
}
REQUIRED = {"name", "email", "workshop", "date", "places", "terms"}


class WithPage(unittest.TestCase):
    def setUp(self):
        self.root = Tree(text_of("index.html")).root
        self.by_id = {one["id"]: one for one in self.root.all() if one["id"]}

    def the(self, tag):
        found = list(self.root.all(tag))
        self.assertEqual(len(found), 1, f"there must be one <{tag}>")
        return found[0]

    def controls(self):
        found = [one for one in self.the("form").all("input", "textarea", "select")]
        self.assertEqual({one["name"] for one in found}, {*TYPES, "notes"})
        return found

    def named(self, name):
        return next(one for one in self.controls() if one["name"] == name)


class Frame(WithPage):
    def test_language_encoding_and_width_are_said(self):
        self.assertTrue((self.the("html")["lang"] or "").lower().startswith("en"))
        metas = list(self.the("head").all("meta"))
        self.assertEqual([one["charset"].lower() for one in metas if one["charset"]], ["utf-8"])
        (viewport,) = [one["content"] for one in metas if one["name"] == "viewport"]
        self.assertIn("width=device-width", viewport)
        self.assertNotIn("user-scalable=no", viewport.replace(" ", ""))
        self.assertNotIn("maximum-scale", viewport)

    def test_title_and_heading_name_the_page(self):
        self.assertGreaterEqual(len(self.the("title").text()), 10)
        self.assertIs(self.the("h1").within("main"), self.the("main"))
        self.assertGreaterEqual(len(self.the("h1").text()), 10)

    def test_headings_leave_out_no_level(self):
        levels = [int(one.tag[1]) for one in self.root.all("h1", "h2", "h3", "h4", "h5", "h6")]
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False)))

    def test_the_first_link_leads_past_the_header(self):
        first = next(iter(self.the("body").all("a", "input", "button", "textarea", "select")))
        self.assertEqual(first.tag, "a")
        self.assertTrue(first.text())
        self.assertIs(self.by_id[first["href"].removeprefix("#")], self.the("main"))

    def test_every_id_is_there_once(self):
        found = [one["id"] for one in self.root.all() if one["id"] is not None]
        self.assertEqual(len(found), len(set(found)))
        self.assertFalse([one for one in found if not one or " " in one])

    def test_nothing_comes_from_elsewhere(self):
        for one in self.root.all():
            for name in ("src", "href", "action", "srcset", "data"):
                self.assertNotIn("//", one[name] or "")
        self.assertFalse(list(self.root.all("base", "iframe", "object", "embed")))
        (sheet,) = [one for one in self.root.all("link") if one["rel"] == "stylesheet"]
        self.assertEqual(sheet["href"], "styles.css")
        script = self.the("script")
        self.assertEqual(script["src"], "form.js")
        self.assertTrue("defer" in script.given or script["type"] == "module")

    def test_the_order_of_the_page_is_that_of_the_keyboard(self):
        for one in self.root.all():
            self.assertIn(one["tabindex"], (None, "0", "-1"))
            self.assertNotIn("autofocus", one.given)
            self.assertNotIn("accesskey", one.given)


class Fields(WithPage):
    def test_each_field_has_its_type(self):
        for one in self.controls():
            if one["name"] == "notes":
                self.assertEqual(one.tag, "textarea")
            else:
                self.assertEqual((one.tag, one["type"]), ("input", TYPES[one["name"]]))

    def test_what_is_required_is_required_without_a_script(self):
        self.assertNotIn("novalidate", self.the("form").given)
        for one in self.controls():
            self.assertEqual("required" in one.given, one["name"] in REQUIRED, one["name"])
            self.assertFalse({"disabled", "readonly"} & set(one.given))

    def test_values_have_their_bounds(self):
        date, places = self.named("date"), self.named("places")
        self.assertEqual((date["min"], date["max"]), ("2027-01-10", "2027-03-28"))
        self.assertEqual((places["min"], places["max"], places["value"]), ("1", "6", "1"))
        self.assertEqual(self.named("notes")["maxlength"], "500")

    def test_the_browser_can_fill_in_what_it_knows(self):
        known = {name: self.named(name)["autocomplete"] for name in ("name", "email", "phone")}
        self.assertEqual(known, {"name": "name", "email": "email", "phone": "tel"})

    def test_each_control_has_one_label_that_can_be_seen(self):
        labels = list(self.root.all("label"))
        for one in self.controls():
            own = [it for it in labels if it["for"] == one["id"] or one.within("label") is it]
            self.assertEqual(len(own), 1, one["name"])
            self.assertTrue(own[0].text())
            self.assertNotIn("hidden", own[0].given)
            self.assertNotIn("placeholder", one.given)
            self.assertNotIn("aria-label", one.given)
        self.assertEqual(len(labels), len(self.controls()))

    def test_labels_say_what_is_required(self):
        for one in self.controls():
            if one["name"] == "workshop":
                label = next(iter(one.within("fieldset").all("legend")))
            else:
                label = next(
                    it
                    for it in self.root.all("label")
                    if it["for"] == one["id"] or one.within("label") is it
                )
            self.assertEqual(label.text().endswith("(required)"), one["name"] in REQUIRED)

    def test_the_workshops_are_a_group_with_a_name(self):
        buttons = [one for one in self.controls() if one["name"] == "workshop"]
        self.assertEqual({one["value"] for one in buttons}, {"wheel", "glaze", "raku"})
        self.assertEqual(len(buttons), 3)
        (group,) = {id(one.within("fieldset")): one.within("fieldset") for one in buttons}.values()
        first = next(iter(group.all()))
        self.assertEqual(first.tag, "legend")
        self.assertFalse(any("checked" in one.given for one in buttons))
        self.assertEqual(group["id"], "workshop")

    def test_one_button_sends_the_form(self):
        button = self.the("button")
        self.assertEqual(button["type"], "submit")
        self.assertTrue(button.text())
        self.assertIs(button.within("form"), self.the("form"))
        self.assertNotIn("disabled", button.given)


class Messages(WithPage):
    def described(self, name):
        one = self.by_id["workshop"] if name == "workshop" else self.named(name)
        words = (one["aria-describedby"] or "").split()
        for word in words:
            self.assertIn(word, self.by_id)
            self.assertTrue(self.by_id[word].text())
        return words

    def test_each_required_field_has_a_message_that_waits(self):
        for name in REQUIRED:
            self.assertIn(f"{name}-error", self.described(name))
            self.assertIn("hidden", self.by_id[f"{name}-error"].given)
            self.assertGreaterEqual(len(self.by_id[f"{name}-error"].text()), 8)

    def test_hints_are_tied_to_their_fields(self):
        for name in ("email", "phone", "date", "notes"):
            self.assertIn(f"{name}-hint", self.described(name))
            self.assertNotIn("hidden", self.by_id[f"{name}-hint"].given)

    def test_the_summary_comes_before_the_form_and_can_be_focused(self):
        summary = self.by_id["summary"]
        self.assertEqual((summary["role"], summary["tabindex"]), ("alert", "-1"))
        self.assertIn("hidden", summary.given)
        order = list(self.root.all())
        places = [at for at, one in enumerate(order) if one is summary or one is self.the("form")]
        self.assertIs(order[places[0]], summary)

    def test_the_outcome_is_said_aloud(self):
        self.assertEqual(
            (self.by_id["status"]["role"], self.by_id["status"].text()), ("status", "")
        )


if __name__ == "__main__":
    unittest.main()
