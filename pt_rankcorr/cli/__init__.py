"""The command line: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from typing import Any

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

import pt_rankcorr as rc
from pt_rankcorr.cli import commands, judge_commands, output
from pt_rankcorr.cli.output import UsageError

WRONG_USAGE = 2
# parameters of functions that commands set themselves, and no option names: what messages call them
SET_BY_COMMANDS = {
    "dataset": "--irds",
    "measure": "--measures",
    "reference": "--qrels",
    "judges": "--against",
    **dict.fromkeys("estimate matrices ranking result_or_scores scores".split(), "the scores"),
}

EXAMPLES = {  # each command, in the order of the list of all: its options in an example
    "demo": "--topics 25",
    "compare": "--runs runs/ --qrels qrels.txt --measures AP nDCG@10 --seed 1",
    "drank": "--experiment perquery.csv --reference AP --seed 1",
    "expected": "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
    "ranks": "--runs runs/ --qrels qrels.txt --measures AP --plot ranks.png --seed 1",
    "power": "--trec-eval evaluated/ --seed 1",
    "swap": "--scores AP.csv nDCG.csv --seed 1",
    "stability": "--scores AP.csv nDCG.csv --fuzziness 0.05 --seed 1",
    "judgments": "--runs runs/ --qrels nist.qrels --against gpt.qrels llama.qrels "
    "--measures nDCG@10 --seed 1",
    "labels": "--qrels people.qrels --against judges/",
    "alpha": "--judges people.qrels judges/ --metric ordinal",
    "curve": "--runs runs/ --qrels nist.qrels --depths 1 5 10 50 --measures AP --seed 1",
    "leaderboards": "--reference people.jsonl --judges judges/* "
    "--reference-measure nDCG@10 --seed 1",
    "tau": "--scores arena.csv grades.md --columns elo grade",
    "report": "--experiment perquery.csv --output page.html",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, by default that of the command line; the help explains its exit status."""
    arguments = list(standard_input(sys.argv[1:] if arguments is None else arguments))
    app = app_of()
    try:
        if not arguments:
            with redirect_stdout(sys.stderr):
                app.help_print([])
            return WRONG_USAGE
        _call(app, arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except UnusedCliTokensError as error:
        token = (error.unused_tokens or [""])[0]
        message = f"{token} needs an option before it, as pt-rankcorr {arguments[0]} --help shows"
        return _report_failure(message, WRONG_USAGE)
    except (CycloptsError, UsageError) as error:
        return _report_failure(str(error), WRONG_USAGE)
    except BrokenPipeError:  # nobody reads on, as of `head`
        output.leave_output()
    except OSError as error:
        if error.filename == output.RESULTS:
            output.leave_output()
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _report_failure(message)
    except (ValueError, ImportError) as error:
        return _report_failure(str(error))
    except MemoryError as error:
        return _report_failure(f"out of memory {error}".strip())
    return 0


def standard_input(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments, with a path for a dash after --scores, which would be read as an option."""
    option = ""
    for argument in arguments:
        option = argument if argument.startswith("--") else option
        yield "/dev/stdin" if (option, argument) == ("--scores", "-") else argument


def app_of() -> App:
    """The commands, each a function whose docstring is its help."""
    defaults = Parameter(
        consume_multiple=(1, None),
        negative_iterable=(),
        negative_none=(),
        json_list=False,
        json_dict=False,
    )
    app = App(
        name="pt-rankcorr",
        help="Do measures or judgments rank retrieval systems differently, "
        "and does the choice of topics explain the difference?",
        help_epilogue="pt-rankcorr COMMAND --help says more, with an example. "
        "Results go to standard output, all else to standard error. Exit status: 0 done, "
        "1 bad input or an output that cannot be written, 2 wrong usage, 130 interrupted.",
        help_format="markdown",
        version=lambda: f"pt-rankcorr {rc.__version__}",
        default_parameter=defaults,
        result_action="return_value",
    )
    for place, (name, options) in enumerate(EXAMPLES.items()):
        function = getattr(commands, name, None) or getattr(judge_commands, name)
        example = f"example: pt-rankcorr {name} {options}"
        app.command(function, name=name, sort_key=place, help_epilogue=example)
    return app


def _call(app: Any, arguments: list[str]) -> None:
    """Parses the command line and calls its command; or shows a help or the version."""
    collection = []
    if arguments[0] in EXAMPLES:
        collection = app[arguments[0]].assemble_argument_collection()
        # before their values, of which one may be missing for that reason
        _check_options(app, collection, *arguments)
    # errors of parsing are raised, for `main` to report
    command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    if not command.__module__.startswith(f"{__name__}."):  # but --help or --version
        # rich exits where nobody reads the help
        with output.flush_output(), suppress(SystemExit):
            command(*bound.args, **bound.kwargs)
        return
    # parameter -> option, which messages of functions name instead
    options = {argument.field_info.name: argument.name for argument in collection}
    quiet = any(getattr(value, "quiet", False) for value in bound.arguments.values())
    with output.messages_of_command({**SET_BY_COMMANDS, **options}, quiet=quiet):
        command(*bound.args, **bound.kwargs)


def _check_options(app: Any, collection: Any, command: str, *arguments: str) -> None:
    """Refuses an option that this command lacks and others have, and names these.

    What no command has is left to cyclopts, which names the nearest option. `collection` has the
    options of the command, which `arguments` follow.
    """

    def options_of(collection: Any) -> set[str]:
        return {option for argument in collection for option in argument.names}

    known = options_of(collection) | {*app.help_flags}
    for argument in arguments:
        option = argument.partition("=")[0]
        if not option.startswith("--") or option in known:
            continue
        of_commands = {name: app[name].assemble_argument_collection() for name in EXAMPLES}
        if others := [name for name, of in of_commands.items() if option in options_of(of)]:
            message = f"{command} has no {option}. Commands with it: {', '.join(others)}."
            if command == "judgments":
                message += " With scores under each judge's labels, use leaderboards."
            raise UsageError(message)


def _report_failure(message: str, status: int = 1) -> int:
    """Prints an error on standard error, and returns the exit status; 1 is bad input."""
    output.say(f"error: {message}")
    return status
