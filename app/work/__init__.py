"""The open session and the work on it: workspace, history, prices. Nothing here writes a file."""
