# SPDX-License-Identifier: Apache-2.0
"""Certificates for servers of tests."""

from support import execute


def make_certificate(folder):
    """The paths of a certificate of localhost and of its key, for TLS. RSA, because some tests name RSA's ciphers."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, "-keyout", key, "-out", certificate]
    execute(*command)
    return certificate, key
