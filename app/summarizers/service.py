"""Asking a service through its maker's library: the answer is streamed, can be cut short, and is asked once.

What the libraries would do by themselves is taken from them: no retries, no redirects to places that
nobody was told of, no address, key or proxy but those that `Service` names.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import warnings
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeVar

from app.display import human_bytes
from app.errors import InputError, RefusedError, SummaryFailed
from app.summarizers.asking import PATIENT, POLL_SECONDS, AnswerLimits, Ask, PartialAnswer, wait_for
from app.summarizers.base import SummaryRequest
from app.summarizers.service_errors import ErrorSent, why_failed
from app.summarizers.streamed import FORMS, ServiceDialect

CONNECT_SECONDS: Final = 15.0
MOST_BYTES: Final = 64 << 20
"""Of a response: an answer with all that is written around its words takes a few hundred thousand."""
NO_KEY: Final = "none"
"""Is sent where the settings name no key: the libraries want one."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Service:
    """Whom to ask, and with what. The key never stands in a text."""

    kind: str
    """The name of the library: anthropic or openai."""
    model: str
    address: str
    """As the library takes it."""
    host: str
    """As a person reads it."""
    key: str = field(repr=False)
    key_variable: str
    """Where the key came from; empty for none."""
    max_tokens: int | None = None
    """Of the longest answer; None leaves it to the service where that can be."""
    proxy: str | None = field(default=None, repr=False)
    """Through which it is asked; None for none."""


def by_service(service: Service, limits: AnswerLimits = PATIENT) -> Ask:
    """Ask a service; the connection is closed on cancellation.

    Raises InputError where its library is missing, SummaryFailed for everything that goes wrong with it
    and for an answer that was cut off.
    """
    form = FORMS[service.kind]
    library = _library(service)

    def ask(request: SummaryRequest) -> str:
        heard = PartialAnswer(request, limits)
        return wait_for(lambda: _answer(library, form, service, heard), service.host, limits)

    return ask


def _library(service: Service) -> Any:
    try:
        # What it says of its own parts while it loads is no business of a person at a screen.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(service.kind)
    except ImportError as error:
        raise InputError(
            f"asking {service.host} needs its library: pip install 'handcompact[{service.kind}]'"
        ) from error


async def _answer(library: Any, form: ServiceDialect, service: Service, heard: PartialAnswer) -> str:
    try:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(_client(library, form, service))
            asked = form.asked(heard.request, service.model, service.max_tokens or form.needed_tokens)
            create = form.create(client)
            response = await stack.enter_async_context(create(**asked, stream=True))
            reading = _read(response, form, heard)
            end = await _first_of(reading, _endless(response, service.host))
    except RefusedError:
        raise
    except Exception as error:
        raise SummaryFailed(why_failed(error, service, heard.chars)) from error
    return form.whole(heard.text, end, service.host)


async def _read(response: Any, form: ServiceDialect, heard: PartialAnswer) -> str | None:
    """Read the streamed answer; returns the service's stop reason, None if it gave none."""
    ended = None
    async for event in _events(response):
        if isinstance(event, dict) and event.get("error"):
            raise ErrorSent(event)
        text, end = form.piece(event)
        heard.add(text)
        ended = end or ended
    return ended


async def _endless(response: Any, host: str) -> NoReturn:
    """Raises SummaryFailed once more has come in than any answer takes, whether it is understood or not."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        if response.http_response.num_bytes_downloaded > MOST_BYTES:
            raise SummaryFailed(f"{host} sent more than {human_bytes(MOST_BYTES)} without an end")


async def _first_of(*works: Coroutine[Any, Any, T]) -> T:
    """The result of the first to finish; the others are cancelled."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _client(library: Any, form: ServiceDialect, service: Service) -> AsyncIterator[Any]:
    # Without these the library would look for a proxy of its own.
    direct = {"mounts": dict.fromkeys(("all://", "http://", "https://"))}
    way = {"proxy": service.proxy} if service.proxy else direct
    seconds = library.Timeout(None, connect=CONNECT_SECONDS)
    made = getattr(library, form.client)
    transport = library.DefaultAsyncHttpxClient(follow_redirects=False, timeout=seconds, **way)
    async with (
        transport,
        made(
            api_key=service.key or NO_KEY,
            base_url=service.address,
            timeout=seconds,
            max_retries=0,
            http_client=transport,
        ) as client,
    ):
        yield client


async def _events(response: Any) -> AsyncIterator[Any]:
    """What the service sent, piece by piece, or in one where it knows no streams."""
    kind = response.headers.get("content-type", "")
    if "json" in kind:
        yield json.loads(await response.read())
    elif "html" in kind:
        raise SummaryFailed("it sent a web page: base_url is not the address of an API")
    else:
        async with await response.parse() as stream:
            async for event in stream:
                yield event.to_dict(warnings=False) if hasattr(event, "to_dict") else event
