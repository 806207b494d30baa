"""What cannot be reached: names, addresses, certificates, the network of the build itself."""

from bot.core.buildlog.signs import Cause, Sign

_HOST = r"(?P<subject>[\w.-]+)"

_FOLLOWS = frozenset(
    {
        "package-unavailable",
        "cuda-pin-unavailable",
        "source-build-failed",
        "resolution-failed",
        "image-unknown",
    }
)

CAUSES = (
    Cause(
        "network",
        "`{subject}` cannot be reached from the build: try again; if it stays, see DNS, proxy and firewall",
        (
            Sign("Could not resolve host: ", rf"Could not resolve host: {_HOST}"),
            Sign("Could not resolve '", rf"Could not resolve '{_HOST}'"),
            Sign(": no such host", rf"lookup {_HOST} .*: no such host"),
            Sign("failed to lookup address information", r"failed to lookup address information"),
            Sign("Name or service not known", r"Name or service not known"),
            Sign("Temporary failure in name resolution", r"Temporary failure in name resolution"),
            Sign("Temporary failure resolving '", rf"Temporary failure resolving '{_HOST}'"),
            Sign("connection refused", r"dial tcp (?P<subject>[\w.:\[\]-]+): connect: connection refused"),
            Sign("Failed to connect to ", rf"Failed to connect to {_HOST} port \d+"),
            Sign("i/o timeout", r"dial tcp .*i/o timeout"),
            Sign("TLS handshake timeout", r"net/http: TLS handshake timeout"),
            Sign("Connection timed out", r"Connection timed out"),
            Sign("connection reset by peer", r"connection reset by peer"),
            Sign("Connection reset by peer", r"Connection reset by peer"),
            Sign("curl: (28)", r"curl: \(28\) "),
            Sign("curl: (56)", r"curl: \(56\) "),
            Sign("fatal: unable to access '", rf"fatal: unable to access 'https?://{_HOST}"),
            Sign("Failed to fetch: ", rf"(?:cause|Caused by): Failed to fetch: `?https?://{_HOST}"),
        ),
        leads_to=_FOLLOWS,
        of_build=True,
    ),
    Cause(
        "certificate-untrusted",
        "the image does not trust the certificate that it is shown: add the machine's CA, and "
        "set `SSL_CERT_FILE`",
        (
            Sign("CERTIFICATE_VERIFY_FAILED", r"CERTIFICATE_VERIFY_FAILED"),
            Sign("invalid peer certificate", r"invalid peer certificate: \w+"),
            Sign("certificate signed by unknown authority", r"x509: certificate signed by unknown authority"),
            Sign("SSL certificate problem", r"SSL certificate problem"),
        ),
        leads_to=_FOLLOWS | {"network"},
        of_build=True,
    ),
    Cause(
        "build-without-network",
        "the daemon has no network for builds: `docker build --network host`",
        (Sign("network bridge not found", r"network bridge not found"),),
        leads_to=frozenset({"network"}),
    ),
)
