"""The real agents: where each looks for a session, and how it resumes one with nobody at the keyboard."""

from tests.clients.agents.base import Agent, Place, Resumed, resume
from tests.clients.agents.claude_code import ClaudeCode
from tests.clients.agents.codex import Codex
from tests.clients.agents.gemini import GeminiCli
from tests.clients.agents.opencode import Opencode
from tests.clients.agents.pi import Pi
from tests.clients.agents.qwen import QwenCode

__all__ = [
    "Agent",
    "ClaudeCode",
    "Codex",
    "GeminiCli",
    "Opencode",
    "Pi",
    "Place",
    "QwenCode",
    "Resumed",
    "resume",
]
