"""Which view answers which path."""

from __future__ import annotations

from shop.checkout import order_page
from shop.http import Request, Response, redirect
from shop.login import Users, login, login_page, logout
from shop.sessions import SessionStore

PRIVATE = ("/orders", "/account")


class Shop:
    """The whole shop behind one call."""

    def __init__(self, users: Users, store: SessionStore | None = None) -> None:
        self.users = users
        self.store = store if store is not None else SessionStore()

    def __call__(self, request: Request) -> Response:
        if request.path == "/login":
            if request.method == "POST":
                return login(request, self.store, self.users)
            return login_page(request, self.store)
        if request.path == "/logout":
            return logout(request, self.store)
        session = self.store.open(request.cookies.get("sid"))
        if session.user is None and request.path.startswith(PRIVATE):
            return redirect(f"/login?next={request.url}")
        if request.path.startswith("/orders"):
            return order_page(request, session)
        return Response(body="welcome")
