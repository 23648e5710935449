"""Saves histories outside the session: the journal and recipes, and replaying them."""
