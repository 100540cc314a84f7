"""Folders of arrays, as which datasets of xarray are stored: what is in one, and how it grows."""
