"""The data that screens and commands show, free of UI: rows, forecasts, groups, comparisons, lost facts."""
