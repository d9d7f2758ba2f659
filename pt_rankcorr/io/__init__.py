"""How scores come in: every reader ends in `align.align`."""
