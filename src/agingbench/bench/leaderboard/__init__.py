"""The leaderboard: submissions, the rules they are held to, disputes and ranks."""
