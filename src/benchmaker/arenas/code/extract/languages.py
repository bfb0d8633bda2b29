"""The language of a piece of code: by its label, or else by its content."""

import re

from benchmaker.arenas.code.extract.markup import content_start

_LABELS = {
    "html": "html htm html5 xhtml markup",
    "css": "css",
    "js": "js javascript mjs cjs ecmascript es6 node nodejs",
    "jsx": "jsx react javascriptreact",
    "ts": "ts typescript mts",
    "tsx": "tsx typescriptreact",
    "vue": "vue vue3 vue-html",
    "svg": "svg",
    "svelte": "svelte",
    "scss": "scss sass less",
    "json": "json json5 jsonc",
    "text": "text txt plaintext plain output csv tsv",
}
LANGUAGE_OF = {label: language for language, labels in _LABELS.items() for label in labels.split()}
"""Labels of fences and file endings, with the language of each."""

SCRIPTS = frozenset({"js", "jsx", "ts", "tsx"})
COMPONENTS = frozenset({"jsx", "tsx", "vue"})
WEB = frozenset({"html", "css", "svg", "vue", "svelte", "scss"}) | SCRIPTS
DATA = frozenset({"json", "text"})
"""Data formats: kept if the answer names the file, but never shown as a page."""

ENDINGS = {
    "html": "html",
    "css": "css",
    "js": "js",
    "jsx": "jsx",
    "ts": "ts",
    "tsx": "tsx",
    "vue": "vue",
    "svg": "svg",
    "svelte": "svelte",
    "scss": "scss",
    "json": "json",
    "text": "txt",
}
"""The ending of a file of each language."""

_VAGUE = frozenset(
    {"", "text", "txt", "plaintext", "plain", "code", "output", "xml", "markup", "html"}
)
_LOOKED_AT = 4000
_PAGE = re.compile(r"<(?:!doctype\s{1,20}html|html)\b", re.IGNORECASE)
_SVG = re.compile(r"(?:<!doctype\s{1,20}svg[^>]{0,400}>\s{0,20})?<svg\b", re.IGNORECASE)
_TAG = re.compile(
    r"<(?:a|article|aside|body|button|canvas|div|figure|footer|form|h[1-6]|head|header|iframe|img"
    r"|input|label|link|main|meta|nav|ol|p|script|section|select|span|style|table|template"
    r"|textarea|ul|video)\b",
    re.IGNORECASE,
)
_SFC = re.compile(
    r"^<(?:template|script\s[^>\n]{0,80}\bsetup\b)[^>\n]{0,80}>[ \t]{0,80}\r?$",
    re.IGNORECASE | re.MULTILINE,
)
_SFC_SCRIPT = re.compile(
    r"export[ \t]{1,4}default\b|<script\s[^>\n]{0,80}\bsetup\b|module\.exports[ \t]{0,4}="
)
_JSX = re.compile(
    r"(?:\breturn|=>|[=(,?:&])[ \t]{0,40}\(?[ \t]{0,40}(?:\r?\n[ \t]{0,80}){0,3}"
    r"<(?:[A-Za-z][\w.]{0,80}[\s/>]|>)"
)
_JSX_MORE = re.compile(r"</[A-Za-z>]|/>|\bclassName=")
_TYPES = re.compile(
    r"^[ \t]{0,8}(?:export[ \t]{1,4})?(?:interface|type|enum)[ \t]{1,4}\w+"
    r"|\)\s{0,4}:\s{0,4}[A-Z]\w*|:\s{0,4}(?:string|number|boolean)\b|\buse\w+<|React\.FC\b",
    re.MULTILINE,
)
_STYLE = re.compile(
    r"^[ \t]{0,8}(?:[.#@:*]|[a-z])[^{};\n]{0,200}\{[ \t]{0,80}\r?$", re.IGNORECASE | re.MULTILINE
)
_STYLE_RULE = re.compile(
    r"^[ \t]{0,16}[a-z-]{2,40}[ \t]{0,8}:[^;{}\n]{1,200};", re.IGNORECASE | re.MULTILINE
)
_SCRIPT = re.compile(
    r"^[ \t]{0,8}(?:(?:const|let|var)[ \t]{1,4}[\w${\[]|(?:async[ \t]{1,4})?function\b"
    r"|import\s[^\n]{0,200}['\"]|export[ \t]{1,4}(?:default|const|function|class)\b"
    r"|document\.|window\.|class[ \t]{1,4}\w+)",
    re.MULTILINE,
)
_SERVER = re.compile(
    r"\brequire\(\s{0,4}['\"](?:node:)?(?:express|fs|path|http|https|os|pg|cors|dotenv|mongoose"
    r"|stream|util|child_process|crypto|readline|worker_threads)['\"]"
    r"|^[ \t]{0,8}import\s[^;'\"]{0,200}from\s{0,4}"
    r"['\"](?:node:\w+|express|fs|path|http|pg|mongoose|stream)['\"]"
    r"|^module\.exports[ \t]{0,4}=|\bprocess\.(?:argv|stdin|stdout|env)\b",
    re.MULTILINE,
)


def language_of(label: str, text: str) -> str | None:
    """Return the language of labelled code; None if it is not a web language.

    A label is trusted unless the code clearly contradicts it: a page under ``xml``, a
    single-file component of Vue under ``html``, markup within ``javascript``.
    """
    language = LANGUAGE_OF.get(label)
    head = text[:_LOOKED_AT]
    if label in _VAGUE:
        return _guess(text, head) or language
    if language in {"js", "ts"} and _holds_jsx(text):
        return "tsx" if language == "ts" or _TYPES.search(text) else "jsx"
    if language == "js" and is_page(text):
        return "html"
    return language


def _guess(text: str, head: str) -> str | None:
    at = content_start(text)
    if _PAGE.match(text, at):
        return "html"
    if _SVG.match(text, at):
        return "svg"
    if _SFC.search(head) and _SFC_SCRIPT.search(text):
        return "vue"
    if _TAG.match(text, at):
        return "html"
    return script_or_style(text)


def script_or_style(text: str) -> str | None:
    """Return the language of code without markup, by its lines; None for prose."""
    if _SCRIPT.search(text):
        if _holds_jsx(text):
            return "tsx" if _TYPES.search(text) else "jsx"
        return "ts" if _TYPES.search(text) else "js"
    if _STYLE.search(text) and _STYLE_RULE.search(text):
        return "css"
    return None


def is_page(text: str) -> bool:
    """True if HTML is a whole document."""
    return _PAGE.match(text, content_start(text)) is not None


def is_component_of_vue(text: str) -> bool:
    """True if the text is a single-file component."""
    return bool(_SFC.search(text[:_LOOKED_AT]) and _SFC_SCRIPT.search(text))


def is_for_a_server(text: str) -> bool:
    """True if a script is clearly for Node and not for a browser."""
    return _SERVER.search(text) is not None


def _holds_jsx(text: str) -> bool:
    return bool(_JSX.search(text) and _JSX_MORE.search(text))
