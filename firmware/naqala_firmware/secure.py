"""TLS around a connected socket, without waiting for the handshake: it goes on as the link reads and writes."""

try:
    import ssl

    def _trust(context, ca: bytes) -> None:
        context.load_verify_locations(cadata=ca)

except ImportError:  # MicroPython without its wrapper module
    import tls as ssl  # type: ignore[no-redef]

    def _trust(context, ca: bytes) -> None:
        context.load_verify_locations(ca)


def secure(ca: bytes):
    """A function that wraps a socket. `ca` is the authority's certificate (DER); without it nobody is verified."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_mode = ssl.CERT_REQUIRED if ca else ssl.CERT_NONE  # type: ignore[attr-defined]
    if ca:
        _trust(context, ca)
    return lambda socket, host: context.wrap_socket(
        socket, server_hostname=host, do_handshake_on_connect=False
    )
