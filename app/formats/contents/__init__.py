"""Conversations in the form of the Gemini API: contents with a role and parts, read, written and mended.

Formats whose records hold such parts use these modules, whatever their own records look like.
"""
