"""s4: a coding assistant that follows a code base over many sprints."""
