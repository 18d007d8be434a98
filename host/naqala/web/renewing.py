"""The certificate for https is looked at twice a day: addresses change, time passes, clocks jump."""

from __future__ import annotations

import logging
import threading

from naqala.web.authority import Authority

EVERY_S = 12 * 3600.0
log = logging.getLogger(__name__)


class Renewing:
    """Renews an authority's certificate in the background, until `stop`."""

    def __init__(self, authority: Authority) -> None:
        self._authority = authority
        self._again()

    def _again(self) -> None:
        self._timer = threading.Timer(EVERY_S, self._renew)
        self._timer.daemon = True
        self._timer.start()

    def _renew(self) -> None:
        try:
            self._authority.renew()
        except OSError as error:
            log.warning("the certificate for https could not be renewed: %s", error)
        self._again()

    def stop(self) -> None:
        self._timer.cancel()
