"""Plain JSON sessions: a list of messages in a provider's own form, as a document or one message a line.

`sniffing` tells the two dialects apart, `layout` reads records and assembles files, `session` is what both
formats share; the rest are the blocks and the repairs of each dialect.
"""
