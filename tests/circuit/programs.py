"""Random stratified programs for hypothesis: negation, recursion, aggregates, conditions, constraints and costs."""

from __future__ import annotations

from hypothesis import strategies as st

from abl_cards.asp.terms import Input

VALUES = (1, 2, 3)
INPUTS = [Input("in", (VALUES, (1, 2))), Input("flag", (VALUES,)), Input("go", ())]
DECLARATIONS = "#external in(X,N) : X = 1..3, N = 1..2.\n#external flag(X) : X = 1..3.\n#external go.\n"
NO_RECURSION = ["-Y", "-2", "-5", "2*Y-3", "0", "-64"]
LAYERS = 5
OUTPUTS = [(f"p{layer}", 1) for layer in range(LAYERS)]
LINK = "link(1,2). link(2,3). link(3,1). link(2,2). val(1..3).\n"
COMPARISONS = st.sampled_from(["<=", "<", ">", ">=", "=", "!="])


@st.composite
def atoms(draw: st.DrawFn, below: int) -> str:
    """An atom over X of an input or of a lower layer."""
    choices = ["in(X,1)", "in(X,2)", "flag(X)", "go", "flag(3-X+1)", "in(1,2)"]
    choices += [f"p{layer}(X)" for layer in range(below)] * 2
    return draw(st.sampled_from(choices))


@st.composite
def elements(draw: st.DrawFn, below: int, recursive: str | None) -> str:
    """The elements of an aggregate; inside of a recursion all weights are positive."""
    parts = []
    for index in range(draw(st.integers(1, 3))):
        weight = draw(st.sampled_from(["Y", "1", "2", "7", "8", "4*Y", "1000"] + ([] if recursive else NO_RECURSION)))
        key = draw(st.sampled_from([f"{index},Y", f"{index},Y", "Y", "0"]))  # elements may share tuples
        negation = "" if recursive else draw(st.sampled_from(["", "", "not ", "not not "]))
        atom = recursive or draw(atoms(below))
        parts.append(f"{weight},{key} : val(Y), {negation}{atom.replace('X', 'Y')}")
    return "; ".join(parts)


@st.composite
def literals(draw: st.DrawFn, layer: int) -> str:
    """A body literal of a rule for p<layer>."""
    own = f"p{layer}"
    kind = draw(st.integers(0, 9))
    if kind <= 2:
        return draw(atoms(layer))
    if kind <= 4:
        return draw(st.sampled_from(["not ", "not ", "not not "])) + draw(atoms(layer))
    if kind == 5:
        return f"{own}(Z), link(Z,X)"
    if kind == 6:
        negation = draw(st.sampled_from(["", "not "]))
        return f"{negation}{draw(atoms(layer)).replace('X', 'W')} : link(X,W)"
    if kind == 7:
        return f"{draw(st.integers(1, 4))} <= #count {{ {draw(elements(layer, f'{own}(Y)'))} }}"
    function = draw(st.sampled_from(["#sum", "#sum", "#sum+", "#count", "#min", "#max"]))
    inner = draw(elements(layer, None))
    bound = draw(st.integers(-6, 9))
    if kind == 8:
        negation = draw(st.sampled_from(["", "not ", "not not "]))
        lower = draw(st.sampled_from(["", "", f"{draw(st.integers(-6, 6))} {draw(COMPARISONS)} "]))
        return f"{negation}{lower}{function} {{ {inner} }} {draw(COMPARISONS)} {bound}"
    return f"S{bound % 7} = {function} {{ {inner} }}, S{bound % 7} > X"


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a knowledge base over INPUTS with the outputs OUTPUTS."""
    lines = [DECLARATIONS, LINK]
    for layer in range(LAYERS):
        for _ in range(draw(st.integers(1, 2))):
            body = [*draw(st.lists(literals(layer), min_size=1, max_size=3)), "val(X)"]
            head = draw(st.sampled_from(["X", "X", "X", "X+1", "X;1", "2..X"]))
            lines.append(f"p{layer}({head}) :- {'; '.join(body)}.")
    for _ in range(draw(st.integers(0, 2))):
        lines.append(f":- val(X), {draw(atoms(LAYERS))}, not {draw(atoms(LAYERS))}.")
    lines.append('preference(f,g). says(f,en,"f"). says(f,zh,"f").')
    for index in range(draw(st.integers(0, 3))):
        weight = draw(st.sampled_from(["5*X", "-3*X", "X-2", "40000"]))
        lines.append(f"cost(f({index},X), {weight}) :- {draw(atoms(LAYERS))}, val(X).")
    return "\n".join(lines)
