"""How the made sample sessions are made: see `make.py` beside this package."""
