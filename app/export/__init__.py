"""Planning an export, proving it, writing it."""
