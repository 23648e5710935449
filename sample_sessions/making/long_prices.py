"""The long session, second half: francs that end in 0 or 5, on the screen and on the receipt."""

from __future__ import annotations

from .calls import Call, edit, fetch, grep, read, skill, write
from .events import agent, helper_of
from .kept import words, written
from .recordings import recorded
from .transcript import Transcript

QUESTION = (
    "Find every place in shop/ where an amount of money is computed, cut or rounded. Report, change nothing."
)


def survey(t: Transcript, side: dict[str, str]) -> Call:
    """The subagent's own session goes into `side`, by file name; the call hands its report back."""
    report = words("survey.md")
    helper = helper_of(t, "survey")
    helper.meter.add(QUESTION, "prose")
    asked = {"promptId": helper.prompt_id, "type": "user", "message": {"role": "user", "content": QUESTION}}
    helper.link(asked, {"rowSource": "recorded"}, parent=None)
    helper.step("", grep("//", "shop/*.py"), read("shop/pricing.py"))
    helper.step("", read("shop/checkout.py"), read("shop/api.py"))
    helper.step(report)
    side[f"subagents/agent-{helper.agent_id}.jsonl"] = "\n".join(helper.rows) + "\n"
    return agent("Survey money arithmetic", QUESTION, helper, report)


def study(t: Transcript, side: dict[str, str]) -> None:
    """Reading before writing."""
    t.step(
        "I'll have the arithmetic surveyed first, and load the checklist for money.",
        survey(t, side),
        skill("money-review", words("money-review.md")),
        think=120,
    )
    t.step(
        "The survey agrees with what I know: `Totals.due` is the one place. Now the table and the modules "
        "themselves.",
        read("shop/currencies.py"),
        read("shop/pricing.py"),
        read("shop/checkout.py"),
        swap=True,
    )
    t.step(
        "",
        fetch(
            "https://money.example.org/cash-rounding",
            "How are totals rounded where the smallest coin is 5 rappen? What about halves, refunds and "
            "card payments?",
            "The page describes rounding to the smallest coin:\n\n"
            "- Only the total is rounded, never the price of an article or the tax.\n"
            "- Switzerland: to 0.05 francs. 0.01 and 0.02 go down, 0.03 and 0.04 go up; 0.06 and 0.07 go "
            "down to 0.05, 0.08 and 0.09 go up. With a step of five there is no half.\n"
            "- Sweden and Norway: to the whole krone, Denmark: to 0.50, for cash only.\n"
            "- Where a half can occur it goes up in all countries named, and a refund mirrors the "
            "payment.\n"
            "- The difference is shown on the receipt as a row of its own and booked to an account of its "
            "own.\n"
            "- Card payments: left to the seller in Switzerland, not rounded in the north.",
        ),
        read("shop/money.py"),
        think=80,
    )
    t.step(
        "The plan, before I write anything:\n\n"
        "1. `shop/currencies.py`: a field `step` (1 by default), 5 for CHF only, as you said.\n"
        "2. `shop/rounding.py` (new): `to_step`, `payable`, `difference`.\n"
        "3. `shop/checkout.py`: `Totals` gets a figure `rounding`; `due` includes it. Lines, tax and "
        "vouchers stay as they are.\n"
        "4. `shop/api.py` is not touched. `quote` and `order_total` will give rounded francs, since they "
        "give what is due.\n\n"
        "Tests first.",
        write("shop/rounding.py", written("shop/rounding.py")),
        write("tests/test_rounding.py", written("tests/test_rounding.py")),
        think=250,
    )


def table(t: Transcript) -> None:
    """The step of a currency, and a rounding that turns out to be the wrong one."""
    t.step(
        "",
        edit(
            "shop/currencies.py", "    before: bool = True\n", "    before: bool = True\n    step: int = 1\n"
        ),
        edit(
            "shop/currencies.py",
            '        symbol="CHF",\n        before=True,\n',
            '        symbol="CHF",\n        before=True,\n        step=5,\n',
        ),
        recorded("rounding_red", "pytest -q tests/test_rounding.py", "Run the rounding tests"),
    )
    t.step(
        "Python's `round` takes halves to the even neighbour, and the division makes a float of it, which "
        "the large amount shows. Both are against the checklist. Whole numbers only:",
        edit(
            "shop/rounding.py",
            "    return round(minor / step) * step\n",
            "    steps = (2 * abs(minor) + step) // (2 * step)  # a half goes away from zero\n"
            "    return steps * step if minor >= 0 else -steps * step\n",
        ),
        think=100,
    )
    t.step("", recorded("rounding_green", "pytest -q tests/test_rounding.py", "Run the rounding tests"))
    t.step(
        "Green. A last look at the table as it is now, since its doc string should say what a step is.",
        read("shop/currencies.py"),
        think=40,
    )
    t.step(
        "",
        edit(
            "shop/currencies.py",
            '    """One currency as customers know it."""\n',
            '    """One currency as customers know it.\n\n'
            "    `step` is the smallest amount that a total may end in, in minor units: 5 where the "
            "smallest coin is\n"
            '    five hundredths. 1 leaves totals as they are.\n    """\n',
        ),
        edit(
            "shop/checkout.py",
            "from shop.pricing import Line, line_total, tax, voucher\n",
            "from shop.pricing import Line, line_total, tax, voucher\nfrom shop.rounding import difference\n",
        ),
        edit(
            "shop/checkout.py",
            DUE_OLD,
            DUE_NEW,
        ),
    )


DUE_OLD = '''    shipping: int

    @property
    def due(self) -> int:
        """What the customer pays."""
        return self.goods - self.discount + self.tax + self.shipping
'''
DUE_NEW = '''    shipping: int
    rounding: int = 0

    @property
    def due(self) -> int:
        """What the customer pays: an amount that the coins of the currency allow."""
        return self.goods - self.discount + self.tax + self.shipping + self.rounding
'''
TOTALS_OLD = """        return Totals(
            goods=goods,
            discount=discount,
            tax=sum(tax(line, self.country) for line in self.lines),
            shipping=self.shipping(goods - discount),
        )
"""
TOTALS_NEW = """        owed = Totals(
            goods=goods,
            discount=discount,
            tax=sum(tax(line, self.country) for line in self.lines),
            shipping=self.shipping(goods - discount),
        )
        return replace(owed, rounding=difference(owed.due, self.currency))
"""
TEST_OLD = "def test_free_shipping_from_limit_on():"
TEST_NEW = """def test_francs_are_rounded_once_at_the_end():
    totals = order().totals()
    assert totals.rounding == 2
    assert totals.due == 7405


def test_other_currencies_are_not_rounded():
    totals = order("EUR", "DE").totals()
    assert totals.rounding == 0
    assert totals.due == totals.goods + totals.tax + totals.shipping


def test_a_rounded_order_can_be_paid_to_the_last_rappen():
    made = order()
    due = made.totals().due
    assert made.pay(due - 5) == 5
    assert made.pay(5) == 0


def test_free_shipping_from_limit_on():"""
ROUNDING_WORDS = """    "receipt.rounding": {
        "en": "Rounding",
        "de": "Rundung",
        "zh": "舍入差额",
    },
"""
QUEUED = "收据上也要显示舍入差额，三种语言都要。"


def totals(t: Transcript) -> None:
    """The checkout, and a wish that comes in between."""
    t.step(
        "",
        edit("shop/checkout.py", TOTALS_OLD, TOTALS_NEW),
        edit(
            "shop/checkout.py",
            "from dataclasses import dataclass, field\n",
            "from dataclasses import dataclass, field, replace\n",
        ),
        edit("tests/test_checkout.py", TEST_OLD, TEST_NEW),
        read("shop/checkout.py"),
        think=140,
    )
    t.step("", recorded("checkout_red", "pytest -q", "Run all tests"))
    t.queue(QUEUED)
    t.unqueue(QUEUED)
    t.step(
        "The failure is in my test: 74.08 goes up to 74.10, not down. The code is right. I mend the test, "
        "then the receipt.",
        edit("tests/test_checkout.py", "    assert totals.due == 7405\n", "    assert totals.due == 7410\n"),
        read("shop/receipt.py"),
        read("shop/texts.py"),
        read("tests/test_receipt.py"),
        think=90,
    )


def receipts(t: Transcript) -> None:
    """The row on the receipt."""
    t.step(
        "收据按字符数对齐，中文每个字占两列，所以中文收据本来就是歪的。我顺手改成按列宽对齐，再加上舍入差"
        "额一行。",
        write("shop/receipt.py", written("shop/receipt.py")),
        edit(
            "shop/texts.py",
            '    "receipt.due": {',
            ROUNDING_WORDS + '    "receipt.due": {',
        ),
        write("tests/test_receipt.py", written("tests/test_receipt.py")),
        think=200,
    )
    demo = (
        "python - <<'EOF'\nfrom shop.checkout import Order\nfrom shop.pricing import Line\nfrom "
        "shop.receipt import receipt\n"
        "order = Order('1042', 'CH', 'CHF')\norder.add(Line('tea-assam', 1290, 3, reduced_tax=True))\n"
        "order.add(Line('lantern-moon', 2450))\nfor language in ('en', 'zh'):\n    print(receipt(order, "
        "language), end='\\n\\n')\nEOF"
    )
    t.step(
        "",
        recorded("receipt_green", "pytest -q", "Run all tests"),
        recorded("receipt_demo", demo, "Print a receipt in two languages"),
        read("shop/receipt.py"),
    )
    t.step(
        "舍入差额已经印在收据上（英、德、中），例子：CHF 74.08 变成 74.10，单独一行 0.02。\n\n"
        "- 只舍入应付总额，不动单价、税和优惠券；目前只有 CHF。\n"
        "- `shop/api.py` 没有改。要注意：合作方得到的瑞郎金额现在也是舍入后的。\n"
        "- 顺便修好：中文收据的金额现在对齐了。\n"
        "- 全部测试通过。",
    )
    t.close_turn()


def ledger(t: Transcript) -> None:
    """A table for the books, one line a day, currency and account."""
    t.step(
        "先看看有哪些数字可以入账，再写模块。",
        read("shop/checkout.py", 19, 40),
        read("shop/rounding.py"),
        read("shop/currencies.py", 1, 24),
    )
    t.step(
        "One module with four small functions: the entries of an order, their sums by day, an amount for "
        "machines, and the table. An order is booked so that its entries add up to nought; that check is "
        "cheap, and it would have caught the missing rounding by itself.",
        write("shop/ledger.py", written("shop/ledger.py")),
        write("tests/test_ledger.py", written("tests/test_ledger.py")),
        think=190,
    )
    t.step("", recorded("ledger_red", "pytest -q tests/test_ledger.py", "Run the ledger tests"))
    t.step(
        "`csv.writer` ends its lines with a carriage return and a line feed unless told otherwise. The "
        "doc string promises a line feed alone, so the code follows it.",
        edit(
            "shop/ledger.py",
            "    writer = csv.writer(out)\n",
            '    writer = csv.writer(out, lineterminator="\\n")\n',
        ),
        think=50,
    )
    demo = (
        "python - <<'EOF'\nfrom datetime import date\nfrom shop.checkout import Order\nfrom shop.ledger "
        "import as_csv, day_sums, entries\nfrom shop.pricing import Line\nday = date(2026, 11, 30)\nmade = "
        "[]\nfor number in range(1042, 1060):\n"
        "    order = Order(str(number), 'CH', 'CHF', [Line('tea-assam', 1290, 3, reduced_tax=True), "
        "Line('card', number)])\n"
        "    made += entries(order, day)\nprint(as_csv(day_sums(made)))\nEOF"
    )
    t.step(
        "",
        recorded("ledger_green", "pytest -q", "Run all tests"),
        recorded("ledger_demo", demo, "Print a day of eighteen orders"),
        read("shop/ledger.py"),
    )
    t.step(
        "每日汇总做好了：`shop/ledger.py` 里的 `as_csv(day_sums(...))`，每天、每种货币、每个科目一行。\n\n"
        "- 每张订单的分录加起来必须为零，否则拒绝入账。\n"
        "- 舍入差额记在单独的科目 3999；一天之内正负会互相抵消，抵消为零的不列出。\n"
        "- 科目编号是我按常见的科目表填的，请财务核对 `ACCOUNTS` 这张表，改起来只有一处。\n"
        "- 金额不带货币符号和千位分隔，行尾只有换行符。",
    )
    t.close_turn()
