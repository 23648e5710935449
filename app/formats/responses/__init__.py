"""Items of OpenAI's Responses API: read into blocks, put together to messages, written again, mended.

Two formats hold them: rollouts of Codex, and requests or lists of items as plain JSON.
"""
