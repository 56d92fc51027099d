"""Ask a household's providers whether they accept it: bots, mailboxes, mail servers, the calendar.

Invariant: nothing is read, sent or marked; no token and no password is in a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from butler_cli.doctor.findings import Finding, finding
from butler_cli.doctor.rounds import LeftOut
from butler_cli.doctor.written import settled
from butler_cli.errors import UserError
from butler_cli.local.authorities import own_authorities
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir
from butler_cli.setup.answers import Unacceptable
from butler_cli.setup.checks import TELEGRAM_API
from butler_kit.tls import CA_FILE
from butler_resources.kinds import ManifestError, Manifests

__all__ = ["providers"]

_DO: Final = "correct the secret or the address, then butlers restart"
Ask = tuple[str, Callable[[], object]]


def providers(state: StateDir, directory: Path | None) -> Sequence[Finding]:
    """Try bot tokens, passwords and servers; each account is asked once."""
    try:
        manifests, secrets = settled(state, directory)
    except (ManifestError, UserError):
        raise LeftOut("manifests and secrets have to be right first") from None
    asks = dict(
        [*_bots(manifests, secrets), *_mailboxes(manifests, secrets), *_calendars(manifests, secrets)]
    )
    if not asks:
        raise LeftOut("the household has none")
    return [found for name, ask in asks.items() if (found := _asked(name, ask)) is not None]


def _asked(name: str, ask: Callable[[], object]) -> Finding | None:
    try:
        ask()
    except Unacceptable as refused:
        return finding("broken", name, str(refused), _DO)
    return None


def _bots(manifests: Manifests, secrets: Secrets) -> Iterator[Ask]:
    from butler_cli.setup.telegram import bot_name

    for connector in manifests.connectors:
        bot = connector.spec.telegram_bot
        if bot is not None and not connector.spec.suspend:
            token, api = secrets.value(bot.token_secret_ref), str(bot.api_base_url or TELEGRAM_API)
            yield f"Telegram bot of {connector.name}", partial(bot_name, token, api=api)


def _mailboxes(manifests: Manifests, secrets: Secrets) -> Iterator[Ask]:
    from butler_cli.setup.mail import open_mailbox, open_outbox

    for connector in manifests.connectors:
        imap = connector.spec.imap
        if imap is not None and not connector.spec.suspend:
            password = secrets.value(imap.password_secret_ref)
            ask = partial(open_mailbox, imap, imap.username, password)
            bundle = own_authorities(connector, manifests, secrets)
            yield f"mailbox of {connector.name}", partial(_trusting, bundle, ask)
    for butler in manifests.butlers:
        email = butler.spec.modules.email if butler.spec.modules else None
        if email is not None:
            bot, password = email.bot, secrets.value(email.bot.password_secret_ref)
            send = partial(open_outbox, bot.smtp, bot.address, password)
            bundle = own_authorities(butler, manifests, secrets)
            yield f"outgoing mail of {butler.name}", partial(_trusting, bundle, send)


def _trusting(bundle: str | None, ask: Callable[..., object]) -> None:
    """Ask with the authorities that the process trusts, besides the system's."""
    if bundle is None:
        ask()
        return
    with TemporaryDirectory(prefix="butlers-doctor-") as folder:
        file = Path(folder) / "authorities.pem"
        file.write_text(bundle, encoding="utf-8")
        ask(env={CA_FILE: str(file)})


def _calendars(manifests: Manifests, secrets: Secrets) -> Iterator[Ask]:
    """Yield the calendars to ask; one without its secret is off, which is no fault."""
    from butler_cli.setup.calendar import open_calendar

    for butler in manifests.butlers:
        module = butler.spec.modules.calendar if butler.spec.modules else None
        if module is None or module.secret_ref is None or butler.spec.suspend:
            continue
        if (secret := secrets.find(module.secret_ref)) is not None:
            yield f"calendar of {butler.name}", partial(open_calendar, module, secret)
