"""The command line: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from typing import Any

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

import pt_rankcorr as rc
from pt_rankcorr.cli import commands, judge_commands
from pt_rankcorr.cli.output import RESULTS, UsageError, flush_output, leave_output, messages_of_command, say

WRONG_USAGE = 2
# parameters of functions that commands set themselves, where no option has their name: what messages call them
SET_BY_COMMANDS = {
    "dataset": "--irds",
    "measure": "--measures",
    "reference": "--qrels",
    "judges": "--against",
    **dict.fromkeys(("estimate", "matrices", "ranking", "result_or_scores", "scores"), "the scores"),
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
    "judgments": "--runs runs/ --qrels nist.qrels --against gpt.qrels llama.qrels --measures nDCG@10 --seed 1",
    "labels": "--qrels people.qrels --against judges/",
    "alpha": "--judges people.qrels judges/ --metric ordinal",
    "curve": "--runs runs/ --qrels nist.qrels --depths 1 5 10 50 --measures AP --seed 1",
    "leaderboards": "--reference people.jsonl --judges judges/* --reference-measure nDCG@10 --seed 1",
    "tau": "--scores arena.csv grades.md --columns elo grade",
    "report": "--experiment perquery.csv --output page.html",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, by default that of the command line; returns the exit status, which the help explains."""
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
        leave_output()
    except OSError as error:
        if error.filename == RESULTS:
            leave_output()
        return _report_failure(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, ImportError) as error:
        return _report_failure(str(error))
    except MemoryError as error:
        return _report_failure(f"out of memory {error}".strip())
    return 0


def standard_input(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments with a path in place of a dash after --scores, which would be read as an option."""
    option = ""
    for argument in arguments:
        option = argument if argument.startswith("--") else option
        yield "/dev/stdin" if (option, argument) == ("--scores", "-") else argument


def app_of() -> App:
    """The commands, each a function whose docstring is its help."""
    defaults = Parameter(
        consume_multiple=(1, None), negative_iterable=(), negative_none=(), json_list=False, json_dict=False
    )
    app = App(
        name="pt-rankcorr",
        help="Do measures or judgments rank retrieval systems differently, and does the choice of topics explain the "
        "difference?",
        help_epilogue="pt-rankcorr COMMAND --help says more, with an example. Results go to standard output, all else "
        "to standard error. Exit status: 0 done, 1 bad input or an output that cannot be written, 2 wrong usage, 130 "
        "interrupted.",
        help_format="markdown",
        version=lambda: f"pt-rankcorr {rc.__version__}",
        default_parameter=defaults,
        result_action="return_value",
    )
    for place, (name, example) in enumerate(EXAMPLES.items()):
        function = getattr(commands, name, None) or getattr(judge_commands, name)
        app.command(function, name=name, sort_key=place, help_epilogue=f"example: pt-rankcorr {name} {example}")
    return app


def _call(app: Any, arguments: list[str]) -> None:
    """Parses the words of the command line, and calls the command with its options; or shows a help or the version."""
    collection = app[arguments[0]].assemble_argument_collection() if arguments[0] in EXAMPLES else []
    if collection:  # before their values, of which one may be missing for that reason
        _check_options(app, {option for argument in collection for option in argument.names}, *arguments)
    # errors of parsing are raised, for `main` to report
    command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    if not command.__module__.startswith(f"{__name__}."):  # but --help or --version
        with flush_output(), suppress(SystemExit):  # which rich raises where nobody reads the help
            command(*bound.args, **bound.kwargs)
        return
    # parameter -> option, which messages of functions name instead
    options = {argument.field_info.name: argument.name for argument in collection}
    quiet = any(getattr(value, "quiet", False) for value in bound.arguments.values())
    with messages_of_command({**SET_BY_COMMANDS, **options}, quiet=quiet):
        command(*bound.args, **bound.kwargs)


def _check_options(app: Any, known: set[str], command: str, *arguments: str) -> None:
    """Refuses an option that is not among the `known` ones of the command, but of other commands, and names these.

    What no command knows is left to cyclopts, which names the nearest option. `arguments` follow the command.
    """

    def options_of(name: str) -> set[str]:
        return {option for argument in app[name].assemble_argument_collection() for option in argument.names}

    known = {*known, *app.help_flags}
    for argument in arguments:
        option = argument.partition("=")[0]
        if not option.startswith("--") or option in known:
            continue
        if others := [name for name in EXAMPLES if option in options_of(name)]:
            hint = " With scores under each judge's labels, use leaderboards." if command == "judgments" else ""
            raise UsageError(f"{command} has no {option}. Commands with it: {', '.join(others)}.{hint}")


def _report_failure(message: str, status: int = 1) -> int:
    """Prints an error on standard error, and returns the exit status; 1 is bad input."""
    say(f"error: {message}")
    return status
