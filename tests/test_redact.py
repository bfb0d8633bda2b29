import base64
import gzip
import json
import string
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.redact import MARK, Redactor, redact

BODY = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF"
# Put together here, so that no scanner takes this file for a leak.
KEYS = [
    "sk-" + BODY,
    "sk-proj-" + BODY,
    "sk-ant-" + "api03-" + BODY,
    "sk-or-v1-" + BODY.lower(),
    "AIza" + "SyD-" + BODY,
    "gsk_" + BODY,
    "xai-" + BODY,
    "hf_" + BODY,
    "ghp_" + BODY + "aaaa",
    "github_pat_" + BODY,
    "bm_" + BODY + "aB-_3dE6gH9",
    "glpat-" + BODY,
    "xoxb-" + "123456789012-" + BODY,
    "AKIA" + "IOSFODNN7EXAMPLE",
    "eyJ" + "hbGciOiJIUzI1" + ".eyJ" + "zdWIiOiIxMjM0" + "." + BODY,
    "-----BEGIN RSA PRIVATE KEY-----\n" + BODY + "\n-----END RSA PRIVATE KEY-----",
]
AROUND = [
    "{}",
    "Incorrect API key provided: {}.",
    '{{"error": "bad key {}"}}',
    "['{}']",
    "first line\n{}\nlast line",
    "escaped\\n{}\\n",
    "https://api.example/v1?key={}&x=1",
    "„{}“",
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("key", KEYS)
def test_keys_of_known_providers_are_taken_out(key, around):
    text = around.format(key)
    assert redact(text) == around.format(MARK)


@pytest.mark.parametrize("prefix", ["gsk_", "xai-", "hf_", "pplx-", "nvapi-", "glpat-"])
def test_a_token_is_one_from_20_characters_on(prefix):
    assert redact(f"{prefix}{BODY[:20]}!") == f"{MARK}!"
    assert redact(f"{prefix}{BODY[:19]}!") == f"{prefix}{BODY[:19]}!"


@pytest.mark.parametrize(
    ("text", "without"),
    [
        (f"Authorization: Bearer {BODY}", f"Authorization: Bearer {MARK}"),
        (f"authorization: basic {BODY}==", f"authorization: basic {MARK}"),
        (f"api_key={BODY}", f"api_key={MARK}"),
        (f'"apiKey": "{BODY}"', f'"apiKey": "{MARK}"'),
        (f"AWS_SECRET_ACCESS_KEY='{BODY}'", f"AWS_SECRET_ACCESS_KEY='{MARK}'"),
        (f"client-secret : {BODY}", f"client-secret : {MARK}"),
        ("postgresql://me:hunter22@db:5432/x", f"postgresql://me:{MARK}@db:5432/x"),
    ],
)
def test_what_names_a_secret_keeps_its_name(text, without):
    assert redact(text) == without


@pytest.mark.parametrize(
    "text",
    [
        "a risk-based-approach-to-testing-2024-and-later",
        "The task-oriented-dialogue-system-v2-benchmark",
        "the bearer of this letter, bearer responsibilities 2024",
        "password: correct horse battery staple",
        "password must be at least 16 characters long, token: 4096",
        'api_key = os.environ["OPENAI_API_KEY"]',
        "token: 1234567890123456789012",
        "sk-learn is scikit-learn; use sk-learn-contrib",
        "see https://example.org:8080/path@v2 and mail me@example.org",
        "sha256:83490def1f723413db5096591f7609ac52544805be93849170088ed04f5a2e0b",
        "AKIA is a prefix",
        "the secret key: 42 #### 18",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert redact(text) == text


@given(st.text(min_size=8, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_a_known_value_is_found_in_each_of_its_forms(secret, before, after):
    secret, hide = f"{secret}!", Redactor([f"{secret}!"])
    for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote_plus(secret)):
        assert form not in hide.text(f"{before}{form}{after}").replace(MARK, "")


@given(st.text(string.printable, min_size=12, max_size=40), st.binary(max_size=9), st.binary())
def test_a_known_value_is_found_inside_base64_at_every_alignment(secret, before, after):
    raw = before + secret.encode() + after
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = Redactor([secret]).text(encode(raw).decode())
        assert MARK in text
        assert len(text) <= len(encode(raw)) - len(secret) + len(MARK) + 2


PIECES = st.sampled_from(
    [
        *KEYS,
        BODY,
        "Bearer ",
        "api_key=",
        "password: ",
        "://u:",
        "@",
        MARK,
        "\\n",
        "-",
        "_",
        ".",
        " ",
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=12).map("".join))
def test_redacting_twice_gives_what_redacting_once_gives(text):
    hide = Redactor(["a known secret", BODY[:16]])
    for clean in (redact, hide.text):
        assert clean(clean(text)) == clean(text)


def test_a_token_right_behind_a_private_key_is_found():
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + BODY + "\n-----END RSA PRIVATE KEY-----"
    assert redact(f"{key}sk-{BODY}") == MARK + MARK


def test_values_too_short_to_be_secrets_are_left_alone():
    assert Redactor(["test", ""]).text("this test passes") == "this test passes"


def test_the_longer_of_two_secrets_is_taken_whole():
    assert Redactor(["a-secret-x", "a-secret-x-and-more"]).text("a-secret-x-and-more") == MARK


def test_plain_data_is_redacted_in_every_corner():
    key = KEYS[0]
    tree = {"a": [key, 1, None, {"b": (f"x {key}", True)}], key: 2.5}
    assert Redactor().tree(tree) == {"a": [MARK, 1, None, {"b": (f"x {MARK}", True)}], MARK: 2.5}


@pytest.mark.parametrize(
    "piece",
    ["sk-", "sk-a", "\\nsk-a", "eyJ", "eyJaaaaaaaaaaaa.", "bearer ", "bearer a", "api_key=",
     "api_key=a-", "password", "://a:", "://aaaa", "-----BEGIN PRIVATE KEY-----a", "AKIA", "AKIAA",
     "ghp_", "xoxb-", "a", " ", "authorization:basic "],
)  # fmt: skip
def test_hostile_texts_take_linear_time(piece):
    text = piece * (400_000 // len(piece))
    start = time.process_time()
    redact(text)
    assert time.process_time() - start < 5  # a quadratic search takes hours


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    ["zeroeval_gsm/gsm_answers", "zeroeval_crux/crux_answers", "bbh_code_davinci_002/answers",
     "arena_hard_v01/answers", "HumanEval"],
)  # fmt: skip
def test_real_answers_are_left_as_they_are(shared, name):
    with gzip.open(shared / "suites" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        changed = [line for line in lines if redact(line) != line]
    assert changed == []
