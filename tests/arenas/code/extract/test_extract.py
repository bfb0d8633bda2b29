import gc
import json
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from benchmaker.arenas.code.extract import (
    MOST_CHARACTERS,
    artifact_of_page,
    extract_artifact,
    extract_so_far,
)
from benchmaker.record import ARTIFACT_FLAGS, ArtifactKind

PAGE = "<!doctype html>\n<html><body><p>Hi</p></body></html>\n"
TOKENS = st.sampled_from([
    *("```", "```html\n", '```jsx title="a/B.jsx"\n', "~~~css\n", "\n", "\r\n", "<think>"),
    *("</think>\n", "<!doctype html>", "<html>", "</html>", "<script>", "</script>", "<svg>"),
    *("</svg>", "**a.js**\n", "import x from './y'\n", "export default App\n", "a { b: c; }\n"),
    *("<template>\n", "--------\n", "é", "\u2028", "\x00", " ", "x"),
])  # fmt: skip
ANSWERS = st.one_of(st.text(), st.lists(TOKENS, max_size=40).map("".join))


def fenced(language, text, above=""):
    return f"{above}\n```{language}\n{text}```\n"


def paths(artifact):
    return [file.path for file in artifact.files]


@given(ANSWERS)
def test_any_text_has_an_artifact_whose_spans_give_back_its_files(text):
    artifact = extract_artifact(text)

    for file in artifact.files + artifact.earlier:
        assert "".join(text[start:end] for start, end in file.spans) == file.text
    assert set(artifact.flags) <= set(ARTIFACT_FLAGS)
    assert (artifact.kind is ArtifactKind.NONE) == bool(artifact.reason)
    assert artifact.entry is None or artifact.file(artifact.entry)
    assert len(set(paths(artifact))) == len(artifact.files)


@given(ANSWERS)
def test_at_the_end_of_a_stream_stands_what_the_whole_answer_gives(text):
    last = [extract_so_far(text[:end]) for end in range(0, len(text) + 1, max(1, len(text) // 5))]
    whole = extract_artifact(text)

    assert all("truncated" in artifact.flags for artifact in last)
    flags = tuple(sorted({*whole.flags, "truncated"}))
    assert extract_so_far(text) == structs.replace(whole, flags=flags)


@given(ANSWERS)
def test_the_same_text_has_the_same_digest(text):
    assert extract_artifact(text) == extract_artifact(text)


@given(st.text(st.characters(blacklist_characters="`~\r", blacklist_categories=["Cs"])))
def test_a_page_in_a_fence_comes_back_to_the_letter(body):
    text = f"<!doctype html>\n{body}\n</html>\n"
    artifact = extract_artifact(fenced("html", text))

    assert artifact.kind is ArtifactKind.HTML
    assert artifact.files[0].text == text


HOSTILE = {
    "backticks": "`",
    "lines of backticks": "```\n",
    "fences": "```html\n",
    "tags": "<p id=a>",
    "brackets": "<",
    "comments": "<!--",
    "quotes": '<a b="',
    "scripts": "<script>",
    "thoughts": "<think>\n",
    "ends of thoughts": "</think>",
    "pages": "<!doctype html>\n",
    "imports": "import {",
    "arrows": "=> ",
    "rules": "a {",
    "names": "a.js ",
    "lines": "--------\nx;\n",
    "files": "`f.js`\n```js\nconst a = 1\n```\n",
}


@pytest.fixture
def without_collecting():
    """Python's collector goes through all that earlier tests left, and its time is not ours."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def cost(piece, characters):
    """The processor time of one text, which does not grow while others have the processor."""
    text = "```html\n" * (piece[0] != "`") + piece * (characters // len(piece))
    begun = time.thread_time()
    extract_artifact(text)
    return time.thread_time() - begun


@pytest.mark.usefixtures("without_collecting")
@pytest.mark.parametrize(
    "characters", [10_000, pytest.param(50_000, marks=pytest.mark.long)], ids=["quick", "long"]
)
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_text_and_not_faster(piece, characters):
    """Eight times the text may take forty times as long: sixty-four times would be square.

    What slows the machine for a moment slows one attempt, and never makes a square look straight.
    """
    cost(piece, 1_000)  # what the first text ever takes is no part of it
    attempts = ((cost(piece, characters), cost(piece, 8 * characters)) for _ in range(20))
    assert any(large < 40 * small for small, large in attempts)


def test_a_megabyte_of_backticks_is_no_code():
    assert extract_artifact("`" * 1_000_000).kind is ArtifactKind.NONE


def test_what_is_beyond_the_bound_is_left_out_and_said():
    artifact = extract_artifact(fenced("html", PAGE) + "x" * MOST_CHARACTERS)
    assert "answer_cut" in artifact.flags
    assert artifact.kind is ArtifactKind.HTML


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (fenced('js title="src/a.js"', "1\n"), "src/a.js"),
        (fenced("js filename=a.js", "1\n"), "a.js"),
        (fenced("js:src/a.js", "1\n"), "src/a.js"),
        (fenced("src/a.js", "1\n"), "src/a.js"),
        (fenced("js", "// src/a.js\n1\n"), "src/a.js"),
        (fenced("css", "/* a.css */\n"), "a.css"),
        (fenced("html", f"<!-- a.html -->\n{PAGE}"), "a.html"),
        (fenced("js", "1\n", "**a.js**"), "a.js"),
        (fenced("js", "1\n", "### `lib/a.js`:\n"), "lib/a.js"),
        (fenced("css", "a {}\n", "2. Put this into (theme.css):"), "theme.css"),
        (fenced("js", "1\n", "With Node.js:"), "script.js"),
        (fenced("js", "1\n", "This goes with index.html:"), "script.js"),
        (fenced("js ../../etc/a.js", "1\n"), "script.js"),
    ],
)
def test_a_file_has_the_name_that_the_answer_gives_it(answer, path):
    assert paths(extract_artifact(answer)) == [path]


@pytest.mark.parametrize(
    ("label", "text", "kind"),
    [
        ("", PAGE, "html"),
        ("xml", PAGE, "html"),
        ("html", "<svg viewBox='0 0 1 1'></svg>\n", "svg"),
        ("html", "<template>\n<p/>\n</template>\n<script>\nexport default {}\n</script>\n", "vue"),
        ("javascript", "export default function A() {\n  return <p/>;\n}\n", "react"),
        ("tsx", "export default () => <p/>\n", "react"),
        ("css", "a { color: red; }\n", "parts"),
        ("ts", "let a: number = 1\n", "parts"),
        ("python", "print(1)\n", "none"),
        ("svelte", "<p>{a}</p>\n", "none"),
    ],
)
def test_the_kind_is_read_from_label_and_code(label, text, kind):
    assert extract_artifact(fenced(label, text)).kind.value == kind


def test_index_html_comes_before_a_larger_page():
    answer = fenced("html", PAGE, "index.html") + fenced("html", PAGE * 3, "about.html")
    assert extract_artifact(answer).entry == "index.html"


def test_the_largest_whole_page_is_shown_and_the_others_are_kept():
    answer = fenced("html", PAGE.replace("Hi", "Hello")) + fenced("html", PAGE)
    artifact = extract_artifact(answer)
    assert "Hello" in artifact.files[0].text
    assert [file.text for file in artifact.earlier] == [PAGE]
    assert artifact.flags == ("several_versions",)


def test_the_last_complete_version_of_a_file_counts():
    answer = fenced("js", "1\n", "a.js") + fenced("js", "2\n", "a.js") + "a.js\n```js\n3"
    artifact = extract_artifact(answer)
    assert artifact.files[0].text == "2\n"
    assert [file.text for file in artifact.earlier] == ["1\n", "3"]


def test_an_excerpt_is_no_new_version():
    whole = "let a = 1;\nlet b = 2;\nlet c = 3;\n"
    answer = fenced("js", whole, "a.js") + fenced("js", "let a = 2;\n// ... rest\n", "a.js")
    assert extract_artifact(answer).files[0].text == whole


def test_fragments_are_parts_of_one_page():
    artifact = extract_artifact(
        fenced("html", "<p id=a></p>\n") + fenced("html", "<b class=c></b>\n")
    )
    assert artifact.files[0].text == "<p id=a></p>\n<b class=c></b>\n"
    assert artifact.flags == ("fragment",)


def test_files_without_names_take_those_that_the_page_misses():
    page = '<!doctype html><link rel=stylesheet href="css/main.css"><script src="app.js"></script>'
    answer = fenced("html", page + "\n") + fenced("css", "a {}\n") + fenced("js", "1\n")
    assert paths(extract_artifact(answer)) == ["index.html", "css/main.css", "app.js"]


def test_what_the_page_does_not_use_is_said():
    page = "<!doctype html><script>1</script></html>\n"
    assert extract_artifact(fenced("html", page) + fenced("js", "1\n")).flags == ("unreferenced",)


def test_the_component_that_no_other_uses_is_shown():
    answer = fenced("jsx", "export default () => <p/>\n", "Kid.jsx") + fenced(
        "jsx", "import Kid from './Kid'\nexport default () => <Kid/>\n", "Main.jsx"
    )
    answer += fenced("jsx", "import Main from './Main'\nexport const x = <Main/>\n", "Kid.test.jsx")
    assert extract_artifact(answer).entry == "Main.jsx"


def test_an_empty_place_gives_way_to_components():
    answer = fenced("html", "<!doctype html><body><div id=root></div></body></html>\n")
    answer += fenced("jsx", "export default function App() { return <p/> }\n")
    assert extract_artifact(answer).entry == "App.jsx"


def test_a_page_that_starts_its_components_is_shown():
    answer = fenced(
        "html", '<!doctype html><div id=root></div><script type=module src="/main.jsx"></script>\n'
    )
    answer += fenced("jsx", "createRoot(root).render(<p/>)\n", "main.jsx")
    assert extract_artifact(answer).entry == "index.html"


def test_a_page_outside_fences_is_found():
    artifact = extract_artifact(f"Here:\n\n{PAGE}\nEnjoy.")
    assert artifact.files[0].text == PAGE.rstrip("\n")
    assert artifact.flags == ("no_fence",)


def test_code_between_rules_is_found():
    code = (
        '/* Input.tsx */\nimport React from "react";\nexport default () => <p className="a" />;\n'
    )
    artifact = extract_artifact(f"Here:\n\n--------\n{code}--------\n\nThat was it.")
    assert paths(artifact) == ["Input.tsx"]


def test_an_answer_that_was_cut_says_so():
    artifact = extract_artifact("```html\n<!doctype html><main><div><script>let a = ")
    assert artifact.flags == ("truncated",)
    assert artifact.unclosed == ("main", "div", "script")


def test_a_whole_page_without_a_closing_mark_is_whole():
    artifact = extract_artifact(f"```html\n{PAGE}")
    assert artifact.flags == ()
    assert artifact.files[0].is_complete


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "The answer is empty."),
        ("I can't.", "The answer has no code."),
        ("<think>\nhm", "The answer ends inside its reasoning."),
        (fenced("go", "x\n"), "The answer has no code for a browser; its code fences contain go."),
    ],
)
def test_where_nothing_is_found_the_reason_is_said(answer, reason):
    assert extract_artifact(answer).reason == reason


def test_a_file_that_is_a_page_is_taken_as_it_is():
    artifact = artifact_of_page("<style>p{}</style><p>1")
    assert artifact.files[0].text == "<style>p{}</style><p>1"
    assert artifact.flags == ()


@pytest.mark.data
def test_every_real_answer_with_code_of_the_web_can_be_shown(shared):
    path = shared / "code_arena" / "arena_hard_web_answers.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [(row, extract_artifact(row["answer"])) for row in rows]

    assert Counter(artifact.kind.value for _, artifact in found) == {
        "html": 26,
        "svg": 3,
        "react": 4,
        "vue": 5,
        "parts": 39,
        "none": 3,
    }
    bare = [row for row, artifact in found if artifact.kind is ArtifactKind.NONE]
    assert {label for row in bare for label in row["fence_langs"]} == {"xml", "csharp"}  # XAML
    assert all("xaml" in row["prompt"].lower() for row in bare)
