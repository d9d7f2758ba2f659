"""The names of `pt_rankcorr.writers`."""

from pt_rankcorr.writers import csv_line as csv_line
from pt_rankcorr.writers import json_line as json_line
