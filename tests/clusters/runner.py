# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a folder and ends with "N passed, N failed". For namespaces of its own: it hides system folders."""

import subprocess
import sys
import unittest

# Where containerd, its shims, the CNI plugins, the kubelet and iproute2 keep state, whatever their options.
STATE = ("/run", "/var/log", "/var/lib")


def hide_state():
    for folder in STATE:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)


class Result(unittest.TextTestResult):
    """Prints what failed at once: a test takes a minute."""

    def addFailure(self, test, error):  # noqa: N802
        super().addFailure(test, error)
        self.stream.writeln(self.failures[-1][1])

    def addError(self, test, error):  # noqa: N802
        super().addError(test, error)
        self.stream.writeln(self.errors[-1][1])

    def addSubTest(self, test, subtest, error):  # noqa: N802
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.stream.writeln((self.failures if issubclass(error[0], test.failureException) else self.errors)[-1][1])


def main(folder, *options):
    hide_state()
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    result = unittest.main(module=None, argv=["runner", "discover", "-s", folder, *options], testRunner=runner, exit=False).result
    failed = len(result.failures) + len(result.errors) + len(result.skipped)
    # A set-up that failed ran no test and is an error all the same.
    passed = max(0, result.testsRun - failed)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
