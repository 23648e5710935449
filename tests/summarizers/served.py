"""A service on loopback: it notes what it is asked, and answers what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

WAIT_SECONDS = 10.0


@dataclass
class Served:
    """What came in, and how the service stands."""

    port: int = 0
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)
    """A request has come in, and what the test answers at once is sent."""
    closed: threading.Event = field(default_factory=threading.Event)
    """The other side closed a connection that was still being answered."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


Handler: TypeAlias = BaseHTTPRequestHandler
Answer: TypeAlias = Callable[[Handler, Served], None]


@contextmanager
def serving(answer: Answer) -> Iterator[Served]:
    """Answer every request that way while the test runs."""
    served = Served()

    class Handling(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            served.paths.append(self.path)
            served.headers.append({name.lower(): value for name, value in self.headers.items()})
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            served.bodies.append(json.loads(body))
            self.close_connection = True
            try:
                answer(self, served)
                self.wfile.flush()
            except ConnectionError:
                served.closed.set()
            served.came.set()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handling) as server:
        server.daemon_threads = True
        served.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


# What a service answers


def status(code: int, body: Any = None, **headers: str) -> Answer:
    """An error, with a body as JSON or as it is."""

    def answer(handler: Handler, served: Served) -> None:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        handler.send_response(code)
        kind = "text/html" if raw.startswith(b"<") else "application/json"
        names = {"Content-Type": kind, "Content-Length": str(len(raw))}
        for name, value in {**names, **{n.replace("_", "-"): v for n, v in headers.items()}}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(raw)

    return answer


def stream(*events: Any, cut: bool = False, hang: bool = False) -> Answer:
    """A stream of events; a text is sent as it is. It can be cut off, or wait for the other side to go."""

    def answer(handler: Handler, served: Served) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for event in events:
            raw = event.encode() if isinstance(event, str) else as_event(event)
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        handler.wfile.flush()
        if hang:
            hold(handler, served)
        elif not cut:
            handler.wfile.write(b"0\r\n\r\n")

    return answer


def hold(handler: Handler, served: Served) -> None:
    """Say nothing more until the other side closes the connection."""
    served.came.set()
    handler.connection.settimeout(WAIT_SECONDS)
    try:
        gone = handler.connection.recv(1) == b""
    except ConnectionError:
        gone = True
    except TimeoutError:
        gone = False
    if gone:
        served.closed.set()


def as_event(event: dict[str, Any]) -> bytes:
    """An event as both services write it."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def messages_events(*texts: str, end: str | None = "end_turn", stop: bool = True) -> list[Any]:
    """An answer of Anthropic's Messages API, piece by piece."""
    started = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 1, "output_tokens": 1}
    start = {"type": "message_start", "message": {**started, "stop_reason": None, "usage": usage}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        for text in texts
    ]
    ended = {"type": "message_delta", "delta": {"stop_reason": end}, "usage": {"output_tokens": 9}}
    last = [{"type": "message_stop"}] if stop else []
    return [start, block, {"type": "ping"}, *deltas, *([ended, *last] if end else [])]


def chat_events(*texts: str, end: str | None = "stop", stop: bool = True) -> list[Any]:
    """An answer of Chat Completions, piece by piece."""

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    said = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": text}) for text in texts)]
    return [*said, *([chunk({}, end)] if end else []), *(["data: [DONE]\n\n"] if stop else [])]


EVENTS: dict[str, Callable[..., list[Any]]] = {"anthropic": messages_events, "openai": chat_events}
