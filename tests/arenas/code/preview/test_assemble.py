import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.code.extract import artifact_of_page, extract_artifact
from benchmaker.arenas.code.preview import BUNDLE_FLAGS, assemble, page_files
from benchmaker.arenas.code.preview.own_scripts import own_script
from benchmaker.record import Artifact, ArtifactKind
from tests.arenas.code.preview import answers

SHIM = own_script("shim")


def page(text, **options):
    return assemble(artifact_of_page(text), **options)


def urls(bundle):
    return {it.url: it.kind for it in bundle.missing}


@given(st.text())
def test_a_page_stays_what_it_is_but_for_the_shim(text):
    document = page(text, mapping=False).document
    assert document.replace(SHIM, "", 1) == text


@given(st.text(st.sampled_from("<>/=\"' \nasrchefinpt.t")))
def test_any_markup_can_be_assembled(text):
    for answer in (f"```html\n{text}\n```", f"```vue\n{text}\n```", f"```jsx\n{text}\n```"):
        bundle = assemble(extract_artifact(answer))
        assert bundle.document.count(SHIM) == 1
        assert set(bundle.flags) <= set(BUNDLE_FLAGS)


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("<!doctype html><html lang=en><head><title>", "<!doctype html><html lang=en><head>"),
        ("<!-- a --><!doctype html>\n<html><body>", "<!-- a --><!doctype html>\n<html>"),
        ("<!doctype html><p>", "<!doctype html>"),
        ("<p>", ""),
    ],
)
def test_the_shim_stands_before_everything_that_runs(text, before):
    assert page(text).document.startswith(before + SHIM)


def test_a_file_of_the_answer_is_served_beside_the_page():
    bundle = assemble(extract_artifact(answers.FILES))
    assert bundle.files["app.js"][0].startswith("text/javascript")
    assert bundle.files["logo.svg"][0] == "image/svg+xml"
    assert 'href="css/style.css"' in bundle.document
    assert bundle.missing == ()


def test_modules_bring_along_what_they_import():
    assert set(assemble(extract_artifact(answers.MODULES)).files) == {"js/main.js", "js/util.js"}


def test_other_pages_of_the_answer_are_pages_too():
    answer = (
        '`index.html`\n```html\n<!doctype html><a href="./sub/b.html">b</a></html>\n```\n'
        '`sub/b.html`\n```html\n<!doctype html><script src="https://unpkg.com/vue@3"></script>'
        '<link rel=stylesheet href="../c.css"></html>\n```\n'
        "`c.css`\n```css\na {}\n```\n"
    )
    bundle = assemble(extract_artifact(answer), vendor="./v/")
    other = bundle.files["sub/b.html"][1].decode()
    assert SHIM in other
    assert 'src=".././v/' in other
    assert "c.css" in bundle.files


def test_what_is_missing_is_named_with_its_kind():
    bundle = page(
        '<script src="gone.js"></script><script src="https://unpkg.com/three@0.160"></script>'
        '<link rel=stylesheet href="https://fonts.googleapis.com/css2?family=Inter">'
        '<img src="https://a.test/b.png"><img src="data:,"><a href="https://a.test">a</a>'
        '<script type=module>import "lodash"; import x from "./y.js"</script>'
        "<style>a { background: url(c.png) } @import 'https://a.test/d.css';</style>"
    )
    assert urls(bundle) == {
        "gone.js": "local",
        "https://unpkg.com/three@0.160": "cdn",
        "https://fonts.googleapis.com/css2?family=Inter": "other",
        "https://a.test/b.png": "other",
        "lodash": "cdn",
        "./y.js": "local",
        "c.png": "local",
        "https://a.test/d.css": "other",
    }


def test_a_library_from_anywhere_is_missing_as_one():
    bundle = page(
        '<script src="https://code.jquery.com/jquery-3.6.0.js"></script>'
        '<link rel="stylesheet" href="https://a.test/bootstrap.css">'
        '<link rel="icon" href="https://a.test/icon.png"><link rel="manifest" href="a.json">'
    )
    assert list(urls(bundle).values()) == ["cdn", "cdn"]


def test_mapping_points_at_copies_and_says_which():
    bundle = assemble(extract_artifact(answers.REACT_CDN))
    assert [it.package.rpartition("@")[0] for it in bundle.mapped] == [
        "@tailwindcss/browser",
        "react",
        "react",
        "sucrase",
    ]
    assert "https://" not in bundle.document.replace("https?:", "")
    assert "integrity" not in bundle.document
    assert bundle.flags == ("mapped",)


def test_without_mapping_addresses_stay_and_are_missing():
    bundle = assemble(extract_artifact(answers.REACT_CDN), mapping=False)
    assert bundle.mapped == ()
    assert set(urls(bundle).values()) == {"cdn"}
    assert 'integrity="sha384-x"' in bundle.document


def test_a_component_has_its_libraries_with_mapping_or_without():
    for mapping in (True, False):
        bundle = assemble(extract_artifact(answers.TSX), mapping=mapping)
        assert set(bundle.vendored) == {"react.js", "sucrase.js", "tailwind.js"}
        assert bundle.missing == ()


def test_an_older_vue_is_not_replaced_by_a_newer():
    bundle = page('<script src="https://unpkg.com/vue@2.7.0/dist/vue.js"></script>')
    assert urls(bundle) == {"https://unpkg.com/vue@2.7.0/dist/vue.js": "cdn"}


def test_an_import_map_is_led_to_copies():
    document = assemble(extract_artifact(answers.IMPORT_MAP)).document
    table = document.partition('<script type="importmap">')[2].partition("</script>")[0]
    assert json.loads(table)["imports"]["vue"].endswith("/vue.mjs")
    assert document.count("importmap") == 1


def test_styles_and_scripts_alone_get_a_page():
    document = assemble(extract_artifact(answers.PARTS)).document
    assert '<link rel="stylesheet" href="style.css">' in document
    assert '<script src="script.js"></script>' in document


def test_code_cannot_close_the_element_that_holds_it():
    answer = "```jsx\nexport default () => <p>{'</script><img src=x>'}</p>\n```"
    assert "</script><img" not in assemble(extract_artifact(answer)).document


@pytest.mark.data
def test_every_real_answer_can_be_assembled(shared):
    path = shared / "code_arena" / "arena_hard_web_answers.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        bundle = assemble(extract_artifact(json.loads(line)["answer"]))
        assert bundle.document.count(SHIM) == 1


@pytest.mark.data
def test_real_pages_stay_what_they_are_but_for_the_shim(shared):
    pages = [*(shared / "code_arena").glob("simonw_tools_pages/*.html")]
    pages += (shared / "code_arena").glob("adversarial/*.html")
    assert len(pages) == 52
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert page(text, mapping=False).document.replace(SHIM, "", 1) == text


def test_nothing_gives_an_empty_page():
    bundle = assemble(Artifact(kind=ArtifactKind.NONE))
    assert bundle.flags == ("nothing",)
    assert bundle.document.startswith("<!doctype html>")


def test_a_bundle_is_a_folder_that_any_server_can_serve():
    bundle = assemble(extract_artifact(answers.VITE), vendor="./v/")
    written = page_files(bundle, vendor="./v/")
    assert "index.html" in written
    for name in written:
        if name.startswith("v/"):
            assert name.encode() in written["index.html"]
    assert len(written) == 4
