"""A repository that an agent works on: tickets, its states before and after, and its tests."""
