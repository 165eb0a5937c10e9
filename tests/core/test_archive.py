"""Archives of values: reading returns what was written and refuses other data."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from io import BytesIO
from math import inf, nan, prod
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.core.archive import ArchiveError, pack_archive, read_archive, unpack_archive, write_archive

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
KEYS = st.integers() | st.text() | st.tuples(st.integers(), st.text())
DTYPES = ["<i4", ">f8", "?", "<u8", "S3", "<U2", "<c8", "<f2"]
SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 4)]


def array(dtype: Any, shape: tuple[int, ...], turned: bool) -> Any:
    """Some array of a type and shape, in either order of its axes."""
    kind = np.dtype(dtype)
    values = np.arange(1, 1 + kind.itemsize * prod(shape)).astype(np.uint8) % 2
    made = np.ndarray(shape, kind, values.tobytes())
    return made.T if turned else made


ARRAYS = st.builds(array, st.sampled_from(DTYPES), st.sampled_from(SHAPES), st.booleans())
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)


def alike(one: Any, other: Any) -> bool:
    """Equal in type and value; numbers that are none are the same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one, other)
    return bool(one == other or (one != one and other != other))


@given(VALUES)
def test_archives_round_trip(value: Any) -> None:
    assert alike(unpack_archive(pack_archive(value)), value)


@pytest.mark.parametrize("name", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_tensors_of_all_dtypes_round_trip(name: str, shape: tuple[int, ...]) -> None:
    tensor = torch.arange(6).reshape(2, 3)[tuple(slice(size) for size in shape)] if shape else torch.tensor(3)
    tensor = tensor.to(getattr(torch, name))
    again = unpack_archive(pack_archive({"weights": tensor.t()}))["weights"]
    assert alike(again, tensor.t().contiguous())
    again.fill_(1)  # it has room of its own


def test_generator_optimizer_and_module_states_round_trip() -> None:
    """Random numbers have states of 128 bits, optimisers number their parameters, and module states are ordered."""
    module = torch.nn.Linear(2, 3)
    optimiser = torch.optim.Adam(module.parameters(), lr=0.1, fused=True)
    module(torch.ones(1, 2)).sum().backward()
    optimiser.step()
    random = np.random.default_rng(1)
    random.integers(2**32, dtype=np.uint32)
    state = {
        "random": random.bit_generator.state, "optimiser": optimiser.state_dict(), "module": dict(module.state_dict()),
        "torch": torch.get_rng_state(), "number": np.uint64(2**64 - 1), "truth": np.bool_(True), "odd": (nan, -inf),
    }  # fmt: skip
    assert alike(unpack_archive(pack_archive(state)), state)
    optimiser.load_state_dict(unpack_archive(pack_archive(state))["optimiser"])
    assert alike(unpack_archive(pack_archive(module.state_dict())), dict(module.state_dict()))


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        b"bytes",
        np.array([object()]),
        np.zeros(1, [("a", "i1")]),
        np.datetime64("2020-01-01"),
        1j,
    ],
)
def test_unsupported_values_raise(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be kept"):
        pack_archive(value)


WHOLE = pack_archive({"weights": np.arange(40.0), "name": "abl", "steps": [1, 2, 3]})


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(1, 255)), min_size=1, max_size=64, unique=True))
def test_flipped_bytes_raise(flips: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, bits in flips:
        data[place] ^= bits
    if bytes(data) != WHOLE:
        with pytest.raises(ArchiveError):
            unpack_archive(bytes(data))


@given(st.integers(0, len(WHOLE) - 1))
def test_truncated_and_extended_data_raise(length: int) -> None:
    for data in (WHOLE[:length], WHOLE + WHOLE[:length] + b"\0"):
        with pytest.raises(ArchiveError):
            unpack_archive(data)


def sealed(header: bytes, body: bytes = b"") -> bytes:
    """Return an archive with a valid checksum and any header."""
    from hashlib import sha256

    length = 24 + len(header) + len(body) + 32
    data = WHOLE[:8] + length.to_bytes(8, "little") + len(header).to_bytes(8, "little") + header + body
    return data + sha256(data).digest()


HUGE = 2**50


@pytest.mark.parametrize(
    "header",
    [
        {"array": ["<f8", [HUGE]]}, {"array": ["<f8", [HUGE, HUGE]]}, {"array": [f"|V{HUGE}", [2]]},
        {"array": ["|V0", [HUGE]]}, {"array": ["|O", [1]]}, {"array": [[["a", "|O"]], [1]]}, {"array": [[], [HUGE]]},
        {"array": ["<f8", [-1, -8]]}, {"array": ["<f8", [0, 2**70]]}, {"array": ["<f8", [1.5]]}, {"array": 3},
        {"array": [[["a", "<i4", [HUGE]]], [1]]}, {"scalar": "<f4"}, {"tensor": ["float32", [HUGE]]},
        {"tensor": ["save", [1]]}, {"tensor": ["float32", [0, 2**64]]}, {"float": "1"}, {"float": [1]}, {"none": 1},
        {"tuple": 5}, {"dict": []}, {"items": [[[1], 2]]}, {"items": [1]}, {"dict": {}, "tuple": []}, {},
        [{"array": ["|u1", [8]]}, {"array": ["|u1", [8]]}], [],
    ],
)  # fmt: skip
def test_forged_header_raises_without_allocating_memory(header: Any) -> None:
    data = sealed(json.dumps(header).encode(), bytes(8))
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError):
            unpack_archive(data)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("header", [b"[" * 100_000, b"NaN", b'"\xff"', b"9" * 5000, b"", b"{", b"[1] 2"])
def test_header_that_is_not_json_raises(header: bytes) -> None:
    with pytest.raises(ArchiveError):
        unpack_archive(sealed(header))


def test_forged_length_raises() -> None:
    for place in (8, 16):
        data = WHOLE[:place] + HUGE.to_bytes(8, "little") + WHOLE[place + 8 :]
        with pytest.raises(ArchiveError):
            unpack_archive(data)


def test_pickles_and_other_data_raise() -> None:
    for data in (pickle.dumps({"settings": {}}), b"", b"PK\3\4" + bytes(100)):
        with pytest.raises(ArchiveError):
            unpack_archive(data)


def test_values_are_read_in_sequence_from_a_stream() -> None:
    stream = BytesIO()
    for value in ([1], {"a": 2}):
        write_archive(stream, value)
    stream.seek(0)
    assert [read_archive(stream), read_archive(stream)] == [[1], {"a": 2}]
    with pytest.raises(EOFError):
        read_archive(stream)
