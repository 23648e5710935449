"""The sessions on this machine: found in the agents' folders, known by their heads, sorted and filtered.

`look` finds them and needs every format; `found` and `catalogue` hold what was found, and need nothing.
"""
