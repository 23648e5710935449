"""What was done, kept beside the session: the journal, recipes, and doing them again."""
