"""A run: contexts resumed and judged, kept on disk, scored, summed up, carded."""
