import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import serving


class Examples(serving.WithServer):
    def test_an_empty_shelf(self):
        status, body, _ = self.ask("GET", "/bookmarks")
        self.assertEqual(status, 200)
        self.assertEqual(body, {"items": [], "page": 1, "per_page": 20, "total": 0, "pages": 0})

    def test_a_bookmark_is_kept(self):
        given = {"url": "https://example.org/a", "title": " A page ", "tags": ["b", "a", "b"]}
        status, body, headers = self.ask("POST", "/bookmarks", given)
        wanted = {"id": 1, "url": "https://example.org/a", "title": "A page", "tags": ["a", "b"]}
        self.assertEqual((status, body), (201, wanted))
        self.assertEqual(headers["Location"], "/bookmarks/1")
        self.assertEqual(self.ask("GET", "/bookmarks/1")[:2], (200, wanted))

    def test_a_title_is_needed(self):
        status, body, _ = self.ask("POST", "/bookmarks", {"url": "https://example.org"})
        self.assertEqual((status, list(body["errors"])), (422, ["title"]))


if __name__ == "__main__":
    unittest.main()
