"""Tables: columns that are declared once, and all the ways to show and write them."""
