"""The command line: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from typing import Any, NamedTuple

STANDARD_INPUT = "/dev/stdin"
BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130
HELP = (
    "Do measures or judgments rank retrieval systems differently, and does the choice of topics explain the difference?"
)
MORE = (
    "pt-rankcorr COMMAND --help says more, with an example. Results go to standard output, all else to standard "
    "error. Exit status: 0 done, 1 bad input or an output that cannot be written, 2 wrong usage, 130 interrupted."
)
# parameters of functions that commands set themselves: what messages call them
SCORES = {
    "dataset": "--irds",
    "measure": "--measures",
    "reference_qrels": "--qrels",
    **dict.fromkeys(
        ("estimate", "matrices", "ranking", "result_or_scores", "scores", "scores_or_collections"), "the scores"
    ),
}
AGAINST = {**SCORES, "others": "--against", "judges": "--against"}
JUDGES = {"others": "--judges"}


class Command(NamedTuple):
    """A command: where its function is, and what is said of it.

    Attributes:
        module: The file of the function, which has the command's name.
        text: What the list of commands says.
        example: Options of an example.
        sets: Parameter of the package's functions -> what messages call it, where it is no option of that name.
    """

    module: str
    text: str
    example: str
    sets: Mapping[str, str] = SCORES


COMMANDS = {
    "demo": Command("commands", "an experiment on an embedded, synthetic test collection", "--topics 25"),
    "compare": Command(
        "commands",
        "how alike measures rank systems, each compared with each other",
        "--runs runs/ --qrels qrels.txt --measures AP nDCG@10 --seed 1",
    ),
    "drank": Command(
        "commands",
        "could the order of a ranking be the true ranking by the reference?",
        "--experiment perquery.csv --reference AP --seed 1",
    ),
    "expected": Command(
        "commands",
        "how well rankings agree with the true ones, and how many topics are needed",
        "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
    ),
    "ranks": Command(
        "commands",
        "where systems may truly rank, and which may be the best",
        "--runs runs/ --qrels qrels.txt --measures AP --plot ranks.png --seed 1",
    ),
    "power": Command("commands", "how many pairs of systems measures tell apart", "--trec-eval evaluated/ --seed 1"),
    "swap": Command(
        "commands", "how often other topics reverse a difference of two systems", "--scores AP.csv nDCG.csv --seed 1"
    ),
    "stability": Command(
        "commands",
        "how often a different set of topics would order a pair of systems wrongly, or tie them",
        "--scores AP.csv nDCG.csv --fuzziness 0.05 --seed 1",
    ),
    "error": Command(
        "commands",
        "how alike two measures rank systems, with the standard error for as many topics",
        "--scores AP.csv nDCG.csv --coefficient tau_ap --seed 1",
    ),
    "judgments": Command(
        "judge_commands",
        "whether other judgments rank systems differently from the reference",
        "--runs runs/ --qrels nist.qrels --against gpt.qrels llama.qrels --measures nDCG@10 --seed 1",
        AGAINST,
    ),
    "labels": Command(
        "judge_commands",
        "how far the labels of judges agree with those of a reference, without runs",
        "--qrels people.qrels --against judges/",
        AGAINST,
    ),
    "alpha": Command(
        "judge_commands",
        "how far two or more sets of labels agree",
        "--judges people.qrels judges/ --metric ordinal",
        JUDGES,
    ),
    "curve": Command(
        "judge_commands",
        "how well fewer judgments rank systems",
        "--runs runs/ --qrels nist.qrels --depths 1 5 10 50 --measures AP --seed 1",
    ),
    "leaderboards": Command(
        "judge_commands",
        "whether judges rank runs as a trusted leaderboard does, and which is best",
        "--reference people.jsonl --judges judges/* --reference-measure nDCG@10 --seed 1",
        JUDGES,
    ),
    "tau": Command(
        "commands",
        "how alike rankings are whose systems have one score each, as in leaderboards",
        "--scores arena.csv grades.md --columns elo grade",
    ),
    "report": Command("commands", "one page with all results", "--experiment perquery.csv --output page.html", AGAINST),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, by default that of the command line; returns the exit status, which the help explains."""
    try:
        return _run(list(standard_input(sys.argv[1:] if arguments is None else arguments)))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return INTERRUPTED
    except (ValueError, ImportError) as error:
        return _report_failure(str(error))
    except MemoryError as error:
        return _report_failure(f"out of memory {error}".strip())


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
    for place, (name, command) in enumerate(COMMANDS.items()):
        app.command(
            f"pt_rankcorr.cli.{command.module}:{name}",
            name=name,
            sort_key=place,
            help=None if name in arguments[:1] else command.text,
            help_epilogue=f"example: pt-rankcorr {name} {command.example}",
        )
    return app


def _run(arguments: list[str]) -> int:
    # here, since it takes a moment, in which it may be interrupted
    from cyclopts import CycloptsError, UnusedCliTokensError

    from pt_rankcorr.cli.output import RESULTS, UsageError, leave_output

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
    except BrokenPipeError:  # nobody reads on, as of `head`
        leave_output()
    except OSError as error:
        if error.filename == RESULTS:
            leave_output()
        return _report_failure(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return 0


def _call(app: Any, arguments: list[str]) -> None:
    from pt_rankcorr.cli.output import flush_output, messages_of_command

    name = arguments[0]
    if name in COMMANDS:
        _check_options(app, *arguments)  # before their values, of which one may be missing for that reason
    command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    if not command.__module__.startswith(f"{__name__}."):  # but --help or --version
        with flush_output(), suppress(SystemExit):  # which rich raises where nobody reads the help
            command(*bound.args, **bound.kwargs)
        return
    options = {argument.field_info.name: argument.name for argument in app[name].assemble_argument_collection()}
    quiet = any(getattr(value, "quiet", False) for value in bound.arguments.values())
    with messages_of_command({**COMMANDS[name].sets, **options}, quiet=quiet):
        command(*bound.args, **bound.kwargs)


def _check_options(app: Any, command: str, *arguments: str) -> None:
    """Refuses an option that only other commands have, and names these."""
    from pt_rankcorr.cli.output import UsageError

    def options_of(name: str) -> set[str]:
        return {option for argument in app[name].assemble_argument_collection() for option in argument.names}

    known = options_of(command)
    for argument in arguments:
        option = argument.partition("=")[0]
        if not option.startswith("--") or option in known:
            continue
        if others := [name for name in COMMANDS if option in options_of(name)]:
            hint = " With scores under each judge's labels, use leaderboards." if command == "judgments" else ""
            raise UsageError(f"{command} has no {option}. Commands with it: {', '.join(others)}.{hint}")


def _report_failure(message: str, status: int = BAD_INPUT) -> int:
    from pt_rankcorr.cli.output import say

    say(f"error: {message}")
    return status
