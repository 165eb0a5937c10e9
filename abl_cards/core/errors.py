"""Errors that every part of the project raises, and their codes."""

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """Kind of an error: stable across versions, while messages may change.

    Programs and tests compare codes; people read messages. ``docs/reference/errors.md`` lists all codes with
    the descriptions given here.
    """

    description: str

    def __new__(cls, value: str, description: str = "") -> ErrorCode:  # a call with the value alone looks a member up
        """Make a member from its text and one sentence about it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    # Values and files
    INVALID_VALUE = "invalid-value", "An argument or a setting has a value outside its range."
    INVALID_JSON = "invalid-json", "A JSON text or one of its fields has the wrong form or type."
    INVALID_SETTING = "invalid-setting", "A setting is unknown, or its value has the wrong type or range."
    FILE_NOT_READABLE = "file-not-readable", "A file is missing, damaged, too large or in another format."
    FILE_NOT_WRITTEN = "file-not-written", "A file or folder cannot be written: no space is left, or it is read-only."
    FOLDER_LOCKED = "folder-locked", "Another process is using the folder."
    TOO_LARGE = "too-large", "A request exceeds a limit of size or number."
    UNSUPPORTED_PLATFORM = "unsupported-platform", "The operating system lacks a function that this needs."

    # Rule files (asp, circuit)
    FILE_OUTSIDE_FOLDER = "file-outside-folder", "A rule file, an include or a link leads out of the rule folder."
    INVALID_INCLUDE = "invalid-include", "An #include is malformed, misplaced, or names a file that does not exist."
    SYNTAX_ERROR = "syntax-error", "The text of a rule file does not follow the syntax of answer-set programs."
    NESTED_TOO_DEEPLY = "nested-too-deeply", "Brackets or operators of a rule are nested beyond the limit."
    UNSUPPORTED_CONSTRUCT = "unsupported-construct", "A rule uses a construct of clingo that is refused in rule files."
    NO_CIRCUIT = "no-circuit", "A choice, a disjunction or an aggregate in a head has no circuit; clingo can solve it."
    NOT_STRATIFIED = "not-stratified", "An atom depends on its own negation, so its rules have no circuit."
    UNKNOWN_PREDICATE = "unknown-predicate", "A rule reads a predicate that no rule derives and no input declares."
    UNKNOWN_INPUT = "unknown-input", "An #external or a query names an input that the engine does not supply."
    MISSING_INPUT = "missing-input", "A rule reads an input that no #external declares."
    DERIVED_INPUT = "derived-input", "A predicate is both an input and the head of a rule."
    INPUT_OUT_OF_RANGE = "input-out-of-range", "An input literal or declaration lies outside of the values supplied."
    MISSING_OUTPUT = "missing-output", "No rule derives a predicate that the engine reads."
    RESERVED_NAME = "reserved-name", "A predicate with a fixed meaning is used for something else."
    INVALID_CONSTANT = "invalid-constant", "A #const is unknown, defined twice, or defined by itself."
    CONFLICTING_FACTS = "conflicting-facts", "Two facts give different values where one is needed."
    UNSAFE_VARIABLE = "unsafe-variable", "A variable is not bound by a positive body literal, or is bound ambiguously."
    UNDEFINED_OPERATION = "undefined-operation", "Arithmetic or a weight is applied to a term that is no number."
    INTEGER_OVERFLOW = "integer-overflow", "A number or the result of arithmetic may exceed 32 bits."
    INVALID_WEIGHT = "invalid-weight", "A cost or belief has no name, no integer weight, or two weights."
    INCOMPLETE_PREFERENCE = "incomplete-preference", "A preference or hint lacks its declaration, sentence, or rule."
    ALWAYS_VIOLATED = "always-violated", "An integrity constraint is violated in every state."
    NEVER_DERIVED = "never-derived", "A rule, or every rule for a predicate, can fire in no state."
    UNUSED_DEFINITION = "unused-definition", "An input, a predicate, a fact or a constant is read by no rule."
    GROUNDING_FAILED = "grounding-failed", "The process of clingo rejected the rules, or ended while it solved them."
    LIMIT_EXCEEDED = "limit-exceeded", "A bound on time, memory or ground rules was exceeded."

    # Rule files: what they describe (games.description)
    UNKNOWN_NAME = "unknown-name", "A fact or an input names a card, seat, label, form, fluent … that is not declared."
    INVALID_ARGUMENT = "invalid-argument", "An argument of a fact or output has the wrong type or is out of range."
    MISSING_FACT = "missing-fact", "A fact that every game needs, or that another fact refers to, is missing."
    CONDITIONAL_FACT = "conditional-fact", "A fact that is read once depends on inputs."
    MISPLACED_FACT = "misplaced-fact", "A fact that is read from the text has a body, variables, or another file."
    WRONG_ARITY = "wrong-arity", "A derived predicate has another number of arguments than the engine reads."
    UNSUPPLIED_INPUT = "unsupplied-input", "A rule reads an input that its query never supplies."
    INEXACT_COUNT = "inexact-count", "Preferences read a count of plays that is only an upper bound for large hands."
    INVALID_FORM = "invalid-form", "The facts of a form contradict each other, or no cards satisfy them."
    INVALID_FLUENT = "invalid-fluent", "A fluent is declared twice, without a value, or without an #external."
    INVALID_SEATING = "invalid-seating", "The seats are not numbered from 0, or have no cyclic order."
    GAME_TOO_LARGE = "game-too-large", "A game has more cards, labels, forms or options than the engine supports."
    UNKNOWN_PROFILE = "unknown-profile", "A folder has no profile of this name, or no default among several."
    INVALID_FOLDER = "invalid-folder", "A rule folder is missing, has no rule files, or has files that are not read."
    INVALID_VARIANT = "invalid-variant", "A variant names a parent or a file that does not exist, or its files clash."

    # Games: descriptions and states (games)
    UNKNOWN_GAME = "unknown-game", "No shipped game and no rule folder has this name."
    INVALID_CARDS = "invalid-cards", "A text of cards names an unknown card, or more copies than the pack has."
    RULES_STUCK = "rules-stuck", "The rules name no move, next seat or end, or several, so a match cannot go on."
    TOO_MANY_MOVES = "too-many-moves", "One decision, or several together, have more card sets than can be listed."

    # Games: tables and moves
    INVALID_OBSERVATION = (
        "invalid-observation",
        "A sees/2 or sees/3 fact selects a part of an observation twice, or one that does not apply to the game.",
    )
    INCOMPLETE_STATE = "incomplete-state", "A state or a deal lacks data that the request needs, such as hand sizes."
    UNSUPPORTED_GAME = "unsupported-game", "The rules of the game do not allow the requested computation."
    UNSUPPORTED_POSITION = "unsupported-position", "The solver of endgames cannot represent this position."
    INVALID_MOVE = "invalid-move", "The text or JSON value is no play or choice of the game."
    AMBIGUOUS_MOVE = "ambiguous-move", "The cards can be played in several ways; name the label."
    ILLEGAL_MOVE = "illegal-move", "A move is not legal in the position."
    UNKNOWN_PREFERENCE = "unknown-preference", "The game has no preference and no group of preferences with this name."
    RULES_CHANGED = "rules-changed", "Rule files have changed since an object that depends on them was pickled."
    RULES_NOT_PLAYABLE = "rules-not-playable", "The rules are sound logic, but play cannot begin or go on by them."

    # Agents, matches and environments
    ILLEGAL_ACTION = "illegal-action", "An action is not legal in the state of its environment."
    INVALID_ACTIONS = "invalid-actions", "Actions have the wrong type or shape, or name no action of the game."
    NOT_RESET = "not-reset", "An environment was stepped before its first reset, or after an error."
    CLOSED = "closed", "An environment was used after it was closed."
    UNSUPPORTED_AGENT = "unsupported-agent", "An agent cannot play in vectorised environments."
    INVALID_AGENT_NAME = "invalid-agent-name", "The text does not have the form NAME, or NAME:key=value,word."
    UNKNOWN_AGENT = "unknown-agent", "No agent has this name, and no Python module or file provides it."
    UNKNOWN_AGENT_OPTION = "unknown-agent-option", "The agent has no option with this name."
    INVALID_AGENT_OPTION = "invalid-agent-option", "An option of an agent has a value that it does not accept."
    DUPLICATE_AGENT = "duplicate-agent", "A name of an agent is given twice where names must differ."
    AGENT_NOT_APPLICABLE = "agent-not-applicable", "The agent cannot play this game, or lacks what the call needs."
    INVALID_AGENT_CLASS = "invalid-agent-class", "An object or class is no agent: it lacks the methods play and choose."
    AGENT_FAILED = "agent-failed", "An agent of one's own raised an exception or returned an illegal decision."
    WRONG_AGENT_COUNT = "wrong-agent-count", "The game cannot seat this number of agents."
    PLAYER_LEFT = "player-left", "A human player ended the game before its end."
    FORFEIT = "forfeit", "A program lost a game by a fault: a wrong answer, no answer or one too late."
    INVALID_RECORD = "invalid-record", "A line of a file is no record of a game, or the record cannot be replayed."
    TRUNCATED_RECORD = "truncated-record", "The file ends in the middle of its last record."
    NO_RECORDS = "no-records", "There are no records to read, or they hold no decisions of the kind needed."
    RECORDS_NOT_WRITTEN = "records-not-written", "A file of records cannot be created or has no space left."
    UNKNOWN_PART = "unknown-part", "The agent has no part with this name that can be left out."
    UNKNOWN_EXPERIMENT = "unknown-experiment", "No experiment has this name, or a file defines none."
    EXPERIMENT_FAILED = "experiment-failed", "The file of an own experiment, or its function, raised an error."
    INVALID_RESULT = "invalid-result", "A file of stored results has a line that is no result."

    # Learning: networks, weights, training runs
    UNKNOWN_PRESET = "unknown-preset", "There is no preset of this name."
    MODEL_OUTPUT_TYPE = "model-output-type", "A network returned no PolicyOutput, or a field of it is no tensor."
    MODEL_OUTPUT_SHAPE = "model-output-shape", "A field of a network's output has the wrong shape."
    MODEL_OUTPUT_DTYPE = "model-output-dtype", "A field of a network's output has the wrong dtype."
    MODEL_OUTPUT_NOT_FINITE = "model-output-not-finite", "A network's output or its loss is NaN or infinite."
    MODEL_FAILED = "model-failed", "A network or model of one's own is unusable, or raised an error."
    MODEL_CLASS_NEEDED = "model-class-needed", "Weights of an own network load only into an object that the user makes."
    WEIGHTS_NOT_READABLE = "weights-not-readable", "A file of weights or its card is missing or damaged."
    WEIGHTS_MISMATCH = "weights-mismatch", "Weights were made for another network, game or set of labels."
    INVALID_REASONER = (
        "invalid-reasoner",
        "A reasoner or function of one's own is unusable, fails, or returns something wrong.",
    )
    SETTING_CONFLICT = "setting-conflict", "Settings or arguments of a run exclude each other."
    RUN_MISMATCH = "run-mismatch", "A run folder holds a run of another game, network, settings or rules."
    CHECKPOINT_NOT_READABLE = "checkpoint-not-readable", "A checkpoint is missing or damaged, or of another form."
    RUN_LOCKED = "run-locked", "Another process is at work on a run, or has gone on with it."
    WORKER_LOST = "worker-lost", "A process that a run depends on has ended."
    DEVICE_NOT_AVAILABLE = "device-not-available", "The device of a run does not exist on this machine."
    UNKNOWN_WEIGHTS = "unknown-weights", "No weights of this name come with the package."
    WORKER_FAILED = "worker-failed", "Another process of a run could not do its part, for the reason in the message."
    CLUSTER_NOT_AVAILABLE = "cluster-not-available", "A cluster of Ray cannot be joined or used."
    MISSING_LIBRARY = "missing-library", "An optional library is not installed."

    # Protocols and servers
    INVALID_STATE = "invalid-state", "A JSON state has a missing, unknown or invalid field."
    INVALID_MESSAGE = "invalid-message", "A message or log of a network protocol has the wrong form."
    INVALID_ADDRESS = "invalid-address", "The text is not the address of a web socket."
    CONNECTION_FAILED = "connection-failed", "No table answers at the address."
    JOIN_REJECTED = "join-rejected", "A remote table rejects the client, such as for a room or seat that is taken."
    PROGRAM_FAILED = "program-failed", "A program cannot be started or has ended."
    JUDGES_DISAGREE = "judges-disagree", "A log has another output than the judge computes."
    UNKNOWN_PROTOCOL = "unknown-protocol", "The game has no protocol of this name."

    # Reasoners and hand analysis
    INVALID_DEAL = "invalid-deal", "Hands do not form a deal, or the deal has the wrong form or the wrong landlord."
    NOT_ENOUGH_DEALS = "not-enough-deals", "There are too few deals, or too few were found within the limits."
    INCONSISTENT_HANDS = "inconsistent-hands", "No deal of the unseen cards is consistent with the counts and facts."
    UNKNOWN_LANGUAGE = "unknown-language", "There are no texts in this language."

    # Rule laboratory, commands and the web page
    INVALID_CASE = "invalid-case", "A test case has an unknown, missing or invalid field."
    INVALID_LESSON = "invalid-lesson", "A lesson has an unknown block, one with invalid content, or a claim that fails."
    INVALID_NAME = "invalid-name", "A name of a file, folder or predicate is malformed or taken."
    ALREADY_EXISTS = "already-exists", "The file or folder exists and is not overwritten."
    INVALID_REQUEST = "invalid-request", "A request to the web server has a missing or invalid field."
    NOT_FOUND = "not-found", "The requested table, run, report, record or name does not exist."
    NOT_ALLOWED = "not-allowed", "The request needs a permission or an option that is not given."
    OUT_OF_TURN = "out-of-turn", "The request does not fit the current decision of the table."
    ALREADY_DECIDED = "already-decided", "The decision that a request is about has been made already."
    NOT_SEATED = "not-seated", "An onlooker has no hand, no turn and no name."
    NOT_OWNER = "not-owner", "Only the owner of the table may do this."
    SEAT_TAKEN = "seat-taken", "The seat belongs to another player."
    UNKNOWN_SEAT = "unknown-seat", "The table has no seat of this number."
    NOTHING_TO_TAKE_BACK = "nothing-to-take-back", "The player has decided nothing that can be taken back."
    NO_PRACTICE = "no-practice", "Decisions are taken back at practice tables only."
    WRONG_COUNT = "wrong-count", "Another number of cards is to be chosen."
    AGENT_REFUSED = "agent-refused", "The agent runs or reads something, and the server was not started with it."
    TABLES_IN_USE = "tables-in-use", "All tables of the server are in use."
    REVIEWS_RUNNING = "reviews-running", "As many reviews are running as the server allows."
    EXPIRED = "expired", "A review or a rules notebook was closed after a long time without use."
    INVALID_KEY = "invalid-key", "The access key is not that of the running server."
    INTERNAL_ERROR = "internal-error", "The server has failed; its log says why."
    TOO_MANY_REQUESTS = "too-many-requests", "A limit of simultaneous or frequent requests is reached."


class GameError(ValueError):
    """A request that a game, an agent or a run cannot fulfil.

    Attributes:
        code: Kind of the error.
        values: Names and numbers of the message, for texts in other languages.
    """

    def __init__(
        self, message: str, code: ErrorCode = ErrorCode.INVALID_VALUE, values: Sequence[str | int] = ()
    ) -> None:
        """Make an error.

        Args:
            message: One line for people: what is wrong, where, and what to do.
            code: Kind of the error.
            values: Names and numbers of the message.
        """
        super().__init__(message)
        self.code, self.values = code, tuple(values)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by attributes, without ``__init__``: subclasses are made of other arguments than their message."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__.copy()  # type: ignore[attr-defined]


class TooManyMovesError(GameError):
    """More card sets in several decisions than one call lists; a call with fewer decisions may succeed."""

    def __init__(self, message: str, code: ErrorCode = ErrorCode.TOO_MANY_MOVES) -> None:
        """Make an error.

        Args:
            message: One line for people.
            code: Kind of the error.
        """
        super().__init__(message, code)
