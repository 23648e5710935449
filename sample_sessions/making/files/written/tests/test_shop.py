"""One walk through the whole shop: in at the door, past the till, out with a receipt."""

from datetime import date

import pytest

from shop import api
from shop.app import Shop
from shop.checkout import Order
from shop.http import Request
from shop.ledger import as_csv, day_sums, entries
from shop.pricing import Line
from shop.receipt import cells, receipt


class TwoUsers:
    """Two customers, so that one can be kept out of the other's session."""

    phrases = {"mei": "warm rain", "urs": "cold snow"}

    def check(self, name, phrase):
        return f"u-{name}" if self.phrases.get(name) == phrase else None


class Browser:
    """Keeps its cookies and follows redirects, as browsers do; remembers every address it was sent to."""

    def __init__(self, shop):
        self.shop = shop
        self.cookies = {}
        self.trail = []

    def open(self, url, method="GET", **form):
        for _ in range(5):
            answer = self.shop(Request(method, url, form=form, cookies=dict(self.cookies)))
            self.cookies |= answer.cookies
            if answer.status != 303:
                return answer
            url, method, form = answer.headers["Location"], "GET", {}
            self.trail.append(url)
        raise AssertionError(f"sent round in a circle: {self.trail}")

    def log_in(self, name="mei"):
        return self.open("/login", "POST", name=name, phrase=TwoUsers.phrases[name])


@pytest.fixture
def shop():
    return Shop(TwoUsers())


def test_in_at_the_door(shop):
    browser = Browser(shop)
    assert "log in" in browser.open("/orders/1042").body
    assert "1042 (u-mei)" in browser.log_in().body
    assert browser.trail == ["/login?next=/orders/1042", "/orders/1042"]


def test_once_inside_nobody_asks_again(shop):
    browser = Browser(shop)
    browser.open("/orders/1042")
    browser.log_in()
    browser.trail.clear()
    assert "1043 (u-mei)" in browser.open("/orders/1043").body
    assert browser.trail == []


def test_two_browsers_do_not_meet(shop):
    mei, urs = Browser(shop), Browser(shop)
    mei.open("/orders/1042")
    urs.open("/account")
    assert "u-mei" in mei.log_in("mei").body
    urs.log_in("urs")
    assert urs.trail[-1] == "/account"
    assert mei.cookies["sid"] != urs.cookies["sid"]


def test_out_and_in_again(shop):
    browser = Browser(shop)
    browser.open("/orders/1042")
    browser.log_in()
    browser.open("/logout", "POST")
    assert "log in" in browser.open("/account").body


@pytest.mark.parametrize(
    "link",
    ["/login?next=//mirror.example.net/orders", "/login?next=https://mirror.example.net/", "/login?next=/%5Cmirror.example.net"],
)
def test_a_link_in_a_mail_leads_nowhere_else(shop, link):
    browser = Browser(shop)
    browser.open(link)
    browser.log_in()
    assert browser.trail == ["/"]


def test_past_the_till():
    basket = [("tea-assam", 1290, 3), ("lantern-moon", 2450, 1)]
    order = Order("1042", "CH", "CHF", [Line(*row) for row in basket])
    assert api.quote(basket, "CH", "CHF") == api.order_total(order)
    assert api.order_total(order) % 5 == 0
    assert order.pay(api.order_total(order)) == 0


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_out_with_a_receipt(language):
    order = Order("1042", "CH", "CHF", [Line("tea-assam", 1290, 3, reduced_tax=True), Line("lantern-moon", 2450)])
    rows = receipt(order, language).splitlines()
    assert rows[-1].endswith("CHF 74.10")
    assert len({cells(row) for row in rows[2:]}) == 1


def test_and_into_the_books():
    day = date(2026, 11, 30)
    orders = [Order(str(number), "CH", "CHF", [Line("card", 1000 + number)]) for number in range(1, 40)]
    made = [entry for order in orders for entry in entries(order, day)]
    assert sum(entry.amount for entry in made) == 0
    table = as_csv(day_sums(made)).splitlines()
    assert table[0] == "day,currency,account,amount"
    assert [row.split(",")[2] for row in table[1:]] == ["1100", "2200", "3200", "3400", "3999"]
