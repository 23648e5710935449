"""How large a conversation is: estimators by name, all behind `app.tokens.base.Estimator`.

Importing this loads no vocabulary and no tiktoken; the first exact count does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.errors import BadPipeline
from app.tokens.base import Estimator
from app.tokens.model_tokens import TokenEstimator, token_estimator
from app.tokens.pipeline_measures import CharsEstimator, JsonCharsEstimator, MiniCodeEstimator, Utf16Estimator

__all__ = ["ESTIMATORS", "Estimator", "TokenEstimator", "estimator", "token_estimator"]

_SEEDS: Mapping[str, Callable[[], Estimator]] = {
    "utf16": Utf16Estimator,
    "minicode": MiniCodeEstimator,
    "json-chars": JsonCharsEstimator,
    "chars": CharsEstimator,
}

ESTIMATORS = ("tokens", "rough", *_SEEDS)
"""Names that `estimator` knows, the default first."""


def estimator(name: str, *, model: str | None = None, exact: bool = True) -> Estimator:
    """The estimator with that name; `model` and `exact` matter only to `tokens`.

    `tokens` becomes `rough` if `exact` is off or no vocabulary is found. Raises BadPipeline for a name
    that is not in `ESTIMATORS`.
    """
    if name in ("tokens", "rough"):
        return token_estimator(model, exact=exact and name == "tokens")
    if name not in _SEEDS:
        raise BadPipeline(f"unknown estimator {name!r}; available: {', '.join(ESTIMATORS)}")
    return _SEEDS[name]()
