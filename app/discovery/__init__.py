"""The sessions on this machine: found in the agents' folders, described by their heads, sorted, filtered.

`folders` finds them and needs every format; `found_session` and `catalogue` hold what was found, and do not.
"""
