"""The long session, last part: who used the hole, the books, and the pages before a release."""

from __future__ import annotations

from .calls import Call, bash, edit, persisted, read, write
from .events import nested_memory
from .ids import token
from .kept import written
from .pages import PAGES
from .recordings import recorded
from .tables import rounding_page
from .transcript import Transcript
from .workspace import Workspace

LOG = "logs/access.log"


def log_lines(t: Transcript, side: dict[str, str]) -> None:
    """Whether the open redirect had been used."""
    name = f"tool-results/{token('b', t.name, 'log', length=8)}.txt"
    saved = f"/home/dev/.claude/projects/-home-dev-shop/{t.session_id}/{name}"
    side[name] = t.work.files[LOG]

    def foreign(work: Workspace) -> str:
        lines = [line for line in work.files[LOG].splitlines() if "mirror" in line]
        return "\n".join(lines)

    def counted(work: Workspace) -> str:
        lines = [line.split() for line in work.files[LOG].splitlines() if "mirror" in line]
        visitors = sorted({fields[1] for fields in lines})
        return "\n".join(f"{sum(fields[1] == who for fields in lines):7d} {who}" for who in visitors)

    t.step(
        "I'll look at what the web server kept.",
        persisted(f"cat {LOG}", "Show the access log", LOG, saved),
        think=40,
    )

    def logins(work: Workspace) -> str:
        return "\n".join([line for line in work.files[LOG].splitlines() if "GET /login" in line][-72:])

    t.step(
        "",
        bash(f"grep -F 'GET /login' {LOG} | tail -n 72", "The newest requests to the login page", logins),
        think=50,
    )
    t.step(
        "",
        bash(f"grep -F 'mirror' {LOG}", "Requests with a foreign target", foreign),
        bash(
            f"grep -F 'mirror' {LOG} | awk '{{print $2}}' | sort | uniq -c", "Count them by visitor", counted
        ),
        think=40,
    )
    t.step(
        "Yes. Since yesterday noon the log has requests to `/login` whose `next` names "
        "`mirror.example.net`, in three spellings: with two slashes, with a scheme, and with an escaped "
        "backslash. They come from many visitors, one or two each, as they would from a link in a mail.\n\n"
        "- All three spellings are cases of `tests/test_targets.py`; with today's change they end on the "
        "home page.\n"
        "- Before today they *would have worked* only for people whose session kept `next`, which the "
        "first bug prevented. The bug that you reported protected the others.\n"
        "- The log itself holds whole targets. It is written by the web server, not by this repository, "
        "so I leave it; you said that targets must not be logged, and that line of its configuration "
        "should go.",
        think=160,
    )
    t.close_turn()


def partners(t: Transcript) -> None:
    """A note to partners, answers for support, and one test from door to till."""
    t.step(
        "I'll read once more what partners see, so that the note says nothing that a test does not hold.",
        read("shop/api.py"),
        read("tests/test_api.py"),
        read("docs/prices.md"),
        think=70,
    )
    t.step(
        "The note says what changes in one line, then who has to do something about it. The answers for "
        "support are written for people who have a customer on the phone: the sentence first, the reason "
        "after it.",
        write("docs/partners.md", written("docs/partners.md")),
        write("docs/support.md", written("docs/support.md")),
        think=230,
    )
    t.step(
        "Now the test that walks through the whole shop. It uses a browser of its own that keeps cookies "
        "and follows redirects, so that it finds what the small tests cannot: that the parts do not fit.",
        write("tests/test_shop.py", written("tests/test_shop.py")),
        recorded("shop_test", "pytest -q tests/test_shop.py", "Run the walk through the shop"),
        think=160,
    )
    t.step(
        "For partners, in two sentences: what is due in francs now ends in 0 or 5 rappen and may differ "
        "from your own sum by up to two; names, arguments and types of the interface stay, and so does "
        "every other currency.\n\n"
        "What I would say on the phone tomorrow, since you will be asked before anybody has read a "
        "page:\n\n"
        "> We have mended two things in the shop. After logging in you are back on the page you came "
        "from, and nobody can use our login page to send you somewhere else. And what you pay in francs "
        "now ends in nought or five, as it does at the till; the receipt shows the rappen that were added "
        "or taken off. Prices have not changed.\n\n"
        "Three things are not done, and each is a decision of yours, not of mine:\n\n"
        "1. The web server still writes whole targets into its log. That is one line of its "
        "configuration.\n"
        "2. The accounts in `shop/ledger.py` are the usual numbers, not necessarily yours.\n"
        "3. Two months' notice before another currency is rounded is a promise that I wrote for you in "
        "`docs/partners.md`. Strike it if you do not want to keep it.\n\n"
        "The new test found nothing wrong, which after today I am glad of. It takes less than a tenth of "
        "a second, so there is no reason to leave it out of the ordinary run.",
        think=130,
    )
    t.close_turn()


def books(t: Transcript) -> None:
    """A page for the accountants; on the way the context passes a hundred thousand tokens."""
    t.step(
        "I'll see what the page on prices says now, and how the pages in the shop write an amount.",
        read("docs/prices.md"),
        read("pages/lanterns.md"),
        read("pages/green-tea.md"),
        think=70,
    )
    nested_memory(t, "pages/CLAUDE.md", t.work.files["pages/CLAUDE.md"].rstrip("\n"))
    t.step(
        "The pages are not ours to change, so `docs/` it is. The table names every currency, with its step.",
        write("docs/rounding.md", rounding_page()),
        edit(
            "docs/prices.md",
            "Goods, less the voucher, plus tax, plus sending. Nothing is rounded beyond the whole rappen "
            "or cent.\n",
            "Goods, less the voucher, plus tax, plus sending. In francs the sum is then rounded to 0.05, "
            "once, at the very end; the\n"
            "difference has a row of its own on the receipt. How, and for which currencies, is in "
            "`docs/rounding.md`.\n",
        ),
        think=130,
    )
    reviewed(t)


def reviewed(t: Transcript) -> None:
    """The whole change is read once more and committed."""
    t.step(
        "The table in the page must say what the code says; I hold one against the other.",
        read("shop/currencies.py"),
        read("shop/rounding.py"),
    )
    t.step(
        "They agree. Two lines are missing: the version and the list of changes.",
        edit("CHANGELOG.md", "# Changes\n", CHANGES),
        edit("pyproject.toml", 'version = "2.3.1"', 'version = "2.4.0"'),
        edit("shop/__init__.py", '__version__ = "2.3.1"', '__version__ = "2.4.0"'),
        think=80,
    )
    t.step(
        "Before the commit I read the whole change once, code first.",
        bash(
            "git add -A && git diff --cached -- shop",
            "Show the change in the code",
            lambda work: work.diff("shop/*"),
            kind="code",
        ),
    )
    pages = ("CHANGELOG.md", "docs/login.md", "docs/prices.md", "docs/rounding.md")
    t.step(
        "",
        bash(
            f"git diff --cached -- {' '.join(pages)}",
            "And in the pages that say it in words",
            lambda work: work.diff(*pages),
            kind="prose",
        ),
    )
    t.step(
        "",
        recorded("all_green", "pytest -q", "Run all tests"),
        bash("git status --short", "List what changed", status),
    )
    t.step(
        "",
        read("CHANGELOG.md"),
        bash("git commit -qm 'Round francs, mend the redirect' && git log --oneline -1", "Commit", commit),
    )
    t.step(
        "Written and committed as 2.4.0:\n\n"
        "- `docs/rounding.md`: what is rounded, what is not, how to book it, and a table of all "
        "currencies with their step.\n"
        "- `docs/prices.md`: the last section says what the code does now.\n"
        "- `CHANGELOG.md` and the version.\n\n"
        "All tests pass. The one thing that your accountants should hear from a person: partners get "
        "rounded francs from now on.",
        think=50,
    )
    t.close_turn()


CHANGES = """# Changes

## 2.4.0

- After logging in you land on the page you asked for, with its whole query, in every browser.
- A login sends nobody to another host any more.
- What is due in francs ends in 0 or 5 rappen. The difference has a row of its own on the receipt.
- Amounts on Chinese receipts stand in one column.
"""


def status(work: Workspace) -> str:
    """`git status --short` of the files that differ from the commit."""
    changed = sorted(path for path, text in work.files.items() if work.committed.get(path) != text)
    return "\n".join(f"{'M' if path in work.committed else 'A'}  {path}" for path in changed)


def commit(work: Workspace) -> str:
    work.commit()
    return "7c41d0e Round francs, mend the redirect"


def all_pages(t: Transcript) -> None:
    """Six long pages at once; the session ends before the model has answered."""
    calls: list[Call] = [read(f"pages/{name}.md") for name in PAGES]
    t.step(
        "I'll read all six pages at once and go through every price in francs. I change nothing in them.",
        *calls,
        think=50,
    )
    t.state_rows()
