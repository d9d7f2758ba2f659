"""Judgments out of judgments: pools, samples, pseudo-judgments, those of a single run; and how far labels agree."""
