"""The names of `pt_rankcorr.text`."""

from pt_rankcorr.text import D_RANK as D_RANK
