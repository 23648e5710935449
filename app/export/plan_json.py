"""An export plan as the JSON object that commands print and reports contain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.export.plan import ExportPlan
from app.work.history import edit_operation
from app.work.workspace import Step


def plan_as_json(plan: ExportPlan, size_after: int | None = None) -> Mapping[str, Any]:
    """The plan as `compact --json` prints it, without the fields that only a write can fill.

    `size_after` is the new file's size in bytes if known; otherwise the file is generated once to measure it.
    """
    return {
        "source": plan.session.name,
        "pipeline": plan.pipeline,
        "pipeline_from": plan.pipeline_from,
        "target": None if plan.target is None else str(plan.target),
        "in_place": plan.in_place,
        "backup": None if plan.backup_folder is None else str(plan.backup_folder),
        "session_id": plan.rewrite.session_id,
        "estimator": plan.estimator,
        "tokens_before": plan.tokens_before,
        "tokens_after": plan.tokens_after,
        "tokens_freed": plan.tokens_freed,
        "bytes_freed": plan.bytes_freed(size_after),
        "cache": plan.cost.as_json(),
        "records": {
            "kept": plan.rewriting.kept,
            "changed": plan.rewriting.changed,
            "added": plan.rewriting.added,
            "dropped": plan.rewriting.dropped,
        },
        "repairs": [
            {"word": notice.word, "line": notice.line, "detail": notice.detail}
            for notice in plan.rewriting.repairs
        ],
        "steps": [step_as_json(step) for step in plan.steps],
        "checks": [
            {"level": str(check.level), "text": check.text, "keys": list(check.keys)} for check in plan.checks
        ],
        "user_messages_gone": [{"key": text.key, "text": text.content.read()} for text in plan.words_gone],
        "files": [str(path) for path, _ in plan.files],
        "index": None if plan.index is None else str(plan.index),
    }


def _named(step: Step) -> Mapping[str, Any]:
    """The name of a step's stage, or its edit with its keys and options."""
    if step.edit is None:
        return {"stage": step.name}
    done = edit_operation(step.edit).as_json()
    return {"edit": step.name, "keys": done.get("keys", []), "options": done.get("options", {})}


def step_as_json(step: Step) -> Mapping[str, Any]:
    """One step of a plan: what it changed, and its trace and boundary."""
    boundary = step.result.boundary
    return {
        **_named(step),
        "status": str(step.status),
        "trace": list(step.result.trace),
        "note": step.result.note,
        "changes": [
            {"key": change.key, "kind": str(change.kind), "reason": change.reason} for change in step.changes
        ],
        "protected": step.result.protected,
        "boundary": None
        if boundary is None
        else {
            "trigger": boundary.trigger,
            "strategy": boundary.strategy,
            "tokens_before": boundary.tokens_before,
            "tokens_after": boundary.tokens_after,
            "removed": boundary.removed,
        },
    }
