"""Plain JSON sessions: a list of messages in a provider's own form, as a document or one message a line.

`kinds` tells the two dialects apart, `layout` reads records and puts files together, `session` is what both
formats share; the rest are the blocks and the repairs of each dialect.
"""
