import hashlib
from importlib.resources import files

import pytest

from benchmaker.arenas.code.preview import content_security_policy, preview_headers, vendored_file
from benchmaker.arenas.code.preview.addresses import copy_of, package_at, package_of
from benchmaker.arenas.code.preview.vendored import (
    address,
    manifest,
    mapping_table,
    mapping_version,
)

FOLDER = files("benchmaker") / "resources" / "vendor" / "code"
MOST_BYTES = 1_600_000


@pytest.mark.parametrize("name", manifest())
def test_a_vendored_file_is_what_the_manifest_says(name):
    entry = manifest()[name]
    body = (FOLDER / name).read_bytes()
    assert hashlib.sha256(body).hexdigest() == entry.sha256
    assert entry.name in (FOLDER / entry.licence_file).read_text(encoding="utf-8")
    assert entry.licence in {"MIT", "MPL-2.0"}
    assert vendored_file(address(name, "/v/").removeprefix("/v/"))[1] == body


def test_nothing_else_lies_there():
    known = set(manifest()) | {it.licence_file for it in manifest().values()}
    lying = {path.name for path in FOLDER.iterdir()}
    assert lying == known | {"manifest.json", "mapping.json"}


def test_all_of_it_is_small():
    assert sum(len(path.read_bytes()) for path in FOLDER.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("path", ["manifest.json", "../manifest.json", "x/react.js", "nothing.js"])
def test_only_vendored_files_are_given_out(path):
    with pytest.raises(KeyError):
        vendored_file(path)


def test_every_file_of_the_table_is_there():
    assert mapping_version() == "1"
    for entry in mapping_table()["packages"].values():
        named = {entry.get("script"), entry.get("module"), *entry.get("subpaths", {}).values()}
        assert named - {None} <= set(manifest())


@pytest.mark.parametrize(
    ("url", "package", "is_module", "file"),
    [
        ("https://unpkg.com/react@18/umd/react.production.min.js", "react@18", False, "react.js"),
        ("https://unpkg.com/react-dom/umd/react-dom.js", "react-dom", False, "react.js"),
        ("//cdn.jsdelivr.net/npm/vue@3.4.1", "vue@3.4.1", False, "vue.js"),
        ("https://cdn.jsdelivr.net/npm/vue@3/+esm", "vue@3", True, "vue.mjs"),
        ("https://cdn.jsdelivr.net/gh/a/b@1/c.js", None, False, None),
        ("https://cdnjs.cloudflare.com/ajax/libs/vue/3.2.1/vue.js", "vue@3.2.1", False, "vue.js"),
        ("https://esm.sh/react@19.0.0/jsx-runtime", "react@19.0.0", True, "react-jsx-runtime.mjs"),
        ("https://esm.sh/stable/react-dom@18/client", "react-dom@18", True, "react-dom.mjs"),
        ("https://esm.sh/v135/react@18.2.0", "react@18.2.0", True, "react.mjs"),
        ("https://ga.jspm.io/npm:react@18.2.0/index.js", "react@18.2.0", True, "react.mjs"),
        ("https://cdn.skypack.dev/vue@next", "vue@next", True, "vue.mjs"),
        (
            "https://cdn.tailwindcss.com/3.4.1?plugins=forms",
            "tailwindcss@3.4.1",
            False,
            "tailwind.js",
        ),
        (
            "https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4",
            "@tailwindcss/browser@4",
            False,
            "tailwind.js",
        ),
        (
            "https://unpkg.com/@babel/standalone@7.2/babel.js",
            "@babel/standalone@7.2",
            False,
            "sucrase.js",
        ),
        ("https://unpkg.com/vue@2", "vue@2", False, None),
        ("https://unpkg.com/axe-core@4", "axe-core@4", False, None),
        ("https://example.test/react@18", None, False, None),
        ("ftp://unpkg.com/react@18", None, False, None),
    ],
)
def test_an_address_means_a_package_and_perhaps_a_copy(url, package, is_module, file):
    found = package_at(url)
    assert (str(found) if found else None) == package
    copy = copy_of(found, is_module=is_module) if found else None
    assert (copy.file if copy else None) == file


@pytest.mark.parametrize("specifier", ["./a.js", "/a.js", "https://a.test", "#a", "node:fs"])
def test_a_path_or_an_address_is_no_package(specifier):
    assert package_of(specifier) is None


def test_the_policy_holds_the_page_to_its_own_host():
    policy = content_security_policy("http://app.test", "http://preview.test")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))

    assert rules["sandbox"] == "allow-scripts allow-forms allow-modals"
    assert "allow-same-origin" not in policy
    assert rules["connect-src"] == rules["frame-src"] == rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "http://app.test"
    assert rules["script-src"].endswith("http://preview.test")
    assert preview_headers("a", "b")["cache-control"] == "no-store"
