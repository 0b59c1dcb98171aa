"""The command `trull`: its arguments, its messages and its exit codes."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

from cli import archive
from cli import keys as keys_command
from cli import variants as shown
from cli.answers import Order, known_variants
from cli.output import Output, ReaderGone, open_output
from cli.pipeline import answers_to, usable_cores
from cli.progress import Progress
from cli.resume import CannotGoOn, Walk
from cli.sources import Source, chunks_of, open_sources
from records.faults import InvalidRecord
from records.house_schemas import load_house
from records.wire import MalformedJson, load
from trull import Variant

DONE: Final = 0
SOME_REFUSED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130
READER_GONE: Final = 141

_HOME: Final = "http://127.0.0.1:8000"
_KEY: Final = "TRULL_KEY"
"""Names the key of `trull smoke`: what stands in a command can be read by every user of the machine."""

_RECORDS: Final = """\
Records are read from FILE, or from the standard input where FILE is "-": one
record a line (NDJSON), or one JSON text that is a record or a list of records.
Answers come in the order of the records, as NDJSON. A record without a sheet
is answered by an object with its line, hand_id, problem and status: the HTTP
status that the service would answer the record with.

With --out FILE, a run that was stopped goes on after the last whole line that
it wrote: give the same files and options again. Records may be added at the
end; FILE.answered tells whether those that were answered are still the same.
"""
_EXITS: Final = """\
exit codes:
  0  every record has its sheets
  1  some records were refused
  2  the command cannot be carried out as it was given
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the command. Gives the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        code: int = given.run(given)
    except ReaderGone:
        return READER_GONE
    except KeyboardInterrupt:
        told = " The same command goes on where it stopped." if getattr(given, "out", None) else ""
        print(f"\ntrull: stopped.{told}", file=sys.stderr)
        return INTERRUPTED
    except _Unusable as error:
        print(f"trull {given.command}: {error}", file=sys.stderr)
        return USAGE
    except OSError as error:
        about = f"{error.filename}: " if error.filename else ""
        print(f"trull {given.command}: {about}{error.strerror}", file=sys.stderr)
        return USAGE
    return code


class _Unusable(Exception):
    """The command cannot be carried out as it was given."""


# --- Arguments -----------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="trull",
        description="Scores hands of Tarot and Tarock from files, without a server.",
        epilog="trull COMMAND --help tells more about a command.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)

    score = _command(commands, "score", "score records under their own rule sets", _RECORDS, _EXITS)
    _add_files(score)
    score.set_defaults(run=_score, variant=[])

    example = "example:\n  trull rescore --variant illustrated-beck --out beck.jsonl season.jsonl\n\n"
    what = "score records under other rule sets"
    rescore = _command(commands, "rescore", what, _RECORDS, example + _EXITS)
    rescore.add_argument(
        "--variant",
        metavar="ID",
        action="append",
        default=[],
        help="the rule set to score under; give it again for another. A record has a sheet for each, in this"
        " order. Without it: those of the --house files",
    )
    _add_files(rescore)
    rescore.set_defaults(run=_score)

    listing = _command(commands, "variants", "list the rule sets, or show one in full", "", "")
    listing.add_argument("id", metavar="ID", nargs="?", help="the rule set to show")
    listing.add_argument("--json", action="store_true", help="as JSON, as the service answers it")
    _add_house(listing)
    listing.set_defaults(run=_variants)

    archive.add_to(commands)

    about = f"Ends with 1 at the first check that fails. The key, if one is needed, is that of {_KEY}."
    smoke = _command(commands, "smoke", "check a service that was just deployed, over HTTP", about, "")
    smoke.add_argument("url", metavar="URL", nargs="?", default=_HOME, help=f"by default {_HOME}")
    smoke.add_argument(
        "--store",
        action="store_true",
        help="store a hand, too, and wait for its sheet: with a sandbox key it is apart from all others",
    )
    smoke.set_defaults(run=_smoke)

    about = (
        "The service must be running. Its Redis is that of TRULL_REDIS_URL, or the one\n"
        "that `make run` has started on TRULL_DATA_DIR."
    )
    keys = _command(commands, "keys", "make, list and revoke the API keys of a service", about, "")
    keys_command.add_arguments(keys)
    keys.set_defaults(run=_keys)
    return parser


class _Version(argparse.Action):
    """Shows the version, which takes as long to find out as all the rest of a start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"trull {version('trull')}")
        parser.exit(DONE)


def _command(commands: Any, name: str, what: str, description: str, epilog: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.\n\n{description}",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return made


def _add_house(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--house",
        metavar="FILE",
        action="append",
        default=[],
        help="a house-rule variant to know beside the built-in ones: a JSON object of its id (house-...),"
        " name, base, and what it overrides in rulings, contracts and bonuses; may be given again",
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help='a file of records; "-": standard input')
    _add_house(parser)
    parser.add_argument("--out", metavar="FILE", help="write the answers to FILE, or go on with it")
    parser.add_argument("--errors", metavar="FILE", help="write refused records to FILE instead")
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=_jobs,
        default=usable_cores(),
        help="processes at work; by default as many as there are cores",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress bar and no summary")


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 256")
    return int(text)


# --- Commands ------------------------------------------------------------------------------------


def _score(given: argparse.Namespace) -> int:
    """`trull score` and `trull rescore`."""
    houses = _houses(given.house)
    known = known_variants(houses)
    targets = tuple(given.variant)
    if given.command == "rescore" and not targets:
        targets = tuple(body["id"] for body in houses)
        if not targets:
            raise _Unusable(f"name the rule sets: --variant ID or --house FILE. Known: {', '.join(known)}")
    for name in targets:
        _variant(name, known)
    names = tuple(given.files) if len(given.files) > 1 else None
    order = Order(targets, houses, names, apart=given.errors is not None, remembered=given.out is not None)
    try:
        with ExitStack() as stack:
            sources = [stack.enter_context(closing(source)) for source in open_sources(given.files)]
            output, walk = open_output(given.out, given.errors, given.files, order)
            return _run(given, order, sources, stack.enter_context(output), walk)
    except CannotGoOn as error:
        raise _Unusable(f"cannot write {given.out or given.errors}: {error}") from None


def _run(
    given: argparse.Namespace, order: Order, sources: Sequence[Source], output: Output, walk: Walk
) -> int:
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size for size in sizes if size is not None)
    terminal = sys.stderr.isatty() and not given.quiet
    # A bar among the sheets would be no use.
    progress = Progress(total, bar=terminal and not (given.out is None and sys.stdout.isatty()))
    try:
        with closing(answers_to(chunks_of(sources, walk), order, given.jobs)) as answered:
            for answers in answered:
                output.write(answers)
                progress.add(answers)
    finally:
        progress.close()
    if not given.quiet and (given.out is not None or terminal or progress.refused):
        print(f"trull {given.command}: {progress.summary(walk.answered, walk.refused)}", file=sys.stderr)
    return SOME_REFUSED if progress.refused or walk.refused else DONE


def _variants(given: argparse.Namespace) -> int:
    """`trull variants`."""
    houses = _houses(given.house)
    known = known_variants(houses)
    if given.id is None:
        text = (shown.listed_json if given.json else shown.listed)(known.values())
    else:
        variant = _variant(given.id, known)
        written = [load_house(body, known).as_dict() for body in houses if body["id"] == variant.id]
        text = (
            shown.described_json(variant, written[-1] if written else None)
            if given.json
            else shown.described(variant)
        )
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise ReaderGone from None
    return DONE


def _keys(given: argparse.Namespace) -> int:
    """`trull keys`."""
    try:
        keys_command.run(given)
    except keys_command.CannotReach as error:
        raise _Unusable(str(error)) from None
    return DONE


def _smoke(given: argparse.Namespace) -> int:
    """`trull smoke`."""
    from cli import smoke

    return DONE if smoke.run(given.url, os.environ.get(_KEY), given.store) else SOME_REFUSED


def _variant(name: str, known: Mapping[str, Variant]) -> Variant:
    """The variant of that id, or a message with the ids that there are."""
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    meant = f" Did you mean {near[0]}?" if near else ""
    raise _Unusable(f"no rule set is called {name!r}.{meant} Known: {', '.join(known)}")


def _houses(names: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The bodies of house-rule variants in these files, each checked."""
    bodies: list[dict[str, Any]] = []
    for name in names:
        try:
            body = load(Path(name).read_bytes())
            known_variants((*bodies, body))  # type: ignore[arg-type]  # whatever it is: that is what is checked
        except MalformedJson as error:
            raise _Unusable(f"{name}: {error.in_a('file').detail}") from None
        except InvalidRecord as error:
            faults = "\n".join(f"  {fault.pointer or '(all)'}: {fault.detail}" for fault in error.faults)
            raise _Unusable(f"{name} is no house-rule variant:\n{faults}") from None
        bodies.append(body)  # type: ignore[arg-type]  # checked: a dictionary
    return tuple(bodies)
