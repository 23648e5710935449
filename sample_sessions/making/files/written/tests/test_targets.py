"""Which targets a login follows."""

import pytest

from shop.targets import HOME, safe_target


@pytest.mark.parametrize(
    "wanted",
    [
        "/",
        "/orders/1042",
        "/orders?from=2026-01&to=2026-11",
        "/pages/green-tea#spring-sencha",
        "/account/",
        "/%E7%81%AF%E7%AC%BC",
    ],
)
def test_pages_of_the_shop(wanted):
    assert safe_target(wanted) == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        "https://mirror.example.net/login",
        "//mirror.example.net/orders",
        "///mirror.example.net",
        "/\\mirror.example.net",
        "/%5Cmirror.example.net",
        "%2F%2Fmirror.example.net",
        "/\t/mirror.example.net",
        "javascript:alert(1)",
        "orders/1042",
        "",
    ],
)
def test_other_places(wanted):
    assert safe_target(wanted) == HOME


@pytest.mark.parametrize("wanted", ["/login", "/login/", "/login?next=/orders", "/logout"])
def test_circles(wanted):
    assert safe_target(wanted) == HOME
