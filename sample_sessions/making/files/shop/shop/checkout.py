"""From a basket to an order that can be paid."""

from __future__ import annotations

from dataclasses import dataclass, field

from shop.http import Request, Response
from shop.money import show
from shop.pricing import Line, line_total, tax, voucher
from shop.sessions import Session
from shop.texts import text

FREE_SHIPPING = {"CHF": 8000, "EUR": 7500, "GBP": 6500, "SEK": 85000, "DKK": 55000, "JPY": 12000, "CNY": 55000}
SHIPPING = {"CHF": 790, "EUR": 690, "GBP": 590, "SEK": 7900, "DKK": 4900, "JPY": 900, "CNY": 4500}


@dataclass(frozen=True)
class Totals:
    """The figures at the foot of an order, all in minor units."""

    goods: int
    discount: int
    tax: int
    shipping: int

    @property
    def due(self) -> int:
        """What the customer pays."""
        return self.goods - self.discount + self.tax + self.shipping


@dataclass
class Order:
    """A basket with a country and a currency."""

    number: str
    country: str
    currency: str
    lines: list[Line] = field(default_factory=list)
    voucher_percent: int = 0
    paid: int = 0

    def add(self, line: Line) -> None:
        """Put a line in; the same thing at the same price joins the line that is there."""
        for place, have in enumerate(self.lines):
            if (have.sku, have.unit_price, have.reduced_tax) == (line.sku, line.unit_price, line.reduced_tax):
                self.lines[place] = Line(have.sku, have.unit_price, have.quantity + line.quantity, have.reduced_tax)
                return
        self.lines.append(line)

    def remove(self, sku: str) -> None:
        """Take every line of that article out; KeyError when there is none."""
        kept = [line for line in self.lines if line.sku != sku]
        if len(kept) == len(self.lines):
            raise KeyError(sku)
        self.lines = kept

    def totals(self) -> Totals:
        """The figures as they stand now."""
        goods = sum(line_total(line) for line in self.lines)
        discount = voucher(goods, self.voucher_percent)
        return Totals(
            goods=goods,
            discount=discount,
            tax=sum(tax(line, self.country) for line in self.lines),
            shipping=self.shipping(goods - discount),
        )

    def shipping(self, goods: int) -> int:
        """What sending costs: nothing for an empty basket, and nothing above the limit."""
        if not self.lines or goods >= FREE_SHIPPING.get(self.currency, 10**12):
            return 0
        return SHIPPING.get(self.currency, 0)

    def pay(self, amount: int) -> int:
        """Take a payment and give back what is still open; ValueError when it is too much."""
        if amount <= 0:
            raise ValueError("a payment is more than nothing")
        still_open = self.totals().due - self.paid
        if amount > still_open:
            raise ValueError(f"{show(amount, self.currency)} is more than the open {show(still_open, self.currency)}")
        self.paid += amount
        return still_open - amount


def order_page(request: Request, session: Session) -> Response:
    """The page of one order: its number and what is due."""
    number = request.path.removeprefix("/orders").strip("/")
    if not number:
        return Response(body=text("orders.none", "en"))
    return Response(body=f"{text('orders.title', 'en')} {number} ({session.user})")
