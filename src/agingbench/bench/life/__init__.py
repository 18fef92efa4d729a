"""Living a plan: the loop, what runs beside it, the folder on disk, the system, controllers."""
