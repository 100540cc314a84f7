"""xarray opens arrays, folders of arrays, and stores: xr.open_dataset(path, engine="tessera").

Importing this module adds the accessor ``tessera`` to datasets: ``ds.tessera.to_tessera(path)``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from tessera import datasets
from tessera.folders import groups
from tessera.folders.lazy import LazyItems, open_dataset
from tessera.folders.names import SUFFIX
from tessera.places import Path, split
from tessera.stores import Group

__all__ = ["LazyItems", "TesseraAccessor", "TesseraBackendEntrypoint"]

if TYPE_CHECKING:  # xarray need not be there where types are checked
    _C = TypeVar("_C")

    class BackendEntrypoint:
        """As in xarray."""

    def register_dataset_accessor(name: str) -> Callable[[_C], _C]: ...

else:
    from xarray import register_dataset_accessor
    from xarray.backends import BackendEntrypoint


class TesseraBackendEntrypoint(BackendEntrypoint):
    """Opens an array as a Dataset of one variable; a folder of arrays, or a group of a store, as one
    of all of them."""

    description = "Open arrays in the Blosc2 format (.b2nd), folders and stores (.b2d, .b2z) of them"

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether the name ends in .b2nd, or it is a folder of arrays, or leads to or into a store."""
        if isinstance(filename_or_obj, Group):
            return True
        try:
            path = os.fspath(filename_or_obj)
        except TypeError:
            return False
        if not isinstance(path, str):
            return False
        if path.rstrip("/").endswith(SUFFIX) or split(path) is not None:
            return True
        return groups.is_dataset(path)

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: bool = True,
        decode_times: bool = True,
        concat_characters: bool = True,
        decode_coords: bool | str = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: bool | None = None,
        decode_timedelta: bool | None = None,
        group: str | None = None,
        commit: str | int | None = None,
        threads: int | None = None,
        cache: int | None = None,
    ) -> Any:
        """Open a Dataset. group is a folder in the folder, or a group in the store; commit a name or
        number of a commit of the store; threads and cache as in tessera.open().

        The other arguments are those of xarray.open_dataset().
        """
        return open_dataset(
            filename_or_obj,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
            group=group,
            commit=commit,
            threads=threads,
            cache=cache,
        )


@register_dataset_accessor("tessera")
class TesseraAccessor:
    """The accessor ds.tessera."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def to_tessera(
        self,
        path: Path | Group,
        *,
        mode: str | None = None,
        encoding: Mapping[Any, Mapping[str, Any]] | None = None,
        append_dim: str | None = None,
        unlimited_dims: str | Iterable[str] | None = None,
        shared: bool = False,
    ) -> None:
        """tessera.to_tessera() of the dataset."""
        datasets.to_tessera(
            self._dataset,
            path,
            mode=mode,
            encoding=encoding,
            append_dim=append_dim,
            unlimited_dims=unlimited_dims,
            shared=shared,
        )
