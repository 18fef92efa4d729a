"""From the signals of sessions to answers: null models, gates, corrections."""
