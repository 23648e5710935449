"""Widgets that know no screens: they are given plain data and post messages."""
