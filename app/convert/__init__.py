"""Converting a session for another agent: a new file in its format, and a report of what was lost."""

from __future__ import annotations

from app.convert.plan import Conversion, Destination, plan_conversion, write_conversion
from app.convert.targets import TARGETS, Target, target_named

__all__ = [
    "TARGETS",
    "Conversion",
    "Destination",
    "Target",
    "plan_conversion",
    "target_named",
    "write_conversion",
]
