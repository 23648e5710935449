"""The long session: two and a half hours in a small shop, with everything that real ones have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from . import long_login, long_prices, long_release
from .events import compaction, context, helper_meta, standing
from .kept import words
from .transcript import Transcript
from .workspace import Workspace

START = datetime(2026, 11, 30, 7, 52, 9, 318_000, tzinfo=UTC)
SKILLS = {
    "money-review": "Checklist for every change that touches an amount of money",
    "release-notes": "Write the list of changes for a release",
}
STATUS = """Current branch: main

Status:
(clean)

Recent commits:
4b19c2a The basket keeps its order
e07d55f Receipts in three languages"""


@dataclass(frozen=True)
class Made:
    """A session's file and the files of the folder beside it, by their path in that folder."""

    session: str
    side: dict[str, str]


def long_session() -> Made:
    """The whole session, from the first prompt to the six pages that nobody has answered yet."""
    t = Transcript("lantern street", START, Workspace())
    side: dict[str, str] = {}
    opening(t)
    long_login.broken_tests(t)
    compaction(
        t,
        "keep the rules about money",
        words("summary.md"),
        ["pyproject.toml", "shop/pricing.py"],
        SKILLS,
    )
    redirect(t)
    prices(t, side)
    release(t, side)
    finish_helpers(t, side)
    return Made("\n".join(t.rows) + "\n", side)


def opening(t: Transcript) -> None:
    t.loose("mode", mode="normal")
    t.user("pytest 跑不起来了，说找不到 shop 这个包。帮我修好，别动测试。", pause=0)
    standing(t, SKILLS)
    context(t, STATUS)


def redirect(t: Transcript) -> None:
    t.user("修复登录跳转：登录成功后应该回到原来的页面，而不是首页。不要改公共接口。", pause=260)
    t.loose("ai-title", aiTitle="Login redirect and rounding in francs")
    context(t, STATUS.replace("(clean)", " M pyproject.toml"))
    long_login.forgotten_page(t)
    t.user(
        "In Safari I still land on the home page, see the picture. Same problem?",
        pause=840,
        picture=long_login.SCREENSHOT,
    )
    long_login.preloaded_form(t)
    t.user("把登录流程写进 docs/login.md，给下一个人看，英文就行。", pause=300)
    long_login.written_down(t)
    long_login.stay_logged_in(t)


def prices(t: Transcript, side: dict[str, str]) -> None:
    t.user(
        "Now the prices: there are no coins of one or two rappen, so what is due in francs must end in 0 "
        "or 5. Round only what is due, never the price of an article. The table should be able to say it "
        "for other currencies too, but switch it on for CHF only. Do not change the public API.",
        pause=430,
    )
    long_prices.study(t, side)
    long_prices.table(t)
    long_prices.totals(t)
    long_prices.receipts(t)
    t.user("财务还要一份每日汇总：每天、每种货币、每个科目一行，CSV 格式。科目由你先定。", pause=510)
    long_prices.ledger(t)


def release(t: Transcript, side: dict[str, str]) -> None:
    t.user(
        "Did anybody use the open redirect before today? The web server's log is in logs/access.log.",
        pause=720,
    )
    long_release.log_lines(t, side)
    t.user(
        "Write a note for our partners in English and Chinese (docs/partners.md) and answers for the "
        "people on the phone (docs/support.md). And I want one test that walks through the whole shop, "
        "from the login to the books.",
        pause=380,
    )
    long_release.partners(t)
    t.user(
        "Then write it up for the accountants: docs/rounding.md, with a table of all currencies. Make it "
        "release 2.4.0 and commit. 产品页面不要动。",
        pause=2760,
    )
    long_release.books(t)
    t.user(
        "One last thing before it goes out: go through all six product pages and list every price in "
        "francs that does not end in 0 or 5. Only report, change nothing.",
        pause=1150,
    )
    long_release.all_pages(t)


def finish_helpers(t: Transcript, side: dict[str, str]) -> None:
    """The small file beside each subagent's session names the call that started it."""
    for name in [name for name in side if name.startswith("subagents/")]:
        row = next(row for row in t.rows if '"name":"Agent"' in row)
        call_id = row.split('"type":"tool_use","id":"', 1)[1].split('"', 1)[0]
        side[name.replace(".jsonl", ".meta.json")] = helper_meta("Survey money arithmetic", call_id)
