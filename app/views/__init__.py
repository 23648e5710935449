"""What a face shows, worked out without one: rows, outlook, groups, comparisons, what is lost."""
