"""The terminal interface: a thin layer over the headless workspace."""
