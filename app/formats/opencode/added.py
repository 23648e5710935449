"""Building the messages that an export adds, in the client's own form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.formats.opencode.names import INFO, OWN_FIELD, PARTS
from app.formats.opencode.values import MakeId, made_part
from app.formats.opencode.wanted import AddedPart, WantedMessage
from app.model import Boundary, Role

Value = dict[str, Any]

_NO_TOKENS: Final = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


class Neighbours:
    """What new messages copy from those of the file: the agent, the model, the folder."""

    def __init__(self, user: Mapping[str, Any], assistant: Mapping[str, Any], session: str) -> None:
        """`user` and `assistant` are the `info` of messages of the file, empty if there is none."""
        self.session = session
        model = user.get("model")
        known = isinstance(model, dict) and "modelID" in model and "providerID" in model
        self._model = model if known and isinstance(model, dict) else _model_of(assistant)
        self._agent = user.get("agent") or assistant.get("agent") or "build"
        path = assistant.get("path")
        self._path = path if isinstance(path, dict) else {"cwd": "/", "root": "/"}

    def user(self, ident: str, created: int) -> Value:
        """The `info` of a user message."""
        return {
            "role": "user", "time": {"created": created}, "agent": self._agent, "model": self._model,
            "id": ident, "sessionID": self.session,
        }  # fmt: skip

    def assistant(self, ident: str, created: int, parent: str, *, summary: bool) -> Value:
        """The `info` of an assistant message."""
        mode = "compaction" if summary else self._agent
        kind = {"summary": True} if summary else {}
        return {
            "parentID": parent, "role": "assistant", "mode": mode, "agent": mode, **kind, "path": self._path,
            "cost": 0, "tokens": _NO_TOKENS, "modelID": self._model["modelID"],
            "providerID": self._model["providerID"], "time": {"created": created, "completed": created},
            "finish": "stop", "id": ident, "sessionID": self.session,
        }  # fmt: skip


def made_message(
    wanted: WantedMessage, beside: Neighbours, make_id: MakeId, boundary: Boundary | None = None
) -> Value:
    """A new message; with a `boundary` the user message that starts the compaction, or its summary."""
    created = wanted.created or 0
    if wanted.role is Role.ASSISTANT:
        summary = boundary is not None
        info = beside.assistant(wanted.ident, created, wanted.parent, summary=summary)
    else:
        info = beside.user(wanted.ident, created)
        if boundary is not None:
            owner = {
                "id": make_id(wanted.ident, None, 1),
                "sessionID": beside.session,
                "messageID": wanted.ident,
            }
            return {
                INFO: info,
                PARTS: [{"type": "compaction", "auto": boundary.trigger != "manual", **owner}],
            }
    made = [part for part in wanted.parts if isinstance(part, AddedPart)]
    parts = []
    last = wanted.ident
    for part in made:
        last = make_id(last, None, 1)
        parts.append(made_part(part, last, beside.session, wanted.ident))
    if wanted.role is Role.ASSISTANT:
        for each in parts:
            each.pop("synthetic", None)
            each["time"] = {"start": created, "end": created}
        if boundary is not None and parts:
            parts[0]["metadata"] = {OWN_FIELD: own_member(boundary)}
    return {INFO: info, PARTS: parts}


def own_member(boundary: Boundary) -> Value:
    """Our member in the metadata of a summary, for facts without a member of the client's."""
    own: Value = {"trigger": boundary.trigger, "strategy": boundary.strategy}
    for name in ("tokens_before", "tokens_after", "removed"):
        if getattr(boundary, name) is not None:
            own[name] = getattr(boundary, name)
    if boundary.preserved is not None:
        own["preserved"] = list(boundary.preserved)
    return own


def _model_of(assistant: Mapping[str, Any]) -> Value:
    provider, model = assistant.get("providerID"), assistant.get("modelID")
    return {"providerID": provider or "opencode", "modelID": model or "unknown"}
