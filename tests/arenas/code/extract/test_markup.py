from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.code.extract.markup import (
    content_start,
    ends_inside_tag,
    tags,
    unclosed_elements,
)

WORDS = st.sampled_from(["a", "div", "p", "br", "svg", "x-y"])
VALUES = st.text("abc /=&;>é", max_size=5)
ATTRIBUTES = st.lists(st.tuples(st.sampled_from(["id", "class", "href"]), VALUES), max_size=3)
PIECES = st.one_of(
    st.builds(
        lambda name, given: (
            f"<{name} " + " ".join(f'{key}="{value}"' for key, value in given) + ">"
        ),
        WORDS,
        ATTRIBUTES,
    ),
    st.builds("</{}>".format, WORDS),
    st.sampled_from(["text", "<!-- <b> -->", "1 < 2 ", "\n", "<br/>"]),
)


class Library(HTMLParser):
    """The second road: the standard library's parser."""

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [name for name, _ in attrs]))

    def handle_endtag(self, tag):
        self.found.append(("/" + tag, []))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)


@given(st.lists(PIECES).map("".join))
def test_it_finds_the_tags_that_the_standard_library_finds(text):
    library = Library()
    library.feed(text)
    library.close()

    ours = [("/" * tag.is_end + tag.name, [it.name for it in tag.attributes]) for tag in tags(text)]

    assert ours == library.found


@given(st.text(st.sampled_from("<>/!-='\" abscript\n")))
def test_places_are_in_order_and_say_what_stands_there(text):
    last = 0
    for tag in tags(text):
        assert last <= tag.start < tag.end <= len(text)
        assert text[tag.start] == "<"
        assert text[tag.end - 1] == ">"
        for it in tag.attributes:
            assert text[it.start : it.end].lower().startswith(it.name)
        last = tag.end


def test_a_script_holds_no_tags():
    (opening, closing) = tags("<script>if (a<b) '<p>'</script>")
    assert (opening.body_end, closing.is_end) == (closing.start, True)


def test_attributes_have_their_values_and_places():
    text = "<a href='x y' data-n=3 hidden>"
    (tag,) = tags(text)
    assert [(it.name, it.value) for it in tag.attributes] == [
        ("href", "x y"),
        ("data-n", "3"),
        ("hidden", ""),
    ]
    assert [text[it.start : it.end] for it in tag.attributes] == [
        "href='x y'",
        "data-n=3",
        "hidden",
    ]


def test_what_is_left_open_is_named_from_the_outside():
    assert unclosed_elements("<html><body><main><p>one<section><br>") == ("main", "section")
    assert unclosed_elements("<div></section></div>") == ()


def test_a_page_may_end_within_a_tag_a_script_or_a_comment():
    assert ends_inside_tag("<p>1</p><scr")
    assert ends_inside_tag("<script>let a = 1")
    assert ends_inside_tag("<p><!-- and")
    assert not ends_inside_tag("<p>1 < 2</p>")
    assert not ends_inside_tag("<p>")


def test_content_begins_behind_comments():
    text = " <!-- a --> <?xml version='1.0'?>\n<svg>"
    assert text[content_start(text) :] == "<svg>"
    assert content_start("<!-- open") == 0
