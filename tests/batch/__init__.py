"""Tests of jobs over a folder."""
