"""One screen a file, its stylesheet beside it; `base` is what all share, `parts` what some are made of."""
