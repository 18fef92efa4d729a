"""The plan of a life: what is true, what is told and what is asked."""
