"""Components: `pt.Transformer`s that add columns to a per-query experiment frame."""
