"""Reading, writing and repairing conversations in the form of the Gemini API: contents of a role and parts.

Formats whose records hold such parts use these modules, whatever their own records look like.
"""
