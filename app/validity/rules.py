"""All rules of the checkers: what each says, how certain it is, and its source.

A source is a public document or issue. If only issue reports support a rule, only issues are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct


class Certainty(StrEnum):
    """How certain it is that the provider refuses."""

    ERROR = "error"
    """The provider answers with a 400, or the request is not valid JSON."""
    RISK = "risk"
    """Refused in some settings, or lossy; occurs in real sessions that continued."""


class Rule(Struct, frozen=True):
    """One requirement of a provider on a conversation."""

    name: str
    """`<provider>.<what is wrong>`; `json` and `shape` hold for every provider."""
    level: Certainty
    text: str
    """What is wrong, in one line."""
    source: str
    """Public issues (`owner/repo#n`) and documents, separated by `; `."""


def _error(name: str, text: str, source: str) -> Rule:
    return Rule(name, Certainty.ERROR, text, source)


def _risk(name: str, text: str, source: str) -> Rule:
    return Rule(name, Certainty.RISK, text, source)


_MESSAGES = "Claude docs, Messages API reference"
_THINKING = "Claude docs, extended thinking"
_VISION = "Claude docs, vision"
_CHAT = "OpenAI docs, Chat Completions reference"
_ITEMS = "OpenAI docs, Responses reference"
_CONTENTS = "Gemini API docs, contents"

_COMMON = (
    _error(
        "json.lone-surrogate",
        "a text contains half of a surrogate pair, which UTF-8 cannot encode",
        "anthropics/claude-code#68325; anthropics/claude-code#69927; anomalyco/opencode#17758",
    ),
    _error(
        "json.not-finite", "NaN and Infinity are not JSON", "RFC 8259 section 6; apify/apify-client-python#87"
    ),
    _error(
        "shape.not-a-message",
        "a message, block or call is not an object",
        f"{_MESSAGES}; {_CHAT}",
    ),
)

_ANTHROPIC = (
    _error("anthropic.empty-conversation", "there are no messages", _MESSAGES),
    _error(
        "anthropic.first-role",
        "the conversation does not begin with a user message",
        f"{_MESSAGES}; livekit/agents#669",
    ),
    _error("anthropic.role", "a role other than user or assistant", _MESSAGES),
    _risk(
        "anthropic.mid-system",
        "a system message among the others, which only some models accept",
        "Claude docs, mid-conversation system messages",
    ),
    _error(
        "anthropic.alternation",
        "two messages of one role in a row, which this target refuses",
        "infiniflow/ragflow#6880; FoundationAgents/OpenManus#580",
    ),
    _risk(
        "anthropic.split-turn",
        "one turn is split into several messages of one role",
        "Claude docs, parallel tool use",
    ),
    _error(
        "anthropic.empty-content",
        "a message without content (allowed only for a final assistant message)",
        "anthropics/claude-code#6774; anthropics/claude-code#3196",
    ),
    _error(
        "anthropic.empty-text",
        "a text block without text",
        "anthropics/claude-code#59812; anthropics/claude-code#62150; anthropics/anthropic-sdk-python#461",
    ),
    _error("anthropic.blank-text", "a text block of only white space", "anthropics/claude-code#23440"),
    _error(
        "anthropic.trailing-space",
        "the final assistant text ends with white space",
        "anomalyco/opencode#1295; aaif-goose/goose#5967",
    ),
    _risk("anthropic.unknown-block", "a block of an unknown type", _MESSAGES),
    _error(
        "anthropic.block-role",
        "a block not allowed in a message of this role, or in a result",
        f"{_MESSAGES}; V1ki/dsh-plugin-subscriptions#22",
    ),
    _error(
        "anthropic.open-call",
        "a tool_use whose result is not in the next message",
        "anthropics/claude-code#7796; HKUDS/OpenHarness#191",
    ),
    _error(
        "anthropic.orphan-result",
        "a tool_result whose tool_use is not in the message before",
        "anthropics/claude-code#24670; openclaw/openclaw#15691",
    ),
    _error(
        "anthropic.result-not-leading",
        "a tool_result after other content: results must come first, without gaps",
        "V1ki/dsh-plugin-subscriptions#22; QwenLM/qwen-code#8161",
    ),
    _error(
        "anthropic.duplicate-call-id",
        "a tool_use has the id of an earlier one",
        "anthropics/claude-code#20901; anthropics/claude-code#21317",
    ),
    _error("anthropic.duplicate-result", "a tool_use is answered twice", "Kilo-Org/kilocode#3772"),
    _error(
        "anthropic.text-after-call",
        "text after a tool_use in the same turn",
        "anomalyco/opencode, recorded provider test of assistant tool order",
    ),
    _error(
        "anthropic.bad-id",
        "a tool id with a character outside A-Z a-z 0-9 _ -, or none",
        "HKUDS/nanobot#4356; screenpipe/screenpipe#3252",
    ),
    _error(
        "anthropic.bad-tool-name",
        "a tool name that is not 1 to 128 characters of A-Z a-z 0-9 _ -",
        "Claude docs, define tools",
    ),
    _error("anthropic.input-not-object", "the input of a call is not an object", _MESSAGES),
    _error(
        "anthropic.error-result-not-text",
        "a result marked is_error contains something other than text",
        "vellum-ai/vellum-assistant#18387; caozhiyuan/copilot-api#196",
    ),
    _error(
        "anthropic.server-call-open",
        "a server tool's call has no result in its turn",
        "anthropics/anthropic-sdk-python#1151; vellum-ai/vellum-assistant#19986",
    ),
    _error(
        "anthropic.server-result-orphan",
        "a server tool's result has no call before it in its turn",
        "anthropics/claude-code#64026; vellum-ai/vellum-assistant#19986",
    ),
    _error(
        "anthropic.thinking-not-first",
        "a turn that contains thinking does not begin with it",
        "anthropics/claude-code#20705",
    ),
    _error(
        "anthropic.thinking-missing",
        "thinking is on and the turn in progress has lost its own",
        f"anomalyco/opencode#3077; BerriAI/litellm#18926; {_THINKING}",
    ),
    _error(
        "anthropic.thinking-last",
        "an assistant turn ends with thinking",
        "tailcallhq/forgecode#2107; router-for-me/CLIProxyAPI#5321",
    ),
    _risk(
        "anthropic.thinking-adjacent",
        "two thinking blocks in a row",
        "earendil-works/pi#8576; Yeachan-Heo/gajae-code#4416",
    ),
    _error("anthropic.thinking-unsigned", "thinking without its signature or data", _THINKING),
    _risk(
        "anthropic.thinking-emptied",
        "thinking has its signature but has lost its text",
        "anthropics/claude-code#63147; anthropics/claude-code#63277; eclipse-theia/theia#18044",
    ),
    _error(
        "anthropic.thinking-altered",
        "thinking that is not a block of the original conversation",
        f"anthropics/claude-code#19539; {_THINKING}",
    ),
    _error(
        "anthropic.thinking-partial",
        "the newest assistant turn keeps only part of its thinking",
        "anthropics/claude-code#63213; Yeachan-Heo/gajae-code#4382",
    ),
    _error(
        "anthropic.cache-control-count",
        "more than 4 blocks have cache_control",
        "anthropics/claude-agent-sdk-typescript#432",
    ),
    _error(
        "anthropic.cache-control-place",
        "cache_control on empty text or on thinking",
        "anthropics/claude-code#62379; Claude docs, prompt caching",
    ),
    _error(
        "anthropic.image-type",
        "an image that is not declared as jpeg, png, gif or webp",
        "anthropics/claude-code#3073",
    ),
    _error(
        "anthropic.image-empty",
        "an image without data, or data that is not base64",
        "anthropics/claude-code#18528",
    ),
    _error(
        "anthropic.image-bytes",
        "an image whose bytes are not of the type it declares",
        "anthropics/claude-code#19031; anthropics/claude-code#53228",
    ),
    _error(
        "anthropic.image-size",
        "an image of more than 5 MB, counted in base64 characters",
        f"anthropics/claude-code#10612; lobehub/lobehub#14711; {_VISION}",
    ),
    _error(
        "anthropic.image-pixels",
        "an image side over 8000 px, or over 2000 px beside 20 other images",
        f"anthropics/claude-code#34120; {_VISION}",
    ),
    _error("anthropic.image-count", "more than 100 images", f"earendil-works/pi#401; {_VISION}"),
    _error(
        "anthropic.request-size",
        "the messages alone are over 32 MB",
        "Claude docs, request size limits; anthropics/claude-code#17510",
    ),
)

_OPENAI_CHAT = (
    _error("chat.empty-conversation", "there are no messages", _CHAT),
    _error("chat.role", "an unknown role", _CHAT),
    _error(
        "chat.content-null",
        "no content, and no call or refusal instead",
        f"{_CHAT}; earendil-works/pi#3120",
    ),
    _error("chat.content-type", "content that is neither a string nor a list of parts", _CHAT),
    _error(
        "chat.orphan-result",
        "a tool message that answers no call of the assistant message before",
        "langchain-ai/langchain#33245; BerriAI/litellm#4931",
    ),
    _error(
        "chat.open-call",
        "a tool call that is not answered before the next turn",
        "LiveBench/LiveBench#485; MoonshotAI/kimi-code#269",
    ),
    _error("chat.duplicate-result", "a tool call is answered twice", _CHAT),
    _error("chat.duplicate-call-id", "two tool calls of one message share an id", _CHAT),
    _error("chat.call-id-empty", "a tool call or a tool message without an id", _CHAT),
    _error(
        "chat.call-id-long",
        "an id of more than 40 characters",
        "langmanus/langmanus#119; vercel/ai#8132; microsoft/autogen#6377",
    ),
    _error("chat.empty-tool-calls", "tool_calls is an empty list", _CHAT),
    _error("chat.bad-tool-name", "a function name that is not 1 to 64 characters of A-Z a-z 0-9 _ -", _CHAT),
    _error("chat.arguments", "the arguments of a call are not a string", _CHAT),
    _risk(
        "chat.arguments-not-json",
        "the arguments of a call are not valid JSON (a model can produce that)",
        _CHAT,
    ),
    _error(
        "chat.legacy-open-call",
        "a function_call not followed by its function message",
        "OpenAI docs, function calling (deprecated form)",
    ),
    _error(
        "chat.legacy-orphan-result",
        "a function message without a preceding function_call of its name",
        "OpenAI docs, function calling (deprecated form)",
    ),
    _error("chat.bad-name", "a name that is empty or has white space or one of < | \\ / >", _CHAT),
    _error(
        "chat.alternation",
        "two messages of one role in a row, which this target refuses",
        "FoundationAgents/OpenManus#580; unslothai/unsloth#334",
    ),
)

_RESPONSES = (
    _error("responses.empty-conversation", "there are no items", _ITEMS),
    _error(
        "responses.orphan-output",
        "an output without a call of its kind",
        "vellum-ai/vellum-assistant#39919; earendil-works/pi#4570",
    ),
    _error(
        "responses.open-call",
        "a call without an output of its kind",
        "openai/codex#394; openai/codex#825; Soju06/codex-lb#1168",
    ),
    _error("responses.output-before-call", "an output comes before its call", _ITEMS),
    _error("responses.duplicate-output", "a call is answered twice", _ITEMS),
    _error("responses.duplicate-call-id", "two calls share a call_id", _ITEMS),
    _error("responses.call-id", "a call or an output without a call_id", _ITEMS),
    _error(
        "responses.call-id-long",
        "a call_id of more than 64 characters",
        "decolua/9router#393; AnswerDotAI/fastllm#45",
    ),
    _error(
        "responses.bad-tool-name",
        "a tool name with a character outside A-Z a-z 0-9 _ -, or none",
        "openai/codex#24369",
    ),
    _error("responses.arguments", "the arguments or the input of a call are not a string", _ITEMS),
    _error("responses.role", "an unknown role", _ITEMS),
    _error("responses.content", "a part not allowed in a message of this role", _ITEMS),
    _risk("responses.empty-text", "a message without content", _ITEMS),
    _error(
        "responses.reasoning-alone",
        "reasoning without the item it led to after it",
        "openai/openai-agents-js#929; openai/openai-agents-python#1709",
    ),
    _error(
        "responses.reasoning-lost",
        "reasoning by id only, which the provider does not store",
        "caidaoli/ccLoad#167",
    ),
    _error(
        "responses.reasoning-altered",
        "sealed content that is not in the original conversation",
        "openai/codex#8119; lidge-jun/opencodex#2229",
    ),
    _error(
        "responses.local-item",
        "a record of the client that is not allowed in a request",
        "openai/codex, recorded items of rollouts",
    ),
    _risk("responses.unknown-item", "an item of an unknown type", _ITEMS),
)

_GEMINI = (
    _error("gemini.empty-conversation", "there is no content", _CONTENTS),
    _error("gemini.role", "a role other than user or model", _CONTENTS),
    _error("gemini.first-role", "the conversation begins with the model", _CONTENTS),
    _error("gemini.empty-parts", "a content without parts, or an empty part", _CONTENTS),
    _error(
        "gemini.part-count",
        "the number of functionResponse parts differs from the functionCall parts before them",
        "google-gemini/gemini-cli#3814; google-gemini/gemini-cli#4568; google-gemini/gemini-cli#16543",
    ),
    _error(
        "gemini.orphan-response",
        "a functionResponse after a content without a functionCall",
        "google-gemini/gemini-cli#3709",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.name: rule for rule in (*_COMMON, *_ANTHROPIC, *_OPENAI_CHAT, *_RESPONSES, *_GEMINI)}
)
"""Rules by name, common ones first."""

_FAR = frozenset(
    {
        "anthropic.empty-conversation",
        "anthropic.first-role",
        "anthropic.duplicate-call-id",
        "anthropic.bad-id",
        "anthropic.thinking-missing",
        "anthropic.cache-control-count",
        "anthropic.image-count",
        "anthropic.image-pixels",
        "anthropic.request-size",
    }
)


def is_near(rule: str) -> bool:
    """Whether a violation can be found and repaired from its turn and the neighbouring turns alone.

    Not so for ids, since a new one has to differ from all others, and for limits on many images.
    """
    return rule not in _FAR and rule.startswith(("json.", "shape.", "anthropic."))
