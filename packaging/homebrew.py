#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""homebrew.py VERSION FOLDER: prints the formula for Homebrew on Linux, with the hashes of the tarballs in FOLDER."""

import hashlib
import pathlib
import sys

# `brew style` wants desc, homepage, version, license, depends_on, on_arm and on_intel in this order. From the addresses, which end with
# -x64 or -arm64, Homebrew would read the version 64.
FORMULA = """class Sparkprof < Formula
  desc "Profiler for Apache Spark"
  homepage "https://github.com/sparkprof/sparkprof"
  version "{version}"
  license "Apache-2.0"

  depends_on :linux
{platforms}
  def install
    libexec.install "bin", "lib"
    bin.install_symlink libexec/"bin/sparkprof", libexec/"bin/sparkprof-submit"
    doc.install "README.md", "CHANGELOG.md", "NOTICES.txt", "sbom"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/sparkprof"
    zsh_completion.install "share/zsh/site-functions/_sparkprof"
    fish_completion.install "share/fish/vendor_completions.d/sparkprof.fish"
  end

  test do
    (testpath/"stacks.folded").write "main;work 30\\nmain;wait 10\\n"
    assert_match "main;work 30", shell_output("#{{bin}}/sparkprof flame stacks.folded --format collapsed")
    assert_match version.to_s, shell_output("#{{bin}}/sparkprof --version")
  end
end
"""
PLATFORM = """
  on_{name} do
    url "https://github.com/sparkprof/sparkprof/releases/download/v{version}/{file}"
    sha256 "{digest}"
  end
"""


def main():
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    platforms = ""
    for name, platform in (("arm", "linux-arm64"), ("intel", "linux-x64")):
        tarball = folder / f"sparkprof-{version}-{platform}.tar.gz"
        if tarball.exists():
            platforms += PLATFORM.format(
                name=name, version=version, file=tarball.name, digest=hashlib.sha256(tarball.read_bytes()).hexdigest()
            )
    print(FORMULA.format(version=version, platforms=platforms), end="")


if __name__ == "__main__":
    main()
