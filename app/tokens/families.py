"""Token counts of model families relative to o200k: factors by kind of text, and fixed costs.

Only OpenAI publishes its vocabularies. The numbers for the others were fitted on 1,325 public sessions
that hold the provider's own usage; they are means, so a single text may deviate widely.
`app.tokens.calibration` corrects them for one session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

from app.tokens.images import Rule, claude_rule, flat_rule, openai_rule
from app.tokens.text_class import TextClass
from app.tokens.vocabulary import CL100K, O200K

_K = TextClass


class FixedCosts(Struct, frozen=True):
    """Tokens in addition to those of the text."""

    result: float = 0
    """The first tool_result of a message."""
    further_result: float = 0
    """Each further one."""
    call: float | None = None
    """A tool_use, its name included; None counts the name as text."""
    reply: float = 0
    """An assistant message."""


class SealedThinking(Struct, frozen=True):
    """Tokens of thinking from the characters n of its signature: `slope` x n - `less`, never below 0."""

    slope: float
    less: float

    def tokens(self, signature_chars: int) -> float:
        return max(0.0, self.slope * signature_chars - self.less)


class ModelFamily(Struct, frozen=True):
    """The models that share a tokenizer, as far as is known."""

    name: str
    image: Rule
    encoding: str = O200K.name
    factors: Mapping[TextClass, float] = field(default_factory=dict)
    """By class of text."""
    plain: float = 1.0
    """The factor of a class that is not listed."""
    fixed: FixedCosts = FixedCosts()
    seal: SealedThinking | None = None
    """Set if thinking is signed and its text left out or only a summary."""
    shown_thinking: float | None = None
    """Factor of thinking that has its text; None: the text is a summary and the signature decides."""
    exact: bool = False
    """Whether the vocabulary is the model's own."""
    note: str = "table"
    """Origin of the factor, in a word or two."""

    def factor(self, kind: TextClass) -> float:
        """Tokens of this family for one o200k token of such a text."""
        return self.factors.get(kind, self.plain)

    def describe(self) -> str:
        """How a count is computed: `o200k, exact for the visible text`, `~ o200k x 1.57 (table)`.

        For a table this is the factor of numbered file reads: most text of a coding session is that.
        """
        vocabulary = self.encoding.removesuffix("_base")
        if self.exact:
            return f"{vocabulary}, exact for the visible text"
        return f"~ {vocabulary} x {self.factor(TextClass.NUMBERED):.2f} ({self.note})"


def _table(*factors: float) -> dict[TextClass, float]:
    columns = (
        _K.NUMBERED, _K.PROSE, _K.CODE, _K.DIFF, _K.DIGITS, _K.GREP, _K.PATHS, _K.JSON, _K.REPLY, _K.INPUT,
        _K.CHINESE,
    )  # fmt: skip
    return dict(zip(columns, factors, strict=True))


_TO_46 = _table(1.09, 1.18, 1.22, 1.25, 1.09, 1.20, 1.15, 1.21, 1.16, 1.10, 1.36)
_FROM_47 = _table(1.57, 1.56, 1.60, 1.57, 1.35, 1.55, 1.58, 1.53, 1.58, 1.48, 1.36)
_FIXED_TO_46 = FixedCosts(result=15, further_result=45, call=40, reply=22)
_FIXED_FROM_47 = FixedCosts(result=4, further_result=38, call=68, reply=0)
_IMAGE_TO_46 = claude_rule(long_edge=1_568, most=1_568)
_IMAGE_FROM_47 = claude_rule(long_edge=2_576, most=4_784)
_SEAL_FROM_47 = SealedThinking(0.278, 104)


def _claude_to_46(name: str, seal: SealedThinking, shown: float | None = None) -> ModelFamily:
    return ModelFamily(
        name, _IMAGE_TO_46, factors=_TO_46, fixed=_FIXED_TO_46, seal=seal, shown_thinking=shown
    )


CLAUDE_OLD = _claude_to_46("Claude up to 4.5", SealedThinking(0.19, 34), shown=1.25)
CLAUDE_OPUS_46 = _claude_to_46("Claude Opus 4.6", SealedThinking(0.198, 47))
CLAUDE_SONNET_46 = _claude_to_46("Claude Sonnet 4.6", SealedThinking(0.221, 62))
CLAUDE_NEW = ModelFamily(
    "Claude 4.7 and later", _IMAGE_FROM_47, factors=_FROM_47, fixed=_FIXED_FROM_47,
    seal=_SEAL_FROM_47,
)  # fmt: skip
# A result costs 8 to 9 tokens and a step 2, in nine of ten steps within 5 tokens.
_FIXED_OPENAI = FixedCosts(result=8.5, further_result=8.5, reply=2)
GPT_5 = ModelFamily("GPT-5", openai_rule(70, 140), fixed=_FIXED_OPENAI, exact=True)
GPT_4O = ModelFamily("GPT-4o, GPT-4.1, o series", openai_rule(85, 170), fixed=_FIXED_OPENAI, exact=True)
GPT_4 = ModelFamily("GPT-3.5, GPT-4", openai_rule(85, 170), CL100K.name, fixed=_FIXED_OPENAI, exact=True)
GEMINI = ModelFamily("Gemini", flat_rule(1_100), plain=1.10, fixed=_FIXED_OPENAI)
OTHER = ModelFamily(
    "unknown model", openai_rule(85, 170), fixed=_FIXED_OPENAI, seal=_SEAL_FROM_47, shown_thinking=1.0,
    note="a guess for this model",
)  # fmt: skip
UNNAMED = ModelFamily(
    "no model named", openai_rule(85, 170), fixed=_FIXED_OPENAI, seal=_SEAL_FROM_47, shown_thinking=1.0,
    note="a guess, no model named",
)  # fmt: skip

_CLAUDE = re.compile(r"claude|\b(?:opus|sonnet|haiku)\b")
_PLACEHOLDER = re.compile(r"claude-[a-z]")
_VERSION = re.compile(r"(?<![\d.])(\d{1,2})(?:[-.](\d{1,2}))?(?![\d.]*\d)")
_O_SERIES = re.compile(r"(?:^|/)(?:chatgpt-4o|gpt-(?:4o|4\.1|4\.5|oss)|o[134](?:-|$))")


def family_of(model: str | None) -> ModelFamily:
    """The family of a model by its name, as providers, clouds and routers write it.

    A Claude that is not known to be 4.6 or older counts as new; so does a bare alias (`opus`). A
    placeholder (`claude-x`) is not a model and gets no factor.
    """
    name = (model or "").strip().lower()
    if not name or name in ("synthetic", "<synthetic>") or _PLACEHOLDER.fullmatch(name):
        return UNNAMED
    if _CLAUDE.search(name):
        return _claude(name)
    if "gemini" in name:
        return GEMINI
    if re.search(r"(?:^|/)(?:gpt-5|codex-)", name):
        return GPT_5
    if _O_SERIES.search(name):
        return GPT_4O
    if re.search(r"(?:^|/)gpt-(?:3\.5|35|4)(?:-|$)", name):
        return GPT_4
    return OTHER


def _claude(name: str) -> ModelFamily:
    if "instant" in name:
        return CLAUDE_OLD
    found = _VERSION.search(name)
    if found is None:
        return CLAUDE_NEW
    version = int(found[1]), int(found[2] or 0)
    if version > (4, 6):
        return CLAUDE_NEW
    if version < (4, 6):
        return CLAUDE_OLD
    return CLAUDE_OPUS_46 if "opus" in name else CLAUDE_SONNET_46
