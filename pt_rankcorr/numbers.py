"""Numbers as text."""

from pt_rankcorr.text import *  # noqa: F403
