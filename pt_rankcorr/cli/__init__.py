"""The command line: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from typing import Any

STANDARD_INPUT = "/dev/stdin"
BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130
HELP = (
    "Do measures or judgments rank retrieval systems differently, and does the choice of topics explain the difference?"
)
MORE = (
    "pt-rankcorr COMMAND --help says more, with an example. Results go to standard output, all else to standard "
    "error. Exit status: 0 done, 1 bad input or an output that cannot be written, 2 wrong usage, 130 interrupted."
)
COMMANDS = {  # command: what the list of commands says of it
    "demo": "an experiment on an embedded, synthetic test collection",
    "compare": "how alike measures rank systems, each compared with each other",
    "drank": "could the order of a ranking be the true ranking by the reference?",
    "expected": "how well rankings agree with the true ones, and how many topics are needed",
    "ranks": "where systems may truly rank, and which may be the best",
    "power": "how many pairs of systems measures tell apart",
    "swap": "how often other topics reverse a difference of two systems",
    "stability": "how often a different set of topics would order a pair of systems wrongly, or tie them",
    "error": "how alike two measures rank systems, with the standard error for as many topics",
    "judgments": "whether other judgments rank systems differently from the reference",
    "labels": "how far the labels of judges agree with those of a reference, without runs",
    "alpha": "how far two or more sets of labels agree",
    "curve": "how well fewer judgments rank systems",
    "leaderboards": "whether judges rank runs as a trusted leaderboard does, and which is best",
    "tau": "how alike rankings are whose systems have one score each, as in leaderboards",
    "report": "one page with all results",
}
EXAMPLES = {  # command: its options
    "demo": "--topics 25",
    "compare": "--runs runs/ --qrels qrels.txt --measures AP nDCG@10 --seed 1",
    "drank": "--experiment perquery.csv --reference AP --seed 1",
    "expected": "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
    "ranks": "--runs runs/ --qrels qrels.txt --measures AP --plot ranks.png --seed 1",
    "power": "--trec-eval evaluated/ --seed 1",
    "swap": "--scores AP.csv nDCG.csv --seed 1",
    "stability": "--scores AP.csv nDCG.csv --fuzziness 0.05 --seed 1",
    "error": "--scores AP.csv nDCG.csv --coefficient tau_ap --seed 1",
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
    try:
        return _run(list(standard_input(sys.argv[1:] if arguments is None else arguments)))
    except KeyboardInterrupt:
        return _report_interrupt()
    except (ValueError, ImportError) as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):  # libraries in C that were loading
            return _report_interrupt()
        return _report_failure(str(error))
    except MemoryError as error:
        return _report_failure(f"out of memory: {error}" if str(error) else "out of memory")


def standard_input(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments with a path in place of a dash after --scores, which would be read as an option."""
    option = ""
    for argument in arguments:
        option = argument if argument.startswith("--") else option
        yield STANDARD_INPUT if (option, argument) == ("--scores", "-") else argument


def app_of(arguments: Sequence[str]) -> Any:
    """The commands; of the one that is asked for the module is imported, and its docstring is its help."""
    from cyclopts import App, Parameter

    import pt_rankcorr as rc

    defaults = Parameter(
        consume_multiple=(1, None), negative_iterable=(), negative_none=(), json_list=False, json_dict=False
    )
    app = App(
        name="pt-rankcorr",
        help=HELP,
        help_epilogue=MORE,
        help_format="markdown",
        version=lambda: f"pt-rankcorr {rc.__version__}",
        default_parameter=defaults,
        result_action="return_value",
    )
    for place, (name, text) in enumerate(COMMANDS.items()):
        app.command(
            f"pt_rankcorr.cli.commands:{name}",
            name=name,
            sort_key=place,
            help=None if name in arguments[:1] else text,
            help_epilogue=f"example: pt-rankcorr {name} {EXAMPLES[name]}",
        )
    return app


def _run(arguments: list[str]) -> int:
    # here, since it takes a moment, in which it may be interrupted
    from cyclopts import CycloptsError, UnusedCliTokensError

    from pt_rankcorr.cli.output import CannotWriteError, UsageError, leave_output

    app = app_of(arguments)
    try:
        if not arguments:
            with redirect_stdout(sys.stderr):
                app.help_print([])
            return WRONG_USAGE
        _call(app, arguments)
    except UnusedCliTokensError as error:
        token = (error.unused_tokens or [""])[0]
        message = f"{token} needs an option before it, as pt-rankcorr {arguments[0]} --help shows"
        return _report_failure(message, WRONG_USAGE)
    except (CycloptsError, UsageError) as error:
        return _report_failure(str(error), WRONG_USAGE)
    except BrokenPipeError:
        leave_output()
    except CannotWriteError as error:
        leave_output()
        return _report_failure(str(error))
    except OSError as error:
        return _report_failure(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return 0


def _call(app: Any, arguments: list[str]) -> None:
    from pt_rankcorr.cli.output import OPTIONS, flush_output, warnings_as_messages

    if arguments[0] in COMMANDS:
        _check_options(app, *arguments)  # before their values, of which one may be missing for that reason
    command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    if command.__module__ != f"{__name__}.commands":  # but --help or --version
        with flush_output(), suppress(SystemExit):  # which rich raises where nobody reads the help
            command(*bound.args, **bound.kwargs)
        return
    OPTIONS.clear()
    for argument in app[arguments[0]].assemble_argument_collection():
        OPTIONS[argument.field_info.name] = argument.name
    if "judges" in OPTIONS:
        OPTIONS["others"] = OPTIONS["judges"]
    quiet = any(getattr(value, "quiet", False) for value in bound.arguments.values())
    with warnings_as_messages(quiet=quiet):
        command(*bound.args, **bound.kwargs)


def _check_options(app: Any, command: str, *arguments: str) -> None:
    """Refuses an option that the command lacks, with the option that may be meant, or the commands that have it."""
    from pt_rankcorr.cli.output import UsageError

    def options_of(name: str) -> set[str]:
        return {option for argument in app[name].assemble_argument_collection() for option in argument.names}

    known = options_of(command) | {"--help", "-h", "--version"}
    for argument in arguments:
        option = argument.partition("=")[0]
        if option == "--":
            return
        if not option.startswith("--") or option in known:
            continue
        others = [name for name in COMMANDS if option in options_of(name)]
        if others:
            hint = " With scores under each judge's labels, use leaderboards." if command == "judgments" else ""
            raise UsageError(f"{command} has no {option}. Commands with it: {', '.join(others)}.{hint}")
        from pt_rankcorr.stats.core.arguments import closest  # with pandas, which help does without

        meant = closest(option, known)
        hint = "" if meant is None else f" Did you mean {meant}?"
        raise UsageError(f"Unknown option: {option}.{hint}")


def _report_interrupt() -> int:
    if sys.stderr is not None:
        print("interrupted", file=sys.stderr)  # noqa: T201
    return INTERRUPTED


def _report_failure(message: str, status: int = BAD_INPUT) -> int:
    from pt_rankcorr.cli.output import say

    say(f"error: {message}")
    return status
