"""What looks like a key, and what only talks of one. No key stands here whole: scanners read tests too."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import secret_shapes, secrets
from app.secrets import count_secrets, find_secrets

LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

KEYS = [
    ("sk-" + "test0" * 9, "OpenAI-like key"),
    ("sk-" + "ant-api03-" + LETTERS, "Anthropic key"),
    ("gh" + "p_" + LETTERS, "GitHub token"),
    ("github" + "_pat_" + LETTERS, "GitHub token"),
    ("gl" + "pat-" + "Q" * 20, "GitLab token"),
    ("AK" + "IAABCD1234ABCD1234", "AWS key id"),
    ("AI" + "za" + LETTERS[:35], "Google key"),
    ("h" + "f_" + LETTERS, "Hugging Face token"),
    ("xo" + "xb-1111-2222-abcdEFGH", "Slack token"),
    ("s" + "k_live_" + LETTERS, "Stripe key"),
    ("np" + "m_" + LETTERS, "package registry token"),
    ("8219692302:" + "AA" + "H" + "k" * 32, "Telegram bot token"),
    ("SG" + "." + LETTERS[:22] + "." + LETTERS, "SendGrid key"),
    ("ey" + "JhbGciOiJIUzI1." + "ey" + "JzdWIiOiIxMjM0." + LETTERS, "signed token"),
    ("-----BEGIN PRI" + "VATE KEY-----\nTUlJRXZR\n", "private key"),
]

SAID = [
    ("curl -H 'Authorization: Bea" + "rer abcdef0def0def0def0def0def0def0'", "bearer token"),
    ("DATABASE_PASS" + "WORD=correct-horse-battery", "password or key given to a name"),
    ('{"api_' + 'key": "zx81-9f3c-77aa"}', "password or key given to a name"),
    ("postgres://app:tr0ub4dor" + "@db.internal/shop", "password in an address"),
]

PIECES = (
    " ",
    "\n",
    "KEY",
    "Api-",
    "PASSW",
    "ORD=",
    "ACCESS_KEY: 'ab12cd34ef'",
    "sk-",
    "://",
    "@",
    "钥匙",
    "1234567890",
)


@pytest.mark.parametrize(("key", "kind"), KEYS, ids=[f"{kind}-{n}" for n, (_, kind) in enumerate(KEYS)])
def test_well_known_keys_are_found_whole(key: str, kind: str) -> None:
    for text in (key, f"My key is {key}, keep it.", f'{{"a": "{key}"}}', f"钥匙是 {key}。"):
        [found] = find_secrets(text)
        assert found.kind == kind
        assert text[found.start : found.end].startswith(key.strip())


@pytest.mark.parametrize(("text", "kind"), SAID)
def test_what_a_name_is_given_is_found(text: str, kind: str) -> None:
    [found] = find_secrets(text)
    assert found.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "The password must be longer than eight characters.",
        "password: required",
        "api_key = os.environ['API_KEY']",
        "token=$TOKEN",
        "secret=${{ secrets.DEPLOY }}",
        "client_secret: <your secret>",
        "password=********",
        "def check_password(password: str) -> bool:",
        "self.auth_token = self.session.token_for(user)",
        "git checkout 3f2a9c0b1d4e5f60718293a4b5c6d7e8f9012345",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "toolu_01A09q90qw90lq917835lq9",
        "https://example.com/a:b@c",
        "the task-force desk-side risk-based approach of the sk-learn people",
        "max_tokens: 4096, total_tokens=12000",
    ],
)
def test_talk_of_keys_is_no_key(text: str) -> None:
    assert count_secrets(text) == 0


def test_all_are_counted_each_once() -> None:
    assert count_secrets("\n".join(key for key, _ in KEYS)) == len(KEYS)


def test_a_huge_text_is_searched_in_linear_time() -> None:
    start = time.perf_counter()
    for hostile in (
        "password" * 20_000,
        "a://" * 10_000,
        "-----BEGIN PRI" + "VATE KEY-----" * 10_000,
        "sk-" * 50_000,
    ):
        count_secrets(hostile)
    assert time.perf_counter() - start < 3


ENV = "PLACE_A=Lantern 9\nPLACE_B=Bridge 4\nPLACE_C=Harbour 7\n"


@given(
    st.lists(
        st.sampled_from([*(key for key, _ in KEYS), *(text for text, _ in SAID), ENV, *PIECES]), max_size=6
    )
)
def test_a_quick_look_passes_over_no_kind_that_the_shapes_would_find(parts: list[str]) -> None:
    text = "".join(parts)
    lowered = secrets.lower(text)
    assert len(lowered) == len(text)
    for finder in secret_shapes.FINDERS:
        if list(finder.find(text, lowered)):
            assert any(needle in lowered for needle in finder.needles)
    whole = list(find_secrets(text, among=secret_shapes.FINDERS))
    assert list(find_secrets(text)) == whole


TOKENS = [f for f in secret_shapes.FINDERS if isinstance(f, secret_shapes.SecretPattern) and f.is_token]


@pytest.mark.parametrize("shape", TOKENS, ids=[f"{shape.kind}-{n}" for n, shape in enumerate(TOKENS)])
def test_the_shortest_key_of_each_shape_passes_the_quick_look(shape: secret_shapes.SecretPattern) -> None:
    heads = shape.pattern.removeprefix("(?:").partition(")")[0].replace("\\", "").split("|")
    for head in heads:
        more = ("", "." + "a4" * 9, "/" + "a4" * 20)
        ends = (sign * length + rest for length in range(8, 60) for sign in "a4" for rest in more)
        key = next((head + end for end in ends if re.fullmatch(shape.pattern, head + end)), head + "A" * 40)
        assert count_secrets(key) == 1, key
