"""Attributes computed on first access and then kept, for classes with very many instances."""

from __future__ import annotations

from typing import Any


def found_when_asked(holder: Any, name: str) -> Any:
    """The `__getattr__` of a class with slots whose slot `x` is filled by its method `_find_x`.

    `cached_property` would need a dict for every object, and a lock for every value (Python 3.11).
    """
    find = getattr(type(holder), f"_find_{name}", None)
    if find is None:
        raise AttributeError(f"{type(holder).__name__!r} object has no attribute {name!r}")
    value = find(holder)
    setattr(holder, name, value)
    return value
