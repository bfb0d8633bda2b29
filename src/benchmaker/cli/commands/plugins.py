"""``benchmaker plugins``: the installed scorers, providers, importers, report formats and pages."""

from typing import TYPE_CHECKING

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_beside, say_json

if TYPE_CHECKING:
    from benchmaker.plugins import Plugin


@declare("plugins", examples=("benchmaker plugins", "benchmaker plugins --json"))
def command(context: Context) -> None:
    """List installed scorers, providers, importers, report formats and pages.

    A plug-in that fails to load is listed with the reason.
    """
    from benchmaker import plugins

    found = [plugin for kind in plugins.KINDS for plugin in plugins.list_plugins(kind)]
    if context.use_json:
        say_json({"plugins": found})
        return
    for kind in plugins.KINDS:
        _say_kind(kind, [plugin for plugin in found if plugin.kind == kind])


def _say_kind(kind: str, found: "list[Plugin]") -> None:
    say(f"{kind.capitalize()}s")
    width = max((len(plugin.id) for plugin in found), default=0)
    for plugin in found:
        origin = "" if plugin.distribution == "benchmaker" else f" [{plugin.distribution}]"
        summary = (
            f"not loaded: {plugin.error}" if plugin.error else plugin.summary.replace("``", "")
        )
        say_beside(f"  {plugin.id:<{width}}  ", f"{summary}{origin}")
    if not found:
        say("  none")
    say()
