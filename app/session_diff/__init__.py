"""Two sessions held against each other, message by message."""
