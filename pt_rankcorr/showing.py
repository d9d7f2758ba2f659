"""The names of `pt_rankcorr.tables`."""

from pt_rankcorr.tables import Shown as Shown
