"""The login page, logging in, logging out."""

from __future__ import annotations

from typing import Protocol

from shop.http import Request, Response, redirect
from shop.sessions import SessionStore, cookie
from shop.texts import text


class Users(Protocol):
    """Whoever can tell a customer by name and phrase."""

    def check(self, name: str, phrase: str) -> str | None:
        """The user's id, or None."""


def login_page(request: Request, store: SessionStore) -> Response:
    """Show the form, and remember where the visitor wanted to go."""
    session = store.open(request.cookies.get("sid"))
    session.data["next"] = request.query.get("next", "/")
    return Response(body=text("login.form", "en"), cookies=cookie(session))


def login(request: Request, store: SessionStore, users: Users) -> Response:
    """Check name and phrase, and send the visitor on."""
    session = store.open(request.cookies.get("sid"))
    user = users.check(request.form.get("name", ""), request.form.get("phrase", ""))
    if user is None:
        return Response(status=401, body=text("login.failed", "en"), cookies=cookie(session))
    session = store.rotate(session, user)
    return redirect(session.data.pop("next", "/"), cookies=cookie(session))


def logout(request: Request, store: SessionStore) -> Response:
    """Forget the visitor."""
    store.close(store.open(request.cookies.get("sid")))
    return redirect("/", cookies={"sid": ""})
