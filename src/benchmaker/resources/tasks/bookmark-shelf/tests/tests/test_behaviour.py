import json
import socket
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import serving

PAGE = {"url": "https://example.org/a", "title": "A"}


class Adding(serving.WithServer):
    def errors(self, given, method="POST", path="/bookmarks"):
        status, body, _ = self.ask(method, path, given)
        self.assertEqual(status, 422, given)
        self.assertTrue(all(isinstance(one, str) and one for one in body["errors"].values()))
        return set(body["errors"])

    def test_addresses_that_are_none(self):
        wrong = (
            "",
            "example.org",
            "ftp://example.org",
            "http://",
            "https:///a",
            "javascript:alert(1)",
        )
        for url in (*wrong, "https://exa mple.org", 7, None, "https://example.org/" + "a" * 1981):
            self.assertEqual(self.errors({**PAGE, "url": url}), {"url"})

    def test_titles_that_are_none(self):
        for title in ("", "  \t", "x" * 201, 3, None, ["A"]):
            self.assertEqual(self.errors({**PAGE, "title": title}), {"title"})

    def test_tags_that_are_none(self):
        wrong = (
            "a",
            ["A"],
            ["a b"],
            [""],
            ["x" * 31],
            [1],
            [f"t{n}" for n in range(11)],
            None,
            {"a": 1},
        )
        for tags in wrong:
            self.assertEqual(self.errors({**PAGE, "tags": tags}), {"tags"})

    def test_every_fault_is_said_at_once(self):
        given = {"title": " ", "tags": 1, "colour": "red"}
        self.assertEqual(self.errors(given), {"url", "title", "tags", "colour"})

    def test_bounds_are_within(self):
        given = {"url": "https://example.org/" + "a" * 1980, "title": "ü" * 200, "tags": ["x" * 30]}
        self.assertEqual(self.ask("POST", "/bookmarks", given)[0], 201)

    def test_an_address_is_kept_once(self):
        number = self.add(1)
        status, body, _ = self.ask(
            "POST", "/bookmarks", {"url": "https://example.org/1", "title": "B"}
        )
        self.assertEqual((status, body["id"]), (409, number))

    def test_what_is_no_json_object(self):
        for raw in (b"", b"{", b"\xff\xfe", b'"text"', b"[]", b"null", b"[" * 30_000):
            status, body, _ = self.ask("POST", "/bookmarks", raw=raw)
            self.assertEqual((status, list(body)), (400, ["error"]), raw[:10])

    def test_a_body_that_is_too_large(self):
        self.assertEqual(self.early(65_537), b"413")
        fits = json.dumps(PAGE).encode()
        self.assertEqual(
            self.ask("POST", "/bookmarks", raw=fits + b" " * (65_536 - len(fits)))[0], 201
        )

    def early(self, length):
        """The status for a body of that length; the body is held back as long as it may be."""
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as one:
            head = f"POST /bookmarks HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n"
            one.sendall(head.encode())
            one.settimeout(1)
            try:
                answer = one.recv(100)
            except TimeoutError:
                one.settimeout(10)
                one.sendall(b" " * length)
                answer = one.recv(100)
            return answer.split(b" ")[1] if answer.startswith(b"HTTP/1.") else answer


class Changing(serving.WithServer):
    def test_only_what_is_given_changes(self):
        number = self.add(1, tags=["old"])
        status, body, _ = self.ask("PATCH", f"/bookmarks/{number}", {"title": " New "})
        self.assertEqual((status, body["title"], body["tags"]), (200, "New", ["old"]))
        self.assertEqual(self.ask("GET", f"/bookmarks/{number}")[1], body)

    def test_a_wrong_change_changes_nothing(self):
        number = self.add(1)
        before = self.ask("GET", f"/bookmarks/{number}")[1]
        for given in ({"title": "New", "url": "x"}, {"id": 9}, {"tags": None}):
            self.assertEqual(self.ask("PATCH", f"/bookmarks/{number}", given)[0], 422)
        self.assertEqual(self.ask("GET", f"/bookmarks/{number}")[1], before)

    def test_an_address_of_another_is_refused_and_the_own_is_not(self):
        first, second = self.add(1), self.add(2)
        status, body, _ = self.ask(
            "PATCH", f"/bookmarks/{second}", {"url": "https://example.org/1"}
        )
        self.assertEqual((status, body["id"]), (409, first))
        own = {"url": "https://example.org/2"}
        self.assertEqual(self.ask("PATCH", f"/bookmarks/{second}", own)[0], 200)

    def test_what_is_removed_is_gone_and_its_number_is_not_used_again(self):
        number = self.add(1)
        self.assertEqual(self.ask("DELETE", f"/bookmarks/{number}")[:2], (204, None))
        for method in ("GET", "DELETE", "PATCH"):
            body = {} if method == "PATCH" else None
            self.assertEqual(self.ask(method, f"/bookmarks/{number}", body)[0], 404)
        self.assertGreater(self.add(1), number)

    def test_paths_and_methods_that_are_not_there(self):
        self.add(1)
        for path in (
            "/",
            "/bookmarks/",
            "/bookmarks/0",
            "/bookmarks/x",
            "/bookmarks/1/2",
            "/Bookmarks",
        ):
            status, body, _ = self.ask("GET", path)
            self.assertEqual((status, list(body)), (404, ["error"]), path)
        allowed = {
            "/bookmarks": "GET, POST",
            "/bookmarks/1": "DELETE, GET, PATCH",
            "/health": "GET",
        }
        for path, methods in allowed.items():
            status, _, headers = self.ask("PUT", path, {})
            self.assertEqual((status, headers["Allow"]), (405, methods))


class Listing(serving.WithServer):
    def setUp(self):
        super().setUp()
        for number in range(1, 26):
            self.add(number, tags=["even"] if number % 2 == 0 else [], title=f"Page {number:02} Ä")

    def listed(self, query):
        status, body, _ = self.ask("GET", f"/bookmarks?{query}")
        self.assertEqual(status, 200)
        return body

    def test_the_newest_come_first_twenty_at_a_time(self):
        first, second = self.listed(""), self.listed("page=2")
        numbers = [one["id"] for one in first["items"] + second["items"]]
        self.assertEqual(numbers, list(range(25, 0, -1)))
        self.assertEqual((len(first["items"]), first["total"], first["pages"]), (20, 25, 2))

    def test_pages_of_other_sizes(self):
        body = self.listed("per_page=7&page=4")
        self.assertEqual([one["id"] for one in body["items"]], [4, 3, 2, 1])
        self.assertEqual((body["page"], body["per_page"], body["pages"]), (4, 7, 4))

    def test_a_page_after_the_last_is_empty(self):
        body = self.listed("page=9")
        self.assertEqual((body["items"], body["total"], body["page"]), ([], 25, 9))

    def test_a_tag_and_a_text_narrow_it_down(self):
        self.assertEqual(self.listed("tag=even&per_page=5")["total"], 12)
        self.assertEqual([one["id"] for one in self.listed("q=PAGE%2007")["items"]], [7])
        self.assertEqual(self.listed("q=%C3%A4")["total"], 25)
        self.assertEqual([one["id"] for one in self.listed("q=.ORG/25")["items"]], [25])
        self.assertEqual(self.listed("q=2&tag=even")["total"], 5)
        self.assertEqual(self.listed("tag=eve")["total"], 0)

    def test_parameters_out_of_bounds(self):
        for query, name in (
            *(("page=0", "page"), ("page=-1", "page"), ("page=x", "page"), ("page=", "page")),
            *(
                ("per_page=0", "per_page"),
                ("per_page=101", "per_page"),
                ("per_page=1.5", "per_page"),
            ),
            ("sort=title", "sort"),
        ):
            status, body, _ = self.ask("GET", f"/bookmarks?{query}")
            self.assertEqual((status, list(body["errors"])), (422, [name]), query)


class Keeping(serving.WithServer):
    def test_everything_answered_survives_a_kill(self):
        for number in range(5):
            self.add(number, title=f"Straße {number}")
        self.ask("DELETE", "/bookmarks/5")
        self.ask("PATCH", "/bookmarks/2", {"tags": ["kept"]})
        before = self.ask("GET", "/bookmarks")[1]
        self.server.stop()
        self.server.start()
        self.assertEqual(self.ask("GET", "/bookmarks")[1], before)
        self.assertEqual(self.add(99), 6)

    def test_many_at_once_get_numbers_of_their_own(self):
        with ThreadPoolExecutor(8) as pool:
            numbers = list(pool.map(self.add, range(40)))
        self.assertEqual(sorted(numbers), list(range(1, 41)))

    def test_the_same_address_at_once_is_kept_once(self):
        def post(_):
            return self.ask("POST", "/bookmarks", PAGE)[0]

        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(sorted(pool.map(post, range(16))), [201] + [409] * 15)

    def test_somebody_slow_keeps_nobody_waiting(self):
        with socket.create_connection(("127.0.0.1", self.server.port), 5) as slow:
            slow.sendall(b"POST /bookmarks HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{")
            self.assertEqual(self.ask("GET", "/health")[1], {"status": "ok", "bookmarks": 0})

    def test_answers_are_json_and_say_so(self):
        self.add(1)
        for path in ("/health", "/bookmarks", "/bookmarks/1", "/bookmarks/7", "/no"):
            kind = self.ask("GET", path)[2]["Content-Type"]
            self.assertEqual(kind.lower().replace(" ", ""), "application/json;charset=utf-8")


if __name__ == "__main__":
    unittest.main()
