"""s2: a personal assistant with standing rules, an account and a growing life."""
