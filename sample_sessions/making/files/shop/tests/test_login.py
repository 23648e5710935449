"""Logging in and out."""

from shop.app import Shop
from shop.http import Request


class OneUser:
    def check(self, name, phrase):
        return "u-1" if (name, phrase) == ("mei", "warm rain") else None


def post_login(shop, cookies, phrase="warm rain"):
    return shop(Request("POST", "/login", form={"name": "mei", "phrase": phrase}, cookies=cookies))


def test_form_is_shown():
    answer = Shop(OneUser())(Request("GET", "/login"))
    assert answer.status == 200
    assert answer.cookies["sid"]


def test_wrong_phrase():
    shop = Shop(OneUser())
    page = shop(Request("GET", "/login"))
    assert post_login(shop, page.cookies, "cold rain").status == 401


def test_session_id_changes_at_login():
    shop = Shop(OneUser())
    page = shop(Request("GET", "/login"))
    answer = post_login(shop, page.cookies)
    assert answer.status == 303
    assert answer.cookies["sid"] != page.cookies["sid"]


def test_private_page_asks_for_login():
    answer = Shop(OneUser())(Request("GET", "/orders/1042"))
    assert answer.headers["Location"] == "/login?next=/orders/1042"


def test_logout():
    shop = Shop(OneUser())
    page = shop(Request("GET", "/login"))
    cookies = post_login(shop, page.cookies).cookies
    shop(Request("POST", "/logout", cookies=cookies))
    assert shop(Request("GET", "/orders/1042", cookies=cookies)).status == 303
