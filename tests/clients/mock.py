"""A model on loopback that keeps a provider's rules: what a client sends is recorded, checked, answered.

It speaks the interfaces that the clients need to resume a session. It says the same words to every
prompt; a request that breaks a rule of `app.validity` gets a 400 in the provider's own wording.
"""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Final, Protocol
from urllib.parse import urlsplit

from tests.clients.chat_api import ChatApi
from tests.clients.contents_api import ContentsApi
from tests.clients.messages_api import MessagesApi
from tests.clients.responses_api import ResponsesApi

PROMPT: Final = "Go on from here, please (a test asks)."
"""What a resumed session is asked."""
ANSWER: Final = "The session was resumed."
"""What the model says to everything."""
PICTURE_TOKENS: Final = 1_500
"""What a picture counts as; its base64 text would count as hundreds of thousands."""

JsonObject = dict[str, Any]


class Api(Protocol):
    """One provider's interface."""

    name: str

    def serves(self, path: str) -> bool: ...
    def counts(self, path: str) -> bool: ...
    def counted(self, tokens: int) -> JsonObject: ...
    def streams(self, path: str, body: JsonObject) -> bool: ...
    def conversation(self, body: JsonObject) -> list[Any]: ...
    def why_refused(self, body: JsonObject, sealed: Sequence[tuple[str, Any]] | None) -> str | None: ...
    def too_long(self, tokens: int, window: int) -> str: ...
    def error(self, words: str) -> JsonObject: ...
    def reply(self, text: str, body: JsonObject, number: int, tokens: int) -> JsonObject: ...
    def events(self, reply: JsonObject) -> Iterator[JsonObject]: ...


APIS: Final[tuple[Api, ...]] = (MessagesApi(), ResponsesApi(), ChatApi(), ContentsApi())


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the model as it arrived."""

    api: str
    body: JsonObject
    conversation: tuple[Any, ...]
    """The messages, the contents, or the items of a response's input."""
    tokens: int
    refused: str | None
    """The words of the 400 it got; None when it was answered."""

    def says(self, text: str) -> bool:
        """Whether some text of the conversation contains this one."""
        return any(text in said for said in texts_in(list(self.conversation)))


def texts_in(value: Any) -> Iterator[str]:
    """Every string that is a value inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def size_tokens(body: JsonObject) -> int:
    """How many tokens a request has here: a quarter of its characters, a picture always the same."""
    return sum(PICTURE_TOKENS * 4 if _is_picture(text) else len(text) for text in texts_in(body)) // 4


def _is_picture(text: str) -> bool:
    return len(text) > 1_000 and (text.startswith("data:image/") or not text[:1_000].strip(_BASE64))


_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="


class MockModel:
    """The model, alive between `with` and its end.

    `window` is the most tokens (see `size_tokens`) that it takes. `sealed` is the conversation whose
    thinking it sealed: any other thinking is refused. None takes every seal on trust, as a session needs
    that was not made with a real model. `listener` is a socket that listens already.
    """

    def __init__(
        self,
        listener: socket.socket | None = None,
        *,
        window: int = 1_000_000,
        sealed: Sequence[tuple[str, Any]] | None = None,
    ) -> None:
        self._window = window
        self._sealed = sealed
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._server = _Server(self, listener or socket.create_server(("127.0.0.1", 0)))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> MockModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where a client finds it, without a path."""
        return "http://{}:{}".format(*self._server.socket.getsockname())

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the model so far, in order."""
        with self._lock:
            return tuple(self._requests)

    def take(self, api: Api, body: JsonObject) -> tuple[Request, JsonObject]:
        """Record a call; gives it with the body of its answer, a whole reply or an error."""
        tokens = size_tokens(body)
        refused = api.why_refused(body, self._sealed)
        if refused is None and tokens > self._window:
            refused = api.too_long(tokens, self._window)
        request = Request(api.name, body, tuple(api.conversation(body)), tokens, refused)
        with self._lock:
            self._requests.append(request)
            number = len(self._requests)
        if refused is not None:
            return request, api.error(refused)
        return request, api.reply(ANSWER, body, number, tokens)


class _Server(ThreadingHTTPServer):
    """A server on a socket that listens already."""

    daemon_threads = True

    def __init__(self, model: MockModel, listener: socket.socket) -> None:
        super().__init__(listener.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    not_found: ClassVar[JsonObject] = {"error": {"type": "not_found_error", "message": "Not found"}}

    def log_message(self, *_: Any) -> None:
        """Say nothing: the requests are kept."""

    def do_HEAD(self) -> None:
        """A client asks whether anybody is there."""
        self._send(200, "application/json", b"")

    def do_GET(self) -> None:
        """There is nothing to get; clients know their models."""
        self._send_json(404, self.not_found)

    def do_POST(self) -> None:
        """A call of the model, or a count of tokens."""
        path = urlsplit(self.path).path
        body = self._body()
        for api in APIS:
            if api.counts(path):
                self._send_json(200, api.counted(size_tokens(body)))
                return
            if api.serves(path):
                self._answer(api, body, api.streams(path, body))
                return
        self._send_json(404, self.not_found)

    def _body(self) -> JsonObject:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        body = json.loads(raw or b"{}")
        return body if isinstance(body, dict) else {}

    def _answer(self, api: Api, body: JsonObject, streamed: bool) -> None:
        request, answer = self.server.model.take(api, body)
        if request.refused is not None:
            self._send_json(400, answer)
        elif streamed:
            self._send(200, "text/event-stream", b"".join(map(_event, api.events(answer))))
        else:
            self._send_json(200, answer)

    def _send_json(self, status: int, value: JsonObject) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _event(event: JsonObject) -> bytes:
    """An event as it is sent; one that says its type is named by it."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()
