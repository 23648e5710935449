"""Providers' words for a request that is too long, and what is not one of them."""

from __future__ import annotations

import json
import time

import pytest

from app.refusal import merged_refusal, read_refusal

TOO_LONG = [
    ("prompt is too long: 209045 tokens > 200000 maximum", 209_045, 200_000, 0),
    (
        "input length and `max_tokens` exceed context limit: 190000 + 21333 > 204698, decrease input length"
        " or `max_tokens` and try again",
        190_000, 204_698, 21_333,
    ),
    (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens."
        " Please reduce the length of the messages.",
        8545, 8192, 0,
    ),
    (
        "This model's maximum context length is 4097 tokens. However, your messages resulted in 4127 tokens"
        " (4000 in the messages, 127 in the functions).",
        4127, 4097, 0,
    ),
    (
        "This model's maximum context length is 4097 tokens. However, you requested 4125 tokens (3101 in the"
        " messages, 1024 in the completion).",
        3101, 4097, 1024,
    ),
    (
        "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10341 in"
        " your prompt; 5 for the completion).",
        10_341, 8191, 5,
    ),
    (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens"
        " (108000 of text input, 32000 in the output).",
        108_000, 131_072, 32_000,
    ),
    (
        "This model's maximum context length is 8192 tokens. However, you requested 1000 output tokens and"
        " your prompt contains at least 7193 input tokens, for a total of at least 8193 tokens.",
        7193, 8192, 1000,
    ),
    (
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the"
        " messages, Please reduce the length of the messages.",
        9000, 8192, 0,
    ),
    (
        "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request"
        " has 5000 input tokens",
        5000, 8192, 0,
    ),
    ("Input length (265330) exceeds model's maximum context length (262144).", 265_330, 262_144, 0),
    (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        1_196_265, 1_048_575, 0,
    ),
    ("The input token count exceeds the maximum number of tokens allowed 1048576.", None, 1_048_576, 0),
    (
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        537_812, 131_072, 0,
    ),
    ("prompt token count of 13145 exceeds the limit of 12288", 13_145, 12_288, 0),
    (
        "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length"
        " is only 131072 tokens, resulting in a maximum input length of 99072 tokens.",
        99_073, 131_072, 32_000,
    ),
    (
        "Prompt contains 40,000 tokens and 0 draft tokens, too large for model with 32,768 maximum context"
        " length",
        40_000, 32_768, 0,
    ),
    (
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)",
        270_000, 262_144, 0,
    ),
    (
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4500.",
        4500, 4081, 0,
    ),
    ("the request exceeds the available context size (8192 tokens), try increasing it", None, 8192, 0),
    (
        "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4500 `inputs` tokens and 512"
        " `max_new_tokens`",
        4500, 4097, 512,
    ),
    ("Range of input length should be [1, 129024]", None, 129_024, 0),
    (
        "This model's maximum context length is 4097 tokens. However, you requested 4127 tokens (2000 in the"
        " messages, 127 in the functions, and 2000 in the completion).",
        2127, 4097, 2000,
    ),
    (
        "This endpoint's maximum context length is 200000 tokens. However, you requested about 207113 tokens"
        " (150000 of text input, 25113 of tool input, 32000 in the output). Please reduce the length of"
        ' either one, or use the "middle-out" transform to compress your prompt automatically.',
        175_113, 200_000, 32_000,
    ),
    (
        "This model's maximum context length is 16384 tokens. However, your request has 18225 input tokens."
        " Please reduce the length of the input messages. None",
        18_225, 16_384, 0,
    ),
    (
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a"
        " total of 40000 tokens: 36000 tokens from the input messages and 4000 tokens for the completion.",
        36_000, 32_768, 4000,
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300123 tokens."
        " Please reduce the length of the messages.",
        300_123, 272_000, 0,
    ),
    (
        "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure"
        " that `max_model_len` is no smaller than the number of text tokens.",
        25_938, 4096, 0,
    ),
    ("The prompt (length 40000) is longer than the maximum model length of 32768.", 40_000, 32_768, 0),
    ("Input prompt (2664 tokens) is too long and exceeds limit of 2048", 2664, 2048, 0),
    (
        "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
        160_062, 59_862, 0,
    ),
    ("Input length 300000 exceeds the maximum length 229376", 300_000, 229_376, 0),
    ("The prompt is too long: 140000, model maximum context length: 131071", 140_000, 131_071, 0),
    (
        "Unable to submit request because the input token count is 1251952 but model only supports up to"
        " 1048576. Reduce the input token count and try again.",
        1_251_952, 1_048_576, 0,
    ),
    (
        "Too many input tokens. Max input tokens: 8192, request input token count: 13064",
        13_064, 8192, 0,
    ),
    ("Request body too large for gpt-4o model. Max size: 8000 tokens.", None, 8000, 0),
    (
        "Please reduce the length of the messages or completion. Current length is 42328 while limit is"
        " 40000",
        42_328, 40_000, 0,
    ),
    ("length of prompt_tokens (57535) must be less than max_seq_len (32768).", 57_535, 32_768, 0),
    ("max_total_tokens (33802) must be less than or equal to max_seq_len (32768)", 33_802, 32_768, 0),
    (
        "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354."
        " Try using a shorter prompt or a smaller max_tokens value.",
        6354, 2048, 0,
    ),
    (
        "too many tokens: size limit exceeded by 1234 tokens. Try using shorter or fewer inputs. The limit"
        " for this model is 4096 tokens.",
        None, 4096, 0,
    ),
    (
        "the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model",
        9000, 8192, 0,
    ),
    (
        "Bad request: prompt token count (9000) cannot exceed 8192. Please decrease the prompt length.",
        9000, 8192, 0,
    ),
    ("Requested tokens (2285) exceed context window of 2048", 2285, 2048, 0),
    (
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with"
        " context length of only 32768 tokens, which is not enough.",
        111_490, 32_768, 0,
    ),
    ("Prompt has 12,345 tokens, but the configured context size is 8,192 tokens", 12_345, 8192, 0),
    (
        "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
        5000, 4096, 0,
    ),
    ("Prompt length (9000) exceeds maximum input length (8192).", 9000, 8192, 0),
    ("Session token limit exceeded: 40000 tokens > 32000 limit.", 40_000, 32_000, 0),
    (
        "Input tokens: ~300,123 of 200,000 -- possibly exhausted context window!",
        300_123, 200_000, 0,
    ),
    ("Context limit reached · /compact or /clear to continue", None, None, 0),
    ("Conversation too long. Press esc twice to go up a few messages and try again.", None, None, 0),
    ("Request too large (max 32MB). Accumulated images pushed the request over the limit.", None, None, 0),
    ("413 Request Entity Too Large", None, None, 0),
    ("Input Tokens Exceeded: Number of input tokens exceeds maximum length.", None, None, 0),
    ("invalid params, context window exceeds limit (2013)", None, None, 0),
    ("prompt too long; exceeded max context length by 4 tokens", None, None, 0),
    ("Prompt 超长", None, None, 0),
    ("请求的上下文长度超出模型限制", None, None, 0),
    ("Prompt is too long", None, None, 0),
    ("Input is too long for requested model.", None, None, 0),
    (
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        None, None, 0,
    ),
    ("Codex ran out of room in the model's context window. Start a new conversation.", None, None, 0),
    ("Please reduce the length of the messages or completion.", None, None, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tokens", "limit", "reserved"), TOO_LONG, ids=[words[0][:40] for words in TOO_LONG]
)
def test_every_providers_words_are_understood(
    text: str, tokens: int | None, limit: int | None, reserved: int
) -> None:
    for spelled in (
        text,
        f"API Error: 400 {json.dumps({'error': {'message': text}})}",
        json.dumps({"error": {"raw": json.dumps({"error": json.dumps({"message": text})})}}),
        text.replace(" ", "\n  "),
    ):
        found = read_refusal(spelled)
        assert found is not None
        assert (found.tokens, found.limit, found.reserved) == (tokens, limit, reserved)


def test_error_objects_are_understood_by_their_code() -> None:
    coded = {"error": {"code": "context_length_exceeded", "message": "Too much.", "param": "input"}}
    assert read_refusal(json.dumps(coded)) is not None
    served = {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9001, "n_ctx": 8192}}
    found = read_refusal(json.dumps(served))
    assert found is not None and (found.tokens, found.limit) == (9001, 8192)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Overloaded",
        "invalid x-api-key",
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.",
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 46000. The input or"
        " output tokens must be reduced.",
        "You exceeded your current quota, please reduce the length of the messages or upgrade.",
        "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens",
        "max_tokens (10000) cannot exceed 8192. Please reduce the length of max output tokens generated.",
        "The maximum tokens you requested exceeds the model limit of 32768",
        "Too many tokens, please wait before trying again.",
        "Request too large for model `llama-3` on tokens per minute (TPM): Limit 6000, Requested 7000",
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
        "Context low · Run /compact to compact & continue",
        "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after",
        "The image exceeds the maximum size of 5 MB",
    ],
)
def test_other_errors_are_not_taken_for_one(text: str) -> None:
    assert read_refusal(text) is None


def test_the_room_is_what_the_answer_leaves() -> None:
    found = read_refusal(TOO_LONG[1][0])
    assert found is not None and found.room == 204_698 - 21_333
    plain = read_refusal("Prompt is too long")
    assert plain is not None and plain.room is None


def test_refusals_in_a_row_are_read_together() -> None:
    assert merged_refusal([]) is None
    supposed = merged_refusal([""])
    assert supposed is not None and (supposed.tokens, supposed.limit, supposed.attempt) == (None, None, 1)
    told = merged_refusal(
        [TOO_LONG[0][0], "prompt is too long: 205000 tokens > 200000 maximum", "Prompt is too long"]
    )
    assert told is not None
    assert (told.tokens, told.limit, told.attempt) == (209_045, 200_000, 3)


def test_a_huge_answer_is_read_in_no_time() -> None:
    start = time.perf_counter()
    for hostile in ("maximum context length is 1 tokens (" * 200_000, "9" * 5_000_000, " " * 5_000_000):
        read_refusal(hostile)
    assert time.perf_counter() - start < 2
