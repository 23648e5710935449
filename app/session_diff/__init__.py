"""Comparing two sessions, message by message."""
