"""After logging in, a visitor lands on the page that asked for it."""

import pytest

from shop.app import Shop
from shop.http import Request


class OneUser:
    def check(self, name, phrase):
        return "u-1" if (name, phrase) == ("mei", "warm rain") else None


def open_form(shop, first):
    """Ask for a private page and follow the redirect to the form."""
    asked = shop(Request("GET", first))
    return shop(Request("GET", asked.headers["Location"]))


def send_form(shop, cookies, phrase="warm rain"):
    return shop(Request("POST", "/login", form={"name": "mei", "phrase": phrase}, cookies=cookies))


@pytest.mark.parametrize("first", ["/orders/1042", "/orders", "/account"])
def test_back_to_the_page_asked_for(first):
    shop = Shop(OneUser())
    page = open_form(shop, first)
    assert send_form(shop, page.cookies).headers["Location"] == first


def test_query_is_kept_whole():
    shop = Shop(OneUser())
    first = "/orders?from=2026-01&to=2026-11"
    page = open_form(shop, first)
    assert send_form(shop, page.cookies).headers["Location"] == first


def test_home_when_no_page_was_asked_for():
    shop = Shop(OneUser())
    page = shop(Request("GET", "/login"))
    assert send_form(shop, page.cookies).headers["Location"] == "/"


def test_a_wrong_phrase_in_between_forgets_nothing():
    shop = Shop(OneUser())
    page = open_form(shop, "/orders/1042")
    refused = send_form(shop, page.cookies, "cold rain")
    assert refused.status == 401
    assert send_form(shop, refused.cookies).headers["Location"] == "/orders/1042"


def test_the_planted_session_is_worth_nothing():
    shop = Shop(OneUser())
    page = open_form(shop, "/orders/1042")
    answer = send_form(shop, page.cookies)
    assert shop.store.open(page.cookies["sid"]).user is None
    assert shop.store.open(answer.cookies["sid"]).data == {}
