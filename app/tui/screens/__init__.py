"""One module per screen, with its stylesheet beside it; `base` is shared by all, `parts` holds mixins."""
