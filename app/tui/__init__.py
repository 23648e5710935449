"""The terminal interface: a thin face of the workspace."""
