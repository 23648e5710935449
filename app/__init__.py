"""handcompact: inspect and hand-compact the conversations of coding agents."""

__version__ = "0.1.0"
