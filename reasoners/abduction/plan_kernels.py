"""Numba kernels that compute the most probable assignments of plans.

Nodes of a cone are numbered from 0, parts before wholes; the last one is the target. Assignments are distinguished by
the sum of random 64-bit numbers, one for each label at each position.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"
from __future__ import annotations

import numpy as np

from abl_cards.core import copy_values, device_function, kernel
from abl_cards.reasoners.abduction.assignment_plans import CONJUNCTION, CONSTANT, CONTEXT, DISJUNCTION, LEAF


@device_function
def double_rows(rows):
    """Return an array of twice as many rows, of which the first ones are ``rows`` [n, length]."""
    larger = np.empty((2 * len(rows), rows.shape[1]), rows.dtype)
    for row in range(len(rows)):
        copy_values(rows[row], larger[row], rows.shape[1])
    return larger


@kernel
def find_cone(kind, first, second, part_start, parts, target, visited, stack):
    """Return the nodes that a target depends on, in increasing order; `visited` is all False before and after."""
    size, count = 1, 0
    stack[0] = target
    visited[target] = True
    nodes = np.empty(256, np.int32)
    while size:
        size -= 1
        node = stack[size]
        if count == len(nodes):
            larger = np.empty(2 * count, np.int32)
            copy_values(nodes, larger, count)
            nodes = larger
        nodes[count] = node
        count += 1
        if kind[node] == CONJUNCTION:
            for child in (first[node], second[node]):
                if not visited[child]:
                    visited[child] = True
                    stack[size] = child
                    size += 1
        elif kind[node] == DISJUNCTION:
            for index in range(part_start[node], part_start[node + 1]):
                child = parts[index]
                if not visited[child]:
                    visited[child] = True
                    stack[size] = child
                    size += 1
    nodes = np.sort(nodes[:count])
    for node in nodes:
        visited[node] = False
    return nodes


@kernel
def renumber_cone(kind, first, second, part_start, parts, nodes, numbers):
    """Return kinds, first and second fields, starts and members of a cone; `numbers` is scratch for all nodes.

    Members are the parts of disjunctions and the labels of leaves; `parts` holds the labels of leaves as well.
    """
    total = 0
    for index in range(len(nodes)):
        numbers[nodes[index]] = index
        total += part_start[nodes[index] + 1] - part_start[nodes[index]]
    cone = np.empty((3, len(nodes)), np.int32)
    start, members = np.empty(len(nodes) + 1, np.int32), np.empty(total, np.int32)
    fill = 0
    for index in range(len(nodes)):
        node = nodes[index]
        cone[0, index], cone[1, index], cone[2, index] = kind[node], first[node], second[node]
        start[index] = fill
        if kind[node] == CONJUNCTION:
            cone[1, index], cone[2, index] = numbers[first[node]], numbers[second[node]]
        for part in range(part_start[node], part_start[node + 1]):
            members[fill] = numbers[parts[part]] if kind[node] == DISJUNCTION else parts[part]
            fill += 1
    start[len(nodes)] = fill
    return cone, start, members


@kernel
def best_assignments(cones, starts, members, node_offset, start_offset, member_offset, cone_of, scores, context, out):
    """Write the best assignment of each example to out[example, 0]; its other values stay as they are.

    `scores` [examples, length, labels] are log probabilities, `context` [examples, inputs] the values of inputs. The
    cones lie one after the other, cone c from `node_offset[c]` on.
    """
    largest = 0
    for cone in range(len(node_offset) - 1):
        largest = max(largest, node_offset[cone + 1] - node_offset[cone])
    score, choice, stack = np.empty(largest), np.empty(largest, np.int32), np.empty(largest + 1, np.int32)
    for example in range(len(cone_of)):
        cone = cone_of[example]
        if cone < 0:
            continue
        nodes = node_offset[cone + 1] - node_offset[cone]
        kind = cones[0, node_offset[cone] : node_offset[cone + 1]]
        first = cones[1, node_offset[cone] : node_offset[cone + 1]]
        second = cones[2, node_offset[cone] : node_offset[cone + 1]]
        start = starts[start_offset[cone] : start_offset[cone + 1]]
        member = members[member_offset[cone] : member_offset[cone + 1]]
        for node in range(nodes):
            best, best_choice = -np.inf, -1
            if kind[node] == CONJUNCTION:
                best = score[first[node]] + score[second[node]]
            elif kind[node] == DISJUNCTION:
                for index in range(start[node], start[node + 1]):
                    value = score[member[index]]
                    if value > best:
                        best, best_choice = value, member[index]
            elif kind[node] == LEAF:
                for index in range(start[node], start[node + 1]):
                    value = scores[example, first[node], member[index]]
                    if value > best:
                        best, best_choice = value, member[index]
            elif kind[node] == CONTEXT:
                if context[example, first[node]] == second[node]:
                    best = 0.0
            elif first[node] == 1:
                best = 0.0
            score[node], choice[node] = best, best_choice
        if score[nodes - 1] == -np.inf:
            continue
        size, stack[0] = 1, nodes - 1
        while size:
            size -= 1
            node = stack[size]
            if kind[node] == CONJUNCTION:
                stack[size], stack[size + 1] = first[node], second[node]
                size += 2
            elif kind[node] == DISJUNCTION:
                stack[size] = choice[node]
                size += 1
            elif kind[node] == LEAF:
                out[example, 0, first[node]] = choice[node]


@kernel
def insert(score, key, back, node, count, k, value, new_key, one, other):
    """Insert an assignment into the sorted list of a node unless it is there; return the length of the list."""
    if count == k and value <= score[node, k - 1]:
        return count
    for index in range(count):
        if key[node, index] == new_key:
            return count
    place = min(count, k - 1)
    while place > 0 and score[node, place - 1] < value:
        score[node, place], key[node, place] = score[node, place - 1], key[node, place - 1]
        back[node, place, 0], back[node, place, 1] = back[node, place - 1, 0], back[node, place - 1, 1]
        place -= 1
    score[node, place], key[node, place] = value, new_key
    back[node, place, 0], back[node, place, 1] = one, other
    return min(count + 1, k)


@kernel
def several_assignments(
    cones, starts, members, node_offset, start_offset, member_offset, cone_of, scores, context, keys, out
):
    """Write the k best assignments of each example to out[example, k, length], best first.

    `keys` [length, labels] holds random numbers; the other arguments are those of `best_assignments`.
    """
    largest, k = 0, out.shape[1]
    for cone in range(len(node_offset) - 1):
        largest = max(largest, node_offset[cone + 1] - node_offset[cone])
    score, key = np.empty((largest, k)), np.empty((largest, k), np.uint64)
    back, count = np.empty((largest, k, 2), np.int32), np.zeros(largest, np.int32)
    stack = np.empty((largest + 1, 2), np.int32)
    for example in range(len(cone_of)):
        cone = cone_of[example]
        if cone < 0:
            continue
        nodes = node_offset[cone + 1] - node_offset[cone]
        kind = cones[0, node_offset[cone] : node_offset[cone + 1]]
        first = cones[1, node_offset[cone] : node_offset[cone + 1]]
        second = cones[2, node_offset[cone] : node_offset[cone + 1]]
        start = starts[start_offset[cone] : start_offset[cone + 1]]
        member = members[member_offset[cone] : member_offset[cone + 1]]
        for node in range(nodes):
            num_best = np.int64(0)  # types of numba's arguments are equal in all calls, so that insert is compiled once
            if kind[node] == CONJUNCTION:
                one, other = first[node], second[node]
                for i in range(count[one]):
                    for j in range(min(count[other], k // (i + 1))):
                        value = score[one, i] + score[other, j]
                        new_key = key[one, i] + key[other, j]
                        num_best = insert(score, key, back, node, num_best, k, value, new_key, np.int32(i), np.int32(j))
            elif kind[node] == DISJUNCTION:
                for index in range(start[node], start[node + 1]):
                    part = member[index]
                    for rank in range(count[part]):
                        value, new_key = score[part, rank], key[part, rank]
                        num_best = insert(score, key, back, node, num_best, k, value, new_key, part, np.int32(rank))
            elif kind[node] == LEAF:
                position = first[node]
                for index in range(start[node], start[node + 1]):
                    label = member[index]
                    value, new_key = scores[example, position, label], keys[position, label]
                    num_best = insert(score, key, back, node, num_best, k, value, new_key, label, np.int32(0))
            elif kind[node] == CONSTANT or context[example, first[node]] == second[node]:
                score[node, 0], key[node, 0] = 0.0, 0
                num_best = np.int64(kind[node] == CONTEXT or first[node] == 1)
            count[node] = num_best
        for rank in range(count[nodes - 1]):
            size, stack[0, 0], stack[0, 1] = 1, nodes - 1, rank
            while size:
                size -= 1
                node, entry = stack[size, 0], stack[size, 1]
                one, other = back[node, entry, 0], back[node, entry, 1]
                if kind[node] == CONJUNCTION:
                    stack[size, 0], stack[size, 1] = first[node], one
                    stack[size + 1, 0], stack[size + 1, 1] = second[node], other
                    size += 2
                elif kind[node] == DISJUNCTION:
                    stack[size, 0], stack[size, 1] = one, other
                    size += 1
                elif kind[node] == LEAF:
                    out[example, rank, first[node]] = one


@device_function
def consistent_words(cone, start, member, labels, context, count, bits, value):
    """Evaluate a cone on up to 64 assignments of a word; return the word of its target.

    `labels` [length, 64] holds the assignments, of which the first `count` are used; `bits` [length, labels] and
    `value` [nodes] are scratch.
    """
    bits[:] = np.uint64(0)
    for position in range(len(labels)):
        for state in range(count):
            bits[position, labels[position, state]] |= np.uint64(1) << np.uint64(state)
    everywhere = ~np.uint64(0)
    for node in range(cone.shape[1]):
        kind, first, second = cone[0, node], cone[1, node], cone[2, node]
        word = np.uint64(0)
        if kind == CONJUNCTION:
            word = value[first] & value[second]
        elif kind == DISJUNCTION:
            for index in range(start[node], start[node + 1]):
                word |= value[member[index]]
        elif kind == LEAF:
            for index in range(start[node], start[node + 1]):
                word |= bits[first, member[index]]
        elif kind == CONTEXT:
            word = everywhere if context[first] == second else word
        else:
            word = everywhere if first == 1 else word
        value[node] = word
    return value[cone.shape[1] - 1]


@kernel
def revise_exactly(cone, start, member, current, num_labels, revisions, context):
    """Return the consistent assignments that differ from `current` [length] at exactly `revisions` positions.

    They are in the order of combinations of positions, then of labels.
    """
    length = len(current)
    block = np.empty((length, 64), np.int16)
    bits, value = np.empty((length, num_labels), np.uint64), np.empty(cone.shape[1], np.uint64)
    out, num_revised = np.empty((64, length), np.int16), 0
    chosen, labels = np.arange(revisions), np.zeros(revisions, np.int64)
    for index in range(revisions):
        labels[index] = 1 if current[index] == 0 and num_labels > 1 else 0
    filled, done = 0, revisions > length or (revisions > 0 and num_labels < 2)
    while not done:
        copy_values(current, block[:, filled], length)
        for index in range(revisions):
            block[chosen[index], filled] = labels[index]
        filled += 1
        done = not _next_revision(chosen, labels, current, num_labels)
        if filled == 64 or done:
            word = consistent_words(cone, start, member, block, context, filled, bits, value)
            if filled < 64:
                word &= (np.uint64(1) << np.uint64(filled)) - np.uint64(1)
            for state in range(filled if word else 0):
                if word >> np.uint64(state) & np.uint64(1):
                    if num_revised == len(out):
                        out = double_rows(out)
                    copy_values(block[:, state], out[num_revised], length)
                    num_revised += 1
            filled = 0
    return out[:num_revised]


@device_function
def _next_revision(chosen, labels, current, num_labels):
    """Advance to the next revision: labels first, then positions; return whether there is one."""
    index = len(chosen) - 1
    while index >= 0:
        label = labels[index] + 1
        if label == current[chosen[index]]:
            label += 1
        if label < num_labels:
            labels[index] = label
            break
        labels[index] = 1 if current[chosen[index]] == 0 else 0
        index -= 1
    if index >= 0:
        return True
    index = len(chosen) - 1
    while index >= 0 and chosen[index] == len(current) - len(chosen) + index:
        index -= 1
    if index < 0:
        return False
    chosen[index] += 1
    for later in range(index + 1, len(chosen)):
        chosen[later] = chosen[later - 1] + 1
    for later in range(len(chosen)):
        labels[later] = 1 if current[chosen[later]] == 0 else 0
    return True
