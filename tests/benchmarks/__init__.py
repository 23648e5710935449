"""How fast the program is and how much memory it takes, beside the floors of the same machine and run.

`python -m tests.benchmarks` prints the table; nothing here is part of a plain `pytest` but the tests in
`test_growth.py`, which count operations and no seconds.
"""
