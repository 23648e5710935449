"""Lantern Street: a small web shop."""

__version__ = "2.3.1"
