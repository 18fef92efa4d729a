"""Trials looked at: listings, summaries, behaviour, rankings, reviews, exports."""
