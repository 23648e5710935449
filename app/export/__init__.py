"""Planning, verifying and writing an export."""
