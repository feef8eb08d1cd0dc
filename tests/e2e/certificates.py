# SPDX-License-Identifier: Apache-2.0
"""Certificates for servers of tests."""

import subprocess


def make_certificate(folder):
    """The paths of a certificate of localhost and of its key, for TLS. RSA, because some tests name RSA's ciphers."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key
