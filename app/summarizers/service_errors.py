"""What went wrong with a service, in one line that says what to do and never holds the key."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from app.refusal import read_refusal
from app.summarizers.asking import one_line

if TYPE_CHECKING:
    from app.summarizers.service import Service

HIDDEN = "(the key)"


class ErrorSent(Exception):
    """An error where a piece of an answer was due."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.body = body


def why_failed(error: Exception, service: Service, chars: int) -> str:
    """The line for an error of a library, of the connection, or of what came back.

    `chars` are the code points of the answer that had come in by then.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and not 200 <= status < 300:
        line = _of_status(status, error, service)
    else:
        line = _of_connection(error, service, chars)
    # A service may quote what it was sent.
    return line.replace(service.key, HIDDEN) if service.key else line


def _of_status(status: int, error: Any, service: Service) -> str:
    said = _said(getattr(error, "body", None)) or "no message"
    headers = getattr(getattr(error, "response", None), "headers", {})
    host = service.host
    match status:
        case 401 | 403:
            name = service.key_variable
            key = f"the key in {name}" if name else "a request without a key (key_variable names none)"
            return f"{host} does not accept {key} ({status}): {said}"
        case 404:
            asked = getattr(getattr(error, "request", None), "url", "")
            return f"{host} knows no model {service.model}, or no address {_path(asked)} (404): {said}"
        case 429:
            return f"{host} asks to wait{_wait(headers)} (429): {said}"
        case 400 | 413 if read_refusal(said) is not None:
            return f"the prompt is too long for {service.model}: set a lower input_chars: {said}"
        case _ if 300 <= status < 400:
            to = one_line(headers.get("location", "another place"))
            return f"{host} redirects to {to} ({status}), and nothing was sent there: base_url can name it"
        case _ if status >= 500:
            return f"{host} failed on its side ({status}): try again later: {said}"
    return f"{host} does not accept the request ({status}): {said}"


def _of_connection(error: Exception, service: Service, chars: int) -> str:
    host = service.host
    names = [type(cause).__name__ for cause in _causes(error)]
    if "ConnectTimeout" in names:
        return f"{host} cannot be reached: it does not answer"
    if "ConnectError" in names:
        return f"{host} cannot be reached: {_root(error)}"
    if said := _said(getattr(error, "body", None)):
        return f"{host} broke off with an error after {chars:,} characters: {said}"
    if any(word in name for name in names for word in ("Protocol", "Read", "Write", "APIConnection")):
        return f"the connection to {host} broke off after {chars:,} characters: {_root(error)}"
    return f"what {host} sent is not an answer: {one_line(str(error))}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came from, the newest first."""
    seen: set[int] = set()
    waiting: BaseException | None = error
    while waiting is not None and id(waiting) not in seen:
        seen.add(id(waiting))
        yield waiting
        inner = waiting.exceptions[0] if isinstance(waiting, BaseExceptionGroup) else None
        waiting = inner or waiting.__cause__ or waiting.__context__


def _root(error: BaseException) -> str:
    """The words of the first cause that has any."""
    *_, last = (cause for cause in _causes(error) if str(cause))
    told = getattr(last, "verify_message", None) or getattr(last, "strerror", None) or str(last)
    number = getattr(last, "errno", None)
    # Where a connection is refused, asyncio says only where to.
    if isinstance(last, ConnectionError) and isinstance(number, int):
        return os.strerror(number).lower()
    return one_line(str(told))


def _said(body: Any) -> str:
    """The message in the body of an error, whatever shape that has."""
    if isinstance(body, str):
        try:
            return _said(json.loads(body))
        except ValueError:
            return "a web page" if "<html" in body[:1000].lower() else one_line(body)
    if isinstance(body, dict):
        for name in ("error", "message", "detail"):
            if body.get(name):
                return _said(body[name])
        return one_line(json.dumps(body, ensure_ascii=False)) if body else ""
    return "" if body is None else one_line(str(body))


def _path(url: Any) -> str:
    return one_line(urlsplit(str(url)).path)


def _wait(headers: Any) -> str:
    """How long to wait, as the service says."""
    said = one_line(headers.get("retry-after", ""))
    if not said:
        return ""
    return f" {said} seconds" if said.replace(".", "", 1).isdigit() else f" until {said}"
