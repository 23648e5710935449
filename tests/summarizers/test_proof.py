"""What a summary invented is marked, what it may say is not; rules that it left out are listed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from app.formats import detect, open_source
from app.summarizers.mentions import Thing
from app.summarizers.proof import prove
from app.summarizers.rules import rules_of, with_rules
from app.summarizers.texts import texts_of
from tests.build import Messages, assistant, conversation, injected, result, thinking, use, user

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"

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


DETAILS = conversation(
    user(
        "Fix ./src/auth/session.py (docs/AUTH.md#cookies). Set TIMEOUT to 1,234 ms on 2026-11-30; it costs"
        ' $19.75 or 7.5%. Mail bob@example.com; db.internal:5432. He said "Do NOT rename the table".'
    ),
    assistant(
        use("r1", "Read", {"file_path": "/home/dev/shop/src/auth/session.py"}),
        use("b1", "Bash", {"command": "pytest -q tests/auth/test_login.py::TestLogin::test_next -x 2>&1"}),
    ),
    user(
        result(
            "r1", "class SessionStore(BaseStore):\n  await self._db.fetch_one(query, {'id': i})\nX = 0x1F\n"
        ),
        result(
            "b1", "28 passed in 12.07s\n1048576 bytes\nsrc\\win\\path.cs at line 41 to 60\n@pytest.fixture\n"
        ),
    ),
    assistant(
        "See shop.example.org/issues/4711; 配置文件 config/设置.yaml，端口为 8080。用户说要保留旧的名字。"
    ),
)


@pytest.mark.parametrize(
    "summary",
    [
        "1234 ms, 1,234 ms, 1_234 ms, 1'234 ms, 1\u202f234 ms or 1.234 ms.",
        "On 2026-11-30, 30.11.2026, 11/30/2026 or 2026/11/30.",
        "[session.py](src/auth/session.py), **src/auth/session.py**, <src/auth/session.py>, `session.py`:",
        "session.py:41, src/auth/session.py:41:5, session.py#L41-L60, session.py (lines 41–60), lines 41-60.",
        "$HOME/shop/src/auth/session.py, ${HOME}/shop, …/auth/session.py and .../auth/session.py.",
        "src/auth/*.py, src/**/*.py, src/auth/{session,cookies}.py, src/auth/, tests/auth.",
        "src/win/path.cs or src\\win\\path.cs.",
        "Run `pytest -q tests/auth/test_login.py -x`; `TestLogin::test_next`, TestLogin.test_next, `2>&1`.",
        "`self._db.fetch_one()` and self._db.fetch_one(query, ...) of SessionStores, `fetch_one(query)`.",
        "@pytest.fixture, `@pytest.fixture`, 0x1f, `0x1F`.",
        "“Do NOT rename the table”, 'do not rename the table', „Do not rename the table“.",
        '> Do NOT rename the table.\n> - "Do NOT rename the table"',
        "用户说“保留旧的名字”。端口为8080，config/设置.yaml 已改。",
        "bob@example.com, https://shop.example.org/issues/4711, #4711, db.internal:5432, 1048576 bytes.",
        "(1) one (2) two\n**3. Three**\n10. Last\n- 12) Twelfth\n## 11. Eleventh",
        "client/server, and/or, TCP/IP, 24/7, 50/50, CI/CD, w/o, create/read/delete, step 2/3, 3x, 2nd.",
        "<summary>\n<state_snapshot>Nothing.</state_snapshot>\n</summary>",
        "The users' table, don't, the sessions' store, 'twas; it's 'so'.",
    ],
)
def test_another_spelling_of_what_the_source_says_is_no_invention(summary: str) -> None:
    assert prove(summary, DETAILS).invented == ()


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        ("Changed src/auth/tokens.py:41.", "src/auth/tokens.py"),
        ("Changed [tokens](src/auth/tokens.py).", "src/auth/tokens.py"),
        ("Changed src/auth/令牌.py.", "src/auth/令牌.py"),
        ("Changed C:\\Users\\bob\\a.txt.", "C:\\Users\\bob\\a.txt"),
        ("Edited `Dockerfile.prod`.", "Dockerfile.prod"),
        ("It stands in session.py:97.", "97"),
        ("It stands in session.py#L97.", "97"),
        ("It stands in lines 41-97.", "97"),
        ("It uses db.internal:5433.", "5433"),
        ("Done on 2026-12-01.", "2026-12-01"),
        ("It costs $29.75.", "29.75"),
        ("It is 0x2F.", "0x2F"),
        ("It is 1e-5.", "1e-5"),
        ("It fell to -17 degrees.", "17"),
        ("28/44 tests pass.", "44"),
        ("It is 95x faster.", "95x"),
        ("It calls self._db.execute(query).", "self._db.execute"),
        ("`TestLogin::test_prev` fails.", "TestLogin::test_prev"),
        ("It uses kafka.producer.send for that.", "kafka.producer.send"),
        ("@app.route was added.", "@app.route"),
        ("Run it with `-f`.", "-f"),
        ("He ran `rm -rf build`.", "rm -rf build"),
        ("He ran `git push --force origin`.", "git push --force origin"),
        ("Then `import asyncio` was added.", "import asyncio"),
        ("Commit abcdefa is it.", "abcdefa"),
        ("See www.evil.example.com/page.", "www.evil.example.com/page"),
        ("See ftp://evil.example/x.", "ftp://evil.example/x"),
        ("Clone git@github.com:me/repo.git.", "git@github.com:me/repo.git"),
        ("Mail eve@example.com.", "eve@example.com"),
        ("He said 'delete it all now'.", "delete it all now"),
        ("Er sagte „alles löschen bitte“.", "alles löschen bitte"),
        ("Il a dit « supprimez tout ça ».", "supprimez tout ça"),
        ("> Delete the whole table now", "Delete the whole table now"),
        ("用户说“删除所有的文件”。", "删除所有的文件"),
        ("端口为9090。", "9090"),
        ("修改了令牌，调用 delete_session 函数。", "delete_session"),
    ],
)
def test_an_invention_is_found_wherever_it_stands(summary: str, text: str) -> None:
    [found] = prove(summary, DETAILS).invented
    assert found.text == text and summary[found.start : found.end] == text


@pytest.mark.parametrize("name", ["claude-code-tools.jsonl", "codex-three-turns.jsonl", "awkward-cjk.jsonl"])
def test_no_line_of_a_session_is_made_up(name: str) -> None:
    source = open_source(str(SAMPLES / name))
    messages = tuple(detect(source).read(source).messages)
    lines = [line for text in texts_of(messages) for line in text.splitlines() if len(line) < 2000]
    for begin in range(0, len(lines), 200):
        assert prove("\n\n".join(lines[begin : begin + 200]), messages).invented == ()


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


@pytest.mark.parametrize(
    "text",
    [
        *("Only touch files under src/.", "Use only the standard library.", "You may only use the library."),
        *("Please only change the tests.", "Answer in German only.", "Avoid new dependencies."),
        *("Be careful not to break the API.", "Keep the public names unchanged.", "Stick to Python 3.11."),
        *("Leave the migrations alone.", "No emojis please.", "You can't use the network."),
        *("Prices have to stay in cents.", "Ensure the names stay.", "Fix it without touching the tests."),
        *(
            "I don't want you to change the tests.",
            "Nothing outside src may change.",
            "Prefer small commits.",
        ),
        *("Only report, change nothing.", "Change nothing else."),
        *("From now on, write commit messages in English.", "DO NOT EDIT generated files", "dont touch prod"),
        *(
            "只改 src 目录",
            "只能用标准库",
            "不能改数据库",
            "一定要用 UTC",
            "保持接口不变",
            "先别提交",
            "始终使用中文",
        ),
        *("每次都要跑测试", "请保持原样", "不用加依赖", "仅修改登录页", "不可删除日志", "尽量少改"),
        *("Bitte nie auf main pushen.", "Ändere nicht die Schnittstelle.", "Ne change pas l'API publique."),
        *(
            "No cambies la API pública.",
            "Не трогай тесты.",
            "テストは変更しないでください。",
            "반드시 테스트하세요.",
        ),
    ],
)
def test_rules_are_found_in_every_usual_form(text: str) -> None:
    assert [rule.text for rule in rules_of(said(text))] == [text]
    assert not prove(with_rules("A goal.", rules_of(said(text))), said(text)).missing


@pytest.mark.parametrize(
    "text",
    [
        *("It only fails on Fridays.", "Only one test fails.", "I only wanted to know why.", "No problem."),
        *(
            "You only changed one file.",
            "That must be the cookie.",
            "I cannot log in any more.",
            "It always fails.",
        ),
        *(
            "Don't you think that is odd?",
            "There is no such file.",
            "No, that is fine.",
            "I have to be there.",
        ),
        *(
            "我不能登录",
            "只有一个测试失败",
            "一定是缓存的问题",
            "别的都可以",
            "不用谢",
            "Das geht nicht.",
            "Je ne sais pas.",
        ),
    ],
)
def test_reports_are_no_rules(text: str) -> None:
    assert list(rules_of(said(text))) == []


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
    short = (
        "> *",
        "\n> -*_",
        "「",
        "'",
        "' ",
        "$a/",
        "a@",
        "1-",
        "`a b",
        "ab.",
        "a/",
        "a_",
        "1,234",
        '"',
        "../",
        "aB",
        "`",
        "不要",
        "never. ",
        "must ",
        "a.b",
        "-",
        "x",
        "7",
    )
    for hostile in (text * (20_000 // len(text)) for text in short):
        prove(hostile, SOURCE)
        prove("Short.", said(hostile))
    many = "\n".join(f"Do not change file{n}.py or name_{n}." for n in range(1000))
    prove(many, said(many))
    assert time.perf_counter() - start < 5
