"""Programs that run inside a confinement: handed over as source, standard library only, nothing of
this package.
"""
