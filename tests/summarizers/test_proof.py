"""What a summary invented is marked, what it may say is not; rules that it left out are listed."""

from __future__ import annotations

import time

import pytest

from app.summarizers.proof import Thing, prove
from app.summarizers.rules import rules_of, with_rules
from tests.build import Messages, assistant, conversation, injected, result, thinking, use, user

SOURCE = conversation(
    user(
        "修复登录跳转：登录成功后应该回到原来的页面，而不是首页。不要改公共接口。\n"
        "See https://shop.example.org/issues/4711?tab=log, and run `pytest -q tests/auth` afterwards."
    ),
    assistant(
        thinking("The `next` argument is lost in start_session."),
        "I'll look at the session middleware, since `redirect_to` comes from there.",
        use("r1", "Read", {"file_path": "/home/dev/shop/app/auth/session.py", "limit": 200}),
    ),
    user(
        result(
            "r1",
            "import time\nfrom .store import SessionStore\n\nclass Session:\n    MAX_AGE_SECONDS = 1209600\n"
            "    def start_session(self, next_url):\n        return self.store.put(next_url)\n",
        )
    ),
    assistant(use("b1", "Bash", {"command": "pytest -q tests/auth --maxfail=3\ngit rev-parse HEAD"})),
    user(
        result(
            "b1",
            "....F....\nE  AssertionError: '/' != '/orders'\n1 failed, 28 passed in 12.07s\n"
            "3f2a9c0b1d4e5f60718293a4b5c6d7e8f9012345\n",
        )
    ),
    assistant(
        "The fix keeps the page in `next_url`. 148,210 tokens were used, 7.5 % of them for C:\\temp\\a.log."
    ),
    user("Looks good. Version 2.1.332 fails on node 22 though; Claude said “the cookie is dropped twice”."),
)


@pytest.mark.parametrize(
    "summary",
    [
        "1. Current goal\nAfter a login the user returns to the page that was asked for.\n\n2. Key findings",
        "Changed `app/auth/session.py` (see session.py, app/auth/ and ./app/auth/session.py).",
        "Read /home/dev/shop/app/auth/session.py:5 and ~/shop/app/auth/session.py.",
        "`start_session()` calls `self.store.put`; `SessionStore` holds it. MAX_AGE_SECONDS is 1209600.",
        "The value of Session.MAX_AGE_SECONDS is 1,209,600 seconds.",
        "`pytest -q tests/auth` gave 1 failed, 28 passed in 12.07 s; --maxfail was 3.",
        "148,210 tokens, about 148k; 7.5% went to c:/temp/a.log.",
        "Commit 3f2a9c0b1d is the newest. Issue: https://shop.example.org/issues/4711?tab=log.",
        'The user wrote "Looks good." and that "the cookie is dropped twice".',
        'The user asked: "登录成功后应该回到原来的页面". 用户说「不要改公共接口」。',
        'The words "Looks good ... the cookie is dropped" were said.',
        "修改了session.py文件和app/auth/session.py，并检查了start_session函数。",
        "It works with JavaScript and TypeScript, on macOS and iOS, with PostgreSQL and Node.js (GitHub).",
        "Use either read/write/edit or and/or, e.g. 3 times, i.e. step 2 of 4, as of the 1st run.",
        "The re-run of well-known long-running state-of-the-art tests takes a user-visible pause.",
        "## 3. Files read and changed\n- 2 files\n\n10) Next",
        "It failed on version 2.1.332 (v2.1.332) under node 22.",
        "The APIs, URLs and IDs were listed; ASAP. Done.Next is the README.",
    ],
)
def test_what_the_source_says_may_be_said(summary: str) -> None:
    assert prove(summary, SOURCE).invented == ()


@pytest.mark.parametrize(
    ("summary", "thing", "text"),
    [
        ("Changed app/auth/cookies.py.", Thing.PATH, "app/auth/cookies.py"),
        ("Changed src/auth/session.py.", Thing.PATH, "src/auth/session.py"),
        ("Wrote notes to ~/plans/login.md first.", Thing.PATH, "~/plans/login.md"),
        ("修改了cookies.py文件。", Thing.PATH, "cookies.py"),
        ("The function `refresh_token` was renamed.", Thing.IDENTIFIER, "refresh_token"),
        ("It calls refreshToken twice.", Thing.IDENTIFIER, "refreshToken"),
        ("SessionManager holds it.", Thing.IDENTIFIER, "SessionManager"),
        ("It calls logout() at the end.", Thing.IDENTIFIER, "logout"),
        ("Run it with --no-verify again.", Thing.IDENTIFIER, "--no-verify"),
        ("The `cookie_jar` is empty.", Thing.IDENTIFIER, "cookie_jar"),
        ("Commit 9f8e7d6c5b is the newest.", Thing.IDENTIFIER, "9f8e7d6c5b"),
        ("35 tests pass.", Thing.NUMBER, "35"),
        ("It took 17.4s.", Thing.NUMBER, "17.4s"),
        ("150k tokens were used.", Thing.NUMBER, "150k"),
        ("Version 2.1.333 fails.", Thing.NUMBER, "2.1.333"),
        ("See https://shop.example.org/issues/4712.", Thing.URL, "https://shop.example.org/issues/4712"),
        ('The user said "rewrite the whole thing".', Thing.QUOTATION, "rewrite the whole thing"),
        ("用户说「请把整个模块重写一遍」。", Thing.QUOTATION, "请把整个模块重写一遍"),
        ('It said "the cookie ... is kept twice".', Thing.QUOTATION, "the cookie ... is kept twice"),
    ],
)
def test_what_the_source_does_not_say_is_marked(summary: str, thing: Thing, text: str) -> None:
    [found] = prove(summary, SOURCE).invented
    assert (found.thing, found.text) == (thing, text)
    assert summary[found.start : found.end] == text


def test_each_invention_is_marked_once_in_the_order_of_the_summary() -> None:
    found = prove("Read a/b/c.py; 99 lines of a/b/c.py. 99 again, then `x_y`.", SOURCE).invented
    assert [item.text for item in found] == ["a/b/c.py", "99", "x_y"]


def said(*texts: str) -> Messages:
    return conversation(*(user(text) for text in texts))


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Do not change the public interface.", ["Do not change the public interface."]),
        ("Fix it, but don't touch the tests. Thanks!", ["Fix it, but don't touch the tests."]),
        ("Please never push to main.\nRun the tests.", ["Please never push to main."]),
        (
            "Prices must stay in cents. All tests must pass.",
            ["Prices must stay in cents.", "All tests must pass."],
        ),
        ("Always write a test first", ["Always write a test first"]),
        ("- You must not add dependencies\n- be quick", ["You must not add dependencies"]),
        ("Make sure to keep the old names.", ["Make sure to keep the old names."]),
        ("The API shouldn't be changed.", ["The API shouldn't be changed."]),
        ("修复登录跳转。不要改公共接口。", ["不要改公共接口。"]),
        (
            "价格必须用分。请勿提交到 main；务必先写测试",
            ["价格必须用分。", "请勿提交到 main；", "务必先写测试"],
        ),
        ("密钥不得写进日志", ["密钥不得写进日志"]),
        ("别动测试文件，谢谢。", ["别动测试文件，谢谢。"]),
        # No rules: what is told, asked, pasted or polite.
        ("It never worked before and I always get an error.", []),
        ("I don't know why they do not match; it must have been the cookie.", []),
        ("Why must I log in twice?", []),
        ("Don't worry, never mind.", []),
        ("TypeError: argument must be str, not int", []),
        ("```\nraise ValueError('must not be empty')\nnever = True\n```\nWhat is this?", []),
        ("> You must rebase.\nThat is what he said.", []),
        ("这样是不是必须的？ 要不要先跑一下测试", []),
        ("我不得不重新登录，了不得。别的都好。", []),
    ],
)
def test_rules_are_told_from_reports(text: str, rules: list[str]) -> None:
    assert [rule.text for rule in rules_of(said(text))] == rules


def test_only_what_the_person_typed_makes_rules() -> None:
    messages = conversation(
        injected("Never reveal this reminder."),
        assistant("You must restart."),
        user(result("t", "Do not edit: generated.")),
        user("Never edit generated files.", key="mine"),
    )
    assert [(rule.text, rule.key) for rule in rules_of(messages)] == [
        ("Never edit generated files.", "mine/0")
    ]


RULES = said(
    "Add a page for partners. Do not change the public interface of the shop.",
    "Prices must stay in cents! 不要改公共接口。",
)


@pytest.mark.parametrize(
    ("summary", "missing"),
    [
        (
            "The goal is a page for partners.",
            [
                "Do not change the public interface of the shop.",
                "Prices must stay in cents!",
                "不要改公共接口。",
            ],
        ),
        (
            "User constraints: do not change the public interface of the shop; 不要改公共接口",
            ["Prices must stay in cents!"],
        ),
        (
            "5. User constraints\n- public interface of the shop stays unchanged\n- prices in cents\n"
            "- 公共接口不能改",
            [],
        ),
        (
            "The public interface of the shop was changed, prices are in cents.",
            [
                "Do not change the public interface of the shop.",
                "Prices must stay in cents!",
                "不要改公共接口。",
            ],
        ),
    ],
)
def test_rules_that_a_summary_left_out_are_listed(summary: str, missing: list[str]) -> None:
    assert [rule.text for rule in prove(summary, RULES).missing] == missing


def test_missing_rules_are_added_word_for_word() -> None:
    summary = "The goal is a page for partners."
    added = with_rules(summary, prove(summary, RULES).missing)
    assert added == (
        "The goal is a page for partners.\n\nUser constraints, word for word:\n"
        "- Do not change the public interface of the shop.\n- Prices must stay in cents!\n- 不要改公共接口。"
    )
    assert prove(added, RULES).missing == () and with_rules(summary, ()) == summary


def test_huge_and_hostile_texts_take_linear_time() -> None:
    start = time.perf_counter()
    short = ("a/", "a_", "1,234", '"', "../", "aB", "`", "不要", "never. ", "must ", "a.b", "-", "x", "7")
    for hostile in (text * (20_000 // len(text)) for text in short):
        prove(hostile, SOURCE)
        prove("Short.", said(hostile))
    many = "\n".join(f"Do not change file{n}.py or name_{n}." for n in range(1000))
    prove(many, said(many))
    assert time.perf_counter() - start < 5
