import base64
import json
import random
import time
import uuid
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.secrets.kinds import KINDS
from benchmaker.arenas.agentic.secrets.scan import clean_text, holds_secret
from tests.arenas.agentic.canaries import BODY, CANARIES, PEM, planted

PLANTED = planted()
SEPARATORS = [
    " ",
    "\n",
    "\t",
    "\r\n",
    '"',
    "'",
    "`",
    "(",
    "[",
    "{",
    "<",
    ",",
    ";",
    "„",
    "→",
    "=",
    ":",
]
ENDS = [" ", "\n", '"', "'", "`", ")", "]", "}", ">", ",", ";", "“", "\r\n"]
random_text = st.text(max_size=60)
canaries = st.sampled_from(PLANTED)


def survives(secret: str, text: str) -> bool:
    """Whether any twelve characters in a row of a secret are left, or all of a shorter one."""
    pieces = [secret[at : at + 12] for at in range(max(1, len(secret) - 11))]
    return any(piece in text for piece in pieces)


def test_more_than_twelve_kinds_are_known_and_each_has_a_canary():
    kinds = {kind.name for kind in KINDS}
    assert len(kinds) >= 20
    assert {kind for kind, _, _ in PLANTED} == kinds


@pytest.mark.parametrize(("kind", "text", "secret"), PLANTED)
def test_a_secret_is_named_by_its_kind(kind, text, secret):
    assert clean_text(text) == (text.replace(secret, f"[redacted:{kind}]"), (kind,)) or (
        kind == "private_key" and clean_text(text) == ("[redacted:private_key]", (kind,))
    )


@given(canaries, random_text, random_text, st.sampled_from(SEPARATORS), st.sampled_from(ENDS))
def test_no_canary_survives_in_random_text(canary, before, after, separator, end):
    _, text, secret = canary
    clean = clean_text(f"{before}{separator}{text}{end}{after}")
    assert not survives(secret, clean.text)
    assert clean.kinds


@given(canaries, random_text, random_text, st.integers(1, 3), st.booleans())
def test_no_canary_survives_in_json_in_json(canary, before, after, times, ascii_only):
    _, text, secret = canary
    escaped = f"{before}\n{text}\n{after}"
    for _ in range(times):
        escaped = json.dumps({"command": escaped}, ensure_ascii=ascii_only)
    clean = clean_text(escaped).text
    assert not any(survives(line, clean) for line in secret.splitlines())


@given(canaries, st.sets(st.integers(0, 400), min_size=1, max_size=30))
def test_no_canary_survives_behind_escapes_of_its_characters(canary, places):
    _, text, secret = canary
    escaped = "".join(
        f"\\u{ord(it):04x}" if at in places and it.isprintable() else it
        for at, it in enumerate(text)
    )
    clean = clean_text(f'{{"command": "{escaped}"}}').text
    undone = json.loads(f'"{clean[13:-2]}"', strict=False) if '"' not in text else clean
    assert not survives(secret, undone)


@given(st.lists(canaries, min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_no_canary_survives_in_an_environment_file(chosen, line_end):
    lines = [f"export NAME_{at}={text}" for at, (_, text, _) in enumerate(chosen)]
    clean = clean_text(line_end.join(["# settings", *lines, "DEBUG=1"])).text
    assert not any(survives(secret, clean) for _, _, secret in chosen)
    assert clean.startswith("# settings")
    assert clean.endswith("DEBUG=1")


PIECES = st.sampled_from(
    [text for _, text, _ in PLANTED]
    + [BODY, "key", "token=", "password: ", "://u:", "@", "-", "_", ".", " ", "\\", "\\n", '"', "="]
    + [
        "\\u002d",
        "[redacted:jwt]",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "sk-",
        "eyJ",
        "a",
        "\n",
    ]
)


@given(st.lists(PIECES, max_size=12))
def test_scanning_twice_changes_nothing(pieces):
    once = clean_text("".join(pieces)).text
    assert clean_text(once) == (once, ())


@given(st.lists(PIECES, max_size=12))
def test_a_text_holds_a_secret_exactly_where_one_is_taken_out(pieces):
    text = "".join(pieces)
    assert holds_secret(text) == bool(clean_text(text).kinds)


@pytest.mark.parametrize("text", [text for _, text, _ in PLANTED])
def test_every_kind_of_secret_is_held(text):
    for one in (json.dumps(text), text.replace("/", "\\/"), text * 9):
        assert holds_secret(one) == bool(clean_text(one).kinds)
    assert holds_secret(text)


@given(st.text(), st.text(max_size=300))
def test_a_text_without_secrets_is_given_back_as_the_same_object(short, long):
    for text in (short, long * 3):
        clean = clean_text(text)
        assert clean.text is text or clean.kinds


def test_the_same_text_read_again_is_given_back_as_the_same_object():
    for _ in range(2):
        text = str(b"plain words", "ascii")
        assert clean_text(text).text is text


@pytest.mark.parametrize(
    "text",
    [
        f"id {uuid.UUID(int=7 << 90)}",
        f"commit {sha256(b'x').hexdigest()[:40]}",
        f"sha256:{sha256(b'x').hexdigest()}",
        'cache_key = "user_profile_v2"',
        "max_tokens: 4096, total_tokens=125000",
        '"next_page_token": "CAUQAA1234567890abc"',
        'password = get_password_from_env2("db")',
        "password = os.environ['DB_PASSWORD_2']",
        "token = tokens[index1234]",
        "token: str | None = None",
        "PASSWORD=${DB_PASSWORD_1}",
        "API_KEY=<your-api-key-1234>",
        "api_key = settings.openai_api_key2",
        "secret: ********",
        "password must be at least 16 characters long",
        "Authorization: required",
        "Authorization: Bearer $TOKEN",
        "the bearer of this letter, bearer responsibilities 2024",
        "https://example.org:8080/path@v2?x=me@example.org",
        "https://${USER}:${PASS}@host/x",
        "git@github.com:owner/name.git",
        "risk-based-approach-to-testing-2024-and-later-on",
        "use sk-learn-contrib-2024-with-the-newest-version",
        "for key in keys: print(key, mapping[key])",
        "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEm1",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
        "AKIA is a prefix, Asia a continent, hf_hub_download a function",
        "npm_config_user_agent_of_the_package_manager_that_runs=1",
        "--key /etc/ssl/private/server1.pem --token-file path/to/token1",
        "echo -- the secret abcdefgh12345678",
        "docker login --password-stdin registry1.example",
        "12:30:45:AAPL rose; 2024-01-01T10:00:00Z ok",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert clean_text(text) == (text, ())


def test_base64_of_images_is_no_secret():
    image = base64.b64encode(random.Random(3).randbytes(1_500_000)).decode()  # noqa: S311  not a secret
    text = f"data:image/png;base64,{image}"
    assert clean_text(text).text is text


@pytest.mark.parametrize("length", [5, 10, 20, 30])
@pytest.mark.parametrize("name", ["anthropic", "github", "gitlab", "google", "npm", "digitalocean"])
def test_a_key_that_was_cut_off_is_found_too(name, length):
    part = CANARIES[name][: length + len(name)]
    text = f"echo {part}… [12,345 bytes left out]"
    assert part not in clean_text(text).text


def test_a_private_key_that_was_cut_off_is_found_too():
    text = f"-----BEGIN PRIVATE KEY-----\n{PEM[:150]}… [12,345 bytes left out]"
    assert clean_text(text).text == "[redacted:private_key]… [12,345 bytes left out]"


@pytest.mark.parametrize("mark", ["+", "> ", "-", "   12→"])
def test_a_private_key_is_found_in_a_diff_and_with_line_numbers(mark):
    lines = ["-----BEGIN PRIVATE KEY-----", *PEM.splitlines(), "-----END PRIVATE KEY-----"]
    clean = clean_text("\n".join(f"{mark}{line}" for line in lines))
    assert clean == (f"{mark}[redacted:private_key]", ("private_key",))


HOSTILE = ["key", "key:", "token=", "ghp_aaaaaaaaaa", "eyJ", "eyJaaaaaaaaaa.", "://a:b", "sk-a1"]
HOSTILE += ["-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----" + "\\n" * 50, "bearer "]
HOSTILE += [
    "passphrase:1234567a",
    "\\u0073",
    "\\",
    "SG.aaaaaaaaaaaaaaaaaaaa.",
    "key\\\\\\\\",
    "xoxb-",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_is_linear_in_a_hostile_text(piece):
    began = time.process_time()
    clean_text((piece * (300_000 // len(piece) + 1))[:300_000])
    assert time.process_time() - began < 20  # a quadratic search takes many minutes
