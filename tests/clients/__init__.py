"""Tests that start real agents: only with `-m clients`."""

import pytest

pytest.register_assert_rewrite("tests.clients.checks")
