"""What partners rely on."""

import inspect

from shop import api


def test_names_and_arguments_do_not_change():
    assert str(inspect.signature(api.quote)) == (
        "(lines: 'list[tuple[str, int, int]]', country: 'str', currency: 'str') -> 'int'"
    )
    assert str(inspect.signature(api.order_total)) == "(order: 'Order') -> 'int'"


def test_quote_in_euros():
    assert api.quote([("tea-assam", 1290, 2)], "DE", "EUR") == 3760
