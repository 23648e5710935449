"""The long session, first half: tests that do not run, then a login that forgets where it came from."""

from __future__ import annotations

from .calls import ask, edit, fetch, glob, grep, look, read, write
from .events import Mark, mark, rewind
from .kept import written
from .picture import picture
from .recordings import recorded
from .transcript import Transcript


def broken_tests(t: Transcript) -> None:
    """Before the boundary: pytest does not find the package."""
    t.step(
        "先看一下报错。",
        recorded("early_red", "pytest -q", "Run the tests"),
        read("pyproject.toml"),
        think=50,
    )
    t.step(
        "`tests` 目录里没有 `__init__.py`，pytest 只把 `tests/` 放进 `sys.path`，所以找不到 `shop`。"
        "在 `pyproject.toml` 里加一行 `pythonpath` 就够了，不用改测试。",
        edit("pyproject.toml", 'addopts = "-ra"', 'addopts = "-ra"\npythonpath = ["."]'),
    )
    t.step("", recorded("early_green", "pytest -q", "Run the tests again"))
    t.step("好了：全部测试通过。改动只有 `pyproject.toml` 里的一行。")
    t.close_turn()

    t.user(
        "I am new here. How does a price come about, from the page to what is due? Point at the code.",
        pause=340,
    )
    t.step(
        "I'll read the two modules that do it, and the page that says it in words.",
        read("shop/pricing.py"),
        read("shop/checkout.py"),
        read("docs/prices.md"),
        think=100,
    )
    t.step("", read("shop/money.py"), grep("due", "shop/*.py"))
    t.step(
        "In four steps:\n\n"
        "1. **Line** (`shop/pricing.py`, `line_total`): unit price times quantity, less 5, 10 or 15 "
        "percent from 6, 12 or 24 pieces on, cut down to a whole minor unit.\n"
        "2. **Tax** (`tax`): per line, by the country of the parcel, standard or reduced rate.\n"
        "3. **Voucher and sending** (`Order.totals`): the voucher is taken off the goods only; sending is "
        "free from a limit that is checked after the voucher.\n"
        "4. **Due** (`Totals.due`): goods - discount + tax + shipping. There is no rounding after that, "
        "so an order in francs can come to CHF 74.08, which nobody can pay with coins.\n\n"
        "`shop/api.py` gives partners the same figure through `quote` and `order_total`; its signatures "
        "are pinned by `tests/test_api.py`.",
        think=130,
    )
    t.close_turn()


def forgotten_page(t: Transcript) -> None:
    """The redirect: found, reproduced, mended, and kept from being misused."""
    t.step(
        "先读规则，再看登录和会话的代码。",
        read("CLAUDE.md"),
        read("shop/login.py"),
        read("shop/sessions.py"),
        think=140,
        swap=True,
    )
    t.step(
        "",
        grep("next", "shop/*.py"),
        glob("**/*", listing(t)),
        recorded("redirect_missing", "pytest -q tests/test_redirect.py", "Run the redirect tests"),
    )
    t.step(
        "There is no test for the redirect yet. I'll look at how the login tests are built before I write "
        "one.",
        read("tests/test_login.py"),
        read("shop/http.py"),
        read("shop/app.py"),
    )
    t.step(
        "原因很可能是这个：`login_page` 把 `next` 存进会话，`login` 先调用 `store.rotate`（新会话是空的），"
        "然后才去新会话里找 `next`，于是总是回到 `/`。先写测试把它复现出来。",
        write("tests/test_login_redirect.py", written("tests/test_login_redirect.py")),
        think=190,
    )
    mended(t)


def mended(t: Transcript) -> None:
    """Two bugs, one after the other, until the new tests pass."""
    command = "pytest -q tests/test_login_redirect.py"
    t.step("", recorded("redirect_red", command, "Run the new tests"))
    t.step(
        "Reproduced: every case that should go back goes to `/` instead. I take `next` out before the "
        "session is rotated.",
        edit(
            "shop/login.py",
            '    session = store.rotate(session, user)\n    return redirect(session.data.pop("next", "/"))\n',
            '    target = session.data.pop("next", "/")\n    session = store.rotate(session, user)\n'
            "    return redirect(target, cookies=cookie(session))\n",
        ),
        think=70,
    )
    t.step("The text I gave was not exact; I read the file again.", read("shop/login.py"))
    t.step(
        "",
        edit(
            "shop/login.py",
            "    session = store.rotate(session, user)\n"
            '    return redirect(session.data.pop("next", "/"), cookies=cookie(session))\n',
            '    target = session.data.pop("next", "/")  # the fresh session holds nothing of this one\n'
            "    session = store.rotate(session, user)\n    return redirect(target, "
            "cookies=cookie(session))\n",
        ),
    )
    t.step("", recorded("redirect_one_red", command, "Run the new tests"))
    t.step(
        "One case is left, and it is a second bug: `/login?next=` is built without quoting, so everything "
        "after `&` is lost.",
        edit(
            "shop/app.py",
            'return redirect(f"/login?next={request.url}")',
            'return redirect(f"/login?next={quote(request.url)}")',
        ),
        edit(
            "shop/app.py",
            "from __future__ import annotations\n\nfrom shop.checkout",
            "from __future__ import annotations\n\nfrom urllib.parse import quote\n\nfrom shop.checkout",
        ),
        think=110,
    )
    t.step("", recorded("redirect_green", command, "Run the new tests"))
    open_redirect(t)


def listing(t: Transcript) -> list[str]:
    """Names in the folder; pictures of the articles are on disk but never read."""
    names = [path for path in sorted(t.work.files) if not path.startswith("logs/")]
    pictures = [
        line.split("`")[1]
        for path in names
        if path.startswith("pages/")
        for line in t.work.files[path].splitlines()
        if line.startswith("`")
    ]
    return names + ["docs/login-flow.png"] + [f"static/img/{sku}.webp" for sku in pictures]


def open_redirect(t: Transcript) -> None:
    """A question to the person, and the answer's consequences."""
    t.step(
        "Before I call it done: now that `next` works, anybody can put another host into it and have our "
        "login page send people there. What should be allowed is yours to say.",
        ask(
            "Which targets may a login follow?",
            "Targets",
            [
                ("Paths of this shop only", "Anything else goes to the home page"),
                ("Also partner hosts", "A list of hosts in the settings"),
                ("Anything", "As it is now"),
            ],
            "Paths of this shop only, and never write the target into a log",
        ),
        think=90,
    )
    t.step(
        "Paths of this shop only, and no logging of targets.",
        write("shop/targets.py", written("shop/targets.py")),
        write("tests/test_targets.py", written("tests/test_targets.py")),
        edit(
            "shop/login.py",
            '    session.data["next"] = request.query.get("next", "/")\n',
            '    session.data["next"] = safe_target(request.query.get("next", "/"))\n',
        ),
        edit(
            "shop/login.py",
            "from shop.sessions import SessionStore, cookie\n",
            "from shop.sessions import SessionStore, cookie\nfrom shop.targets import safe_target\n",
        ),
        think=160,
    )
    t.step("", recorded("targets_green", "pytest -q", "Run all tests"))
    t.step(
        "修好了，公共接口没有动：\n\n"
        "- `shop/login.py`：先取出 `next`，再换会话。\n"
        "- `shop/app.py`：跳转到登录页时给地址加上转义，`&` 后面的参数不再丢失。\n"
        "- `shop/targets.py`（新）：只允许本店的路径，其余一律回首页；按您说的，目标地址不写进任何日志。\n"
        "- 新测试两份，先红后绿；全部测试通过。",
    )
    t.close_turn()


SCREENSHOT = picture(["LOGIN -> /ORDERS", "LANDED ON /"])
FLOW = picture(
    ["GET /ORDERS -> 303", "GET /LOGIN -> FORM", "POST /LOGIN -> 303", "GET /ORDERS -> 200"], scale=4
)


def preloaded_form(t: Transcript) -> None:
    """A screenshot: in one browser the page is still forgotten."""
    t.step(
        "The picture shows the same landing place. I'll hold it against the flow as we drew it, and look "
        "up whether that browser asks for pages ahead of time.",
        look("docs/login-flow.png", FLOW),
        fetch(
            "https://docs.example.org/browsers/preloading",
            "Does Safari request a page before the person opens it? Which requests are repeated, and with "
            "which query?",
            "According to the page, Safari may preload the top hit while an address is being typed. The "
            "request is an ordinary GET with the visitor's cookies and cannot be told from a real one by "
            "its headers.\n\n"
            "- The preloaded address is the one that was visited most often, *without* its query when the "
            "query changed between visits.\n"
            "- The page may be requested a second time when it is opened.\n"
            "- Servers are advised to give GET no effect that a second GET can undo.\n\n"
            "The page gives no way to switch it off from the server's side.",
        ),
        think=170,
    )
    t.step(
        "That fits. `login_page` writes `next` on every GET: when the browser preloads `/login` without a "
        "query, our `/` overwrites the page that was remembered. First the test.",
        edit(
            "tests/test_login_redirect.py",
            "def test_the_planted_session_is_worth_nothing():",
            "def test_a_preloaded_form_forgets_nothing():\n    shop = Shop(OneUser())\n"
            '    page = open_form(shop, "/orders/1042")\n'
            '    shop(Request("GET", "/login", cookies=page.cookies))\n'
            '    assert send_form(shop, page.cookies).headers["Location"] == "/orders/1042"\n\n\n'
            "def test_the_planted_session_is_worth_nothing():",
        ),
        recorded("preload_red", "pytest -q tests/test_login_redirect.py", "Run the redirect tests"),
        think=80,
    )
    t.step(
        "",
        edit(
            "shop/login.py",
            '    session.data["next"] = safe_target(request.query.get("next", "/"))\n',
            '    wanted = request.query.get("next")\n'
            "    if wanted is not None:  # a browser may load the bare form ahead of time\n"
            '        session.data["next"] = safe_target(wanted)\n',
        ),
        read("shop/login.py"),
        recorded("preload_green", "pytest -q", "Run all tests"),
    )
    t.step(
        "It was a third cause, not the first two: Safari loads the bare `/login` ahead of time, and that "
        "wiped the remembered page. Only a form that was asked for with `next` sets it now. All tests "
        "pass; there is one for this case.",
    )
    t.close_turn()


def written_down(t: Transcript) -> None:
    """How it works now, for the next one."""
    t.step(
        "I'll write it from the code as it is now, so I look at the two files that I have not seen since "
        "they changed.",
        read("shop/app.py"),
        read("shop/targets.py"),
        think=40,
    )
    t.step("", write("docs/login.md", written("docs/login.md")), think=100)
    t.step(
        "`docs/login.md` has the way through as a drawing, the four rules with the test that holds each, "
        "and the questions that I expect. I named your decision about partner hosts there, so that nobody "
        "has to ask you twice.",
    )
    t.close_turn()


def stay_logged_in(t: Transcript) -> None:
    """A branch that the person takes back."""
    here: Mark = mark(t)
    t.user("Add a box 'stay logged in for 30 days' to the form.", pause=210)
    t.step(
        "I'll see what a session's lifetime hangs on.",
        read("shop/sessions.py"),
        grep("LIFETIME", "shop/*.py"),
        think=70,
    )
    t.step(
        "It can be done with a second lifetime in `SessionStore.open` and a box in the form. One thing "
        "first: a session that lives for a month should be on disk, and ours are in memory, so every "
        "deployment would log people out anyway. Shall I add a store on disk, or leave the box until "
        "there is one?",
        think=110,
    )
    t.close_turn()
    rewind(t, here)
