"""Linear layers whose inputs are mostly zero: of the numbers for each label, only those of a few legal labels are not.

A dense product multiplies all these zeros. Here rows are compressed to the columns that differ from the least number of
their part, and a compiled function adds the weights of these columns. The least number, which is nearly always 0, is
multiplied by the sum of the weights. The number of plays left is an input with another: labels that are not legal get
the least of the legal ones.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from abl_cards.core import kernel, map_ranges

MIN_SPARSE_ROWS = 384
"""Rows from which the compressed product is faster; it copies the weights once, whatever the number of rows."""
_MIN_SHARE = 64  # fewest rows, or outputs, of a thread


def concat_flat(parts: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
    """Flatten and concatenate tensors [n, ...] to [n, sizes] of a dtype."""
    return torch.cat([part.flatten(1).to(dtype) for part in parts], dim=1)


def sparse_linear(
    parts: Sequence[Tensor], weight: Tensor, bias: Tensor, dtype: torch.dtype, num_dense: int = 0
) -> Tensor:
    """Apply a linear layer to parts that are mostly zero.

    The compressed product is used in training. The dense product is used without gradients, for few rows, on other
    devices and in half precision; it is equal within rounding. So the choice of an agent does not depend on the number
    of decisions that it makes at once. Parts that require gradients use the dense product too.

    Args:
        parts: Inputs [n, ...] of any dtype, flattened and side by side the columns of the layer.
        weight: [outputs, columns] the weights.
        bias: [outputs] the bias.
        dtype: Dtype that a dense product is computed from.
        num_dense: Number of parts at the beginning that are mostly not zero.

    Returns:
        [n, outputs] the outputs.
    """
    if not _is_sparse_faster(parts, weight, dtype, num_dense):
        return torch.nn.functional.linear(concat_flat(parts, dtype), weight, bias)
    dense, sparse = parts[:num_dense], [part.flatten(1) for part in parts[num_dense:]]
    num_sparse = sum(part.shape[1] for part in sparse)
    of_dense, of_sparse = torch.split_with_sizes(weight, [weight.shape[1] - num_sparse, num_sparse], dim=1)
    product: Tensor = _SparseProduct.apply(of_sparse, *sparse) + bias
    return torch.addmm(product, concat_flat(dense, dtype), of_dense.t()) if dense else product


def _is_sparse_faster(parts: Sequence[Tensor], weight: Tensor, dtype: torch.dtype, num_dense: int) -> bool:
    """Return whether the compressed product is supported, and faster."""
    return (
        torch.is_grad_enabled()
        and weight.requires_grad
        and len(parts[0]) >= MIN_SPARSE_ROWS
        and any(part[0].numel() for part in parts[num_dense:])
        and weight.device.type == "cpu"
        and weight.dtype == dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and not any(part.requires_grad for part in parts)
    )


@dataclass(frozen=True)
class SparseRows:
    """Compressed rows: in each part of a row, the columns that differ from the least number of the part."""

    starts: NDArray[np.int64]  # [n + 1] first entry of each row
    columns: NDArray[np.int32]  # [entries] columns of all parts side by side
    values: NDArray[np.float32]  # [entries] differences from the least number
    least: Tensor  # [n, parts] float32 least numbers
    sizes: tuple[int, ...]  # columns of each part

    @classmethod
    def compress(cls, parts: Sequence[Tensor]) -> SparseRows:
        """Compress rows.

        Args:
            parts: Tensors [n, columns] on the CPU, of any dtype.
        """
        parts = [part for part in parts if part.shape[1]]
        n = len(parts[0])
        least = torch.stack([part.amin(dim=1).float() for part in parts], dim=1)
        arrays = [(_to_array(part), column.numpy()) for part, column in zip(parts, least.unbind(1), strict=True)]
        counts = np.zeros(n, np.int64)
        for array, base in arrays:
            _count_entries(array, base, counts)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
        ends, first = starts[:-1].copy(), 0
        for array, base in arrays:
            _append_entries(array, base, first, ends, columns, values)
            first += array.shape[1]
        return cls(starts, columns, values, least, tuple(array.shape[1] for array, _ in arrays))

    def multiply(self, weight: Tensor) -> Tensor:
        """Return the product [n, outputs] with weights [outputs, columns]."""
        transposed = weight.t().contiguous()
        if bool(self.least.any()):
            product = self.least @ torch.stack([rows.sum(dim=0) for rows in transposed.split(self.sizes)])
        else:
            product = weight.new_zeros(len(self.least), len(weight))
        arrays = self.starts, self.columns, self.values, transposed.numpy(), product.numpy()
        map_ranges(len(product), lambda lo, hi: _add_products(*arrays, lo, hi), min_size=_MIN_SHARE)
        return product

    def weight_gradient(self, gradient: Tensor) -> Tensor:
        """Return the gradient of the weights [outputs, columns] from that of the product [n, outputs]."""
        of_columns = gradient.new_zeros(sum(self.sizes), gradient.shape[1])
        arrays = self.starts, self.columns, self.values, gradient.contiguous().numpy(), of_columns.numpy()
        map_ranges(gradient.shape[1], lambda lo, hi: _add_gradients(*arrays, lo, hi), min_size=_MIN_SHARE)
        if bool(self.least.any()):
            for rows, of_sum in zip(of_columns.split(self.sizes), self.least.t() @ gradient, strict=True):
                rows += of_sum
        return of_columns.t()


class _SparseProduct(torch.autograd.Function):
    """Product of weights with compressed rows; the gradient of the weights reads the rows again."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, *parts: Tensor) -> Tensor:
        """Return [n, outputs] of weights [outputs, columns] and parts [n, some]."""
        ctx.rows = SparseRows.compress(parts)
        return ctx.rows.multiply(weight.detach())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the weights; the parts have none."""
        of_weight = ctx.rows.weight_gradient(gradient) if ctx.needs_input_grad[0] else None
        return of_weight, *[None] * (len(ctx.needs_input_grad) - 1)


def _to_array(part: Tensor) -> NDArray[Any]:
    """Return a part as an array of bytes or float32, for which the compiled functions exist."""
    if part.dtype in (torch.bool, torch.uint8):
        return np.ascontiguousarray(part.numpy()).view(np.uint8)
    return np.ascontiguousarray(part.float().numpy())


@kernel
def _count_entries(rows, least, counts):
    """Add to counts [n] how many numbers of each row [n, columns] differ from its least one [n]."""
    for i in range(len(rows)):
        count, base = 0, least[i]
        for j in range(rows.shape[1]):
            count += np.float32(rows[i, j]) != base
        counts[i] += count


@kernel
def _append_entries(rows, least, first, ends, columns, values):
    """Append the entries of a part, whose columns begin at a number, to those of each row; ``ends`` moves on."""
    found = np.empty(rows.shape[1] + 1, np.int32)
    for i in range(len(rows)):
        count, base = 0, least[i]
        for j in range(rows.shape[1]):  # without a branch, which would be predicted badly
            found[count] = j
            count += np.float32(rows[i, j]) != base
        end = ends[i]
        for k in range(count):
            columns[end + k] = first + found[k]
            values[end + k] = np.float32(rows[i, found[k]]) - base
        ends[i] = end + count


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add_products(starts, columns, values, weight, product, lo, hi):
    """Add the products with weights [columns, outputs] to rows lo..hi-1, four entries at a time."""
    width = weight.shape[1]
    for i in range(lo, hi):
        out, k, end = product[i], starts[i], starts[i + 1]
        while k + 4 <= end:
            first, second, third, fourth = values[k], values[k + 1], values[k + 2], values[k + 3]
            of_first, of_second = weight[columns[k]], weight[columns[k + 1]]
            of_third, of_fourth = weight[columns[k + 2]], weight[columns[k + 3]]
            for m in range(width):
                out[m] += first * of_first[m] + second * of_second[m] + third * of_third[m] + fourth * of_fourth[m]
            k += 4
        while k < end:
            value, of_value = values[k], weight[columns[k]]
            for m in range(width):
                out[m] += value * of_value[m]
            k += 1


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add_gradients(starts, columns, values, gradient, of_columns, lo, hi):
    """Add to the gradients [columns, outputs] of the weights, for outputs lo..hi-1; rows come in their order."""
    for i in range(len(gradient)):
        row = gradient[i, lo:hi]
        for k in range(starts[i], starts[i + 1]):
            value, out = values[k], of_columns[columns[k], lo:hi]
            for m in range(hi - lo):
                out[m] += value * row[m]
