import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.code.extract.blocks import text_of
from benchmaker.arenas.code.extract.fences import scan

LINES = st.text(st.characters(blacklist_characters="`~\r\n<", blacklist_categories=["Cs"]))


def contents(text):
    return [text_of(text, fence.spans) for fence in scan(text).fences]


@given(st.lists(LINES), st.sampled_from("`~"), st.integers(3, 6), st.sampled_from(["\n", "\r\n"]))
def test_what_stands_between_two_marks_is_found_to_the_letter(lines, char, length, newline):
    body = "".join(line + newline for line in lines)
    text = f"Look:{newline}{char * length}html{newline}{body}{char * length}{newline}Done."

    (fence,) = scan(text).fences

    assert text_of(text, fence.spans) == body
    assert fence.is_complete


@given(st.text(st.sampled_from("`~ \n<>!-/htmlthink")))
def test_spans_are_in_order_and_within_the_text(text):
    last = 0
    for fence in scan(text).fences:
        for start, end in fence.spans:
            assert last <= start < end <= len(text)
            last = end


def test_a_shorter_fence_within_is_content():
    assert contents("````html\n```js\n1\n```\n````\n") == ["```js\n1\n```\n"]


def test_a_fence_of_the_other_kind_is_content():
    assert contents("~~~html\n```\n~~~\n") == ["```\n"]


def test_a_fence_that_nothing_closes_ends_with_the_text():
    (fence,) = scan("```html\n<p>").fences
    assert not fence.is_complete


def test_the_indent_of_a_list_is_no_part_of_the_code():
    assert contents("1. So:\n\n   ```css\n   a {\n     b: c;\n   }\n   ```\n") == [
        "a {\n  b: c;\n}\n"
    ]


def test_a_fence_may_stand_behind_the_mark_of_a_list():
    assert contents("- ```js\n  1\n  ```\n") == ["1\n"]


def test_a_page_keeps_the_fences_it_shows():
    page = "<!doctype html>\n<pre>\n```js\n1\n```\n</pre>\n</html>\n"
    assert contents(f"```html\n{page}```\n") == [page]


def test_a_fence_after_the_end_of_a_page_closes_the_one_before():
    text = "```html\n<html></html>\n\n```css\na{}\n```\n"
    assert contents(text) == ["<html></html>\n\n", "a{}\n"]


def test_a_mark_behind_the_end_of_a_page_closes():
    assert contents("```html\n<html></html>```\nBye.\n") == ["<html></html>"]


def test_a_block_of_markdown_is_looked_into():
    text = "```markdown\n# Page\n```html\n<p>1</p>\n```\n```\nBye.\n"
    assert contents(text) == ["<p>1</p>\n"]


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning"])
def test_reasoning_at_the_start_is_passed_over(tag):
    text = f"<{tag}>\n```html\nno\n```\n</{tag}>\n```html\nyes\n```\n"
    assert contents(text) == ["yes\n"]
    assert scan(text).had_reasoning


def test_reasoning_that_nothing_opened_is_passed_over():
    assert contents("Hm.\n```html\nno\n```\n</think>\n\n```html\nyes\n```\n") == ["yes\n"]


def test_reasoning_that_nothing_closes_is_the_whole_answer():
    found = scan("<think>\n```html\nno\n```\n")
    assert (found.fences, found.outside, found.had_reasoning) == ([], [], True)


def test_reasoning_between_fences_is_passed_over():
    text = "```html\na\n```\n<think>\n```html\nno\n```\n</think>\n```css\nb\n```\n"
    assert contents(text) == ["a\n", "b\n"]


def test_a_page_about_reasoning_is_content():
    text = "```html\n<think>\nhm\n</think> is a tag\n<p></p>\n```\n"
    assert contents(text) == ["<think>\nhm\n</think> is a tag\n<p></p>\n"]
