"""Made-up secrets of every kind, none of which stands here whole: scanners read tests, too."""

from __future__ import annotations

LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HEX = "0123456789abcdef" * 3

KEYS = {
    "OpenAI": "sk-" + "test0" * 9,
    "OpenAI project": "sk-" + "proj-" + LETTERS * 3,
    "Anthropic": "sk-" + "ant-api03-" + LETTERS,
    "GitHub": "gh" + "p_" + LETTERS,
    "GitHub fine": "github" + "_pat_" + LETTERS,
    "GitLab": "gl" + "pat-" + "Q" * 20,
    "AWS": "AK" + "IAABCD1234ABCD1234",
    "Google": "AI" + "za" + LETTERS[:35],
    "Hugging Face": "h" + "f_" + LETTERS,
    "Slack": "xo" + "xb-1111-2222-abcdEFGH",
    "Stripe": "s" + "k_live_" + LETTERS,
    "npm": "np" + "m_" + LETTERS,
    "Telegram": "8219692302:" + "AA" + "H" + "k" * 32,
    "SendGrid": "SG" + "." + LETTERS[:22] + "." + LETTERS,
    "JWT": "ey" + "JhbGciOiJIUzI1." + "ey" + "JzdWIiOiIxMjM0." + LETTERS,
    "Groq": "gs" + "k_" + LETTERS,
    "Databricks": "da" + "pi" + HEX[:32],
    "DigitalOcean": "do" + "p_v1_" + HEX,
    "Vault": "hv" + "s." + LETTERS,
    "Discord": "discord.com/api/web" + "hooks/123456789012345678/" + LETTERS,
}
"""By whose they look like: each is found by itself."""

GIVEN = {
    "bearer": ("curl -H 'Authorization: Bea" + "rer {}'", "abcdef0def0def0def0def0def0def0"),
    "basic": ("Authorization: Ba" + "sic {}", "dXNlcjpodW50ZXIy"),
    "env": ("STRIPE_" + "KEY={}", "correct-horse-battery-9"),
    "password": ("DATABASE_PASS" + "WORD={}", "correct-horse-battery"),
    "url": ("postgres://app:{}@db.internal/shop", "tr0ub4dor"),
    "option": ("login --pass" + "word {} --quiet", "tr0ub4dor-and-3"),
    "curl": ("curl -u ada:{} https://x.test", "hunter2hunter2"),
    "cookie": ("Coo" + "kie: sid={}", "s%3Aabc123def456"),
    "signed": ("https://x.test/a?si" + "g={}&b=1", "Zm9vYmFyYmF6cXV4MTIzNDU2"),
}
"""What is found by what stands before it: a text with a hole, and the secret."""

PEM_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
PEM = "-----BEGIN PRI" + f"VATE KEY-----\n{PEM_BODY}\n{PEM_BODY[::-1]}\n-----END PRI" + "VATE KEY-----"


def texts() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Each kind with a text that holds it, and what must not stand anywhere afterwards."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {
        kind: (f"it is {key}, keep it", (key, key[4:-2])) for kind, key in KEYS.items()
    }
    found |= {kind: (text.format(value), (value,)) for kind, (text, value) in GIVEN.items()}
    found["private key"] = (f"here:\n{PEM}\nthat was it", (PEM_BODY, PEM_BODY[::-1]))
    env = (
        "NODE_ENV=production\nPORT=3000\nSITE_NAME=Lantern Street 9\nexport DB_HOST=db.internal.example\nX=1"
    )
    found["env file"] = (env, ("Lantern Street 9", "db.internal.example"))
    found["env file, numbered"] = (
        "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(env.splitlines(), 1)),
        ("Lantern Street 9", "db.internal.example"),
    )
    found["home"] = ("cd /home/adalovelace/work && ls", ("adalovelace",))
    found["mac home"] = ("/Users/adalovelace/Library", ("adalovelace",))
    found["windows home"] = ("C:\\Users\\adalovelace\\x", ("adalovelace",))
    found["slug"] = ("~/.claude/projects/-home-adalovelace-work/x.jsonl", ("adalovelace",))
    return found
