"""Items of OpenAI's Responses API: reading them into blocks and messages, writing and repairing them.

Two formats hold them: rollouts of Codex, and requests or lists of items as plain JSON.
"""
