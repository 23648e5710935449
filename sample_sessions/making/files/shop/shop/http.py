"""Requests and responses, as small as this shop needs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit


@dataclass
class Request:
    """One request of a browser."""

    method: str
    url: str
    form: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return urlsplit(self.url).path

    @property
    def query(self) -> dict[str, str]:
        """The first value of every query parameter."""
        return {key: values[0] for key, values in parse_qs(urlsplit(self.url).query).items()}


@dataclass
class Response:
    """What goes back to the browser."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)


def redirect(target: str, cookies: dict[str, str] | None = None) -> Response:
    """Send the browser to `target` with a GET."""
    return Response(status=303, headers={"Location": target}, cookies=cookies or {})
