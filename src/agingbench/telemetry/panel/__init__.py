"""The behaviour panel of an audit: what the agent did, what it cost, and when it changed."""
