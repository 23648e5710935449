"""What screens and commands show, computed without them: rows, forecasts, groups, comparisons, lost facts."""
