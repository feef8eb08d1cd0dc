#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signs provenance, and checks files of a release against it:

    attestation.py sign KEY STATEMENT >ENVELOPE      KEY is a private key (PEM): Ed25519, ECDSA or RSA
    attestation.py verify PUBLIC_KEY ENVELOPE FILE…  exit code 1 with the reason unless PUBLIC_KEY signed the digests of all these files

The envelope is DSSE (https://github.com/secure-systems-lab/dsse), as in-toto's tools read it; openssl signs and verifies.
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

PAYLOAD_TYPE = "application/vnd.in-toto+json"


def openssl(*words, **options):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"attestation: {(done.stderr or done.stdout).decode(errors='replace').strip()}")
    return done.stdout


def signed_bytes(payload):
    """DSSE's pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)


def public_der(key, *options):
    return openssl("pkey", *options, "-in", key, "-pubout", "-outform", "DER")


def digest_options(der):
    """Ed25519 hashes by itself; its algorithm's identifier is 1.3.101.112."""
    return [] if bytes.fromhex("06032b6570") in der[:16] else ["-digest", "sha256"]


def key_id(der):
    return hashlib.sha256(der).hexdigest()


def sign(key, statement):
    payload, der = statement.read_bytes(), public_der(key)
    with tempfile.NamedTemporaryFile() as file:
        file.write(signed_bytes(payload))
        file.flush()
        signature = openssl("pkeyutl", "-sign", "-rawin", *digest_options(der), "-inkey", key, "-in", file.name)
    signatures = [{"keyid": key_id(der), "sig": base64.b64encode(signature).decode()}]
    print(json.dumps({"payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(payload).decode(), "signatures": signatures}))


def verify(public_key, envelope, files):
    try:
        content = json.loads(envelope.read_text(encoding="utf-8"))
        payload = base64.b64decode(content["payload"], validate=True)
        signatures = [base64.b64decode(one["sig"], validate=True) for one in content["signatures"]]
        subjects = {one["name"]: one["digest"]["sha256"] for one in json.loads(payload)["subject"]}
    except (KeyError, TypeError, ValueError) as error:
        raise SystemExit(f"attestation: {envelope}: not a signed statement: {error}") from error
    der = public_der(public_key, "-pubin")
    with tempfile.TemporaryDirectory() as folder:
        data, signature = pathlib.Path(folder, "data"), pathlib.Path(folder, "signature")
        data.write_bytes(signed_bytes(payload))
        for one in signatures:
            signature.write_bytes(one)
            command = ["openssl", "pkeyutl", "-verify", "-rawin", *digest_options(der), "-pubin", "-inkey", public_key, "-in", data]
            if subprocess.run([*map(str, command), "-sigfile", str(signature)], capture_output=True, check=False).returncode == 0:
                break
        else:
            raise SystemExit(f"attestation: {envelope}: not signed by {public_key}")
    for file in files:
        if subjects.get(file.name) != hashlib.sha256(file.read_bytes()).hexdigest():
            problem = "has another content than" if file.name in subjects else "is not in"
            raise SystemExit(f"attestation: {file} {problem} {envelope}")
    print(f"{len(files)} files agree with {envelope}, signed by the key {key_id(der)[:16]}")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "sign":
        sign(sys.argv[2], pathlib.Path(sys.argv[3]))
    elif len(sys.argv) > 4 and sys.argv[1] == "verify":
        verify(sys.argv[2], pathlib.Path(sys.argv[3]), [pathlib.Path(name) for name in sys.argv[4:]])
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
