"""The contract of pages must fail whoever breaks it; one page has all faults, served once."""

from typing import ClassVar

import pytest
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from benchmaker.plugins import web_page
from benchmaker.testing import PageContract
from benchmaker.testing.page_contract import _Seen
from tests.testing.test_contracts import failing

router = APIRouter()


@router.get("/bm-faulty")
def faulty(request: Request) -> HTMLResponse:
    words = request.query_params.get("q", "")
    return HTMLResponse(f"<title>Faulty</title><script>1</script><main>{words}</main>")


@router.get("/bm-faulty/file")
def file() -> None:
    raise ValueError("no file")


@web_page
class Faulty:
    """no sentence"""

    routes: ClassVar = router
    palette: ClassVar = {"Nowhere": "/bm-faulty/nowhere"}


def test_each_fault_is_caught_by_the_test_it_belongs_to():
    contract = type("Contract", (PageContract,), {"page": Faulty})()
    assert failing(contract) == {
        "test_its_docstring_begins_with_a_sentence",
        "test_it_is_a_whole_document",
        "test_nothing_in_it_is_refused_by_the_browser",
        "test_what_an_address_says_is_escaped",
        "test_its_links_lead_to_it",
        "test_its_other_addresses_answer",
    }


def test_a_page_that_can_not_be_served_says_why():
    page = web_page(type("Nowhere", (), {"routes": APIRouter(), "__module__": __name__}))
    contract = type("Contract", (PageContract,), {"page": page})()
    with pytest.raises(AssertionError, match=r"did not start: .*no class 'Nowhere'"):
        contract.test_its_role_may_read_it_and_those_below_may_not()


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ('<script src="/a.js"></script><img src="data:,">', []),
        ("<script>1</script>", ["<script> inside the page"]),
        ('<p style="x">', ["the attribute style of <p>"]),
        ('<p onclick="x">', ["the attribute onclick of <p>"]),
        ('<a href=" javascript:x">', ["a script in href of <a>"]),
        ('<script src="//other.example/a.js"></script>', ["//other.example/a.js in <script>"]),
        (
            '<link rel="stylesheet" href="https://x.example/a.css">',
            ["https://x.example/a.css in <link>"],
        ),
        ('<iframe src="/a"></iframe>', ["<iframe>"]),
    ],
)
def test_what_a_browser_refuses_is_named(text, refused):
    assert _Seen.of(text).refused == refused
