#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""homebrew.py VERSION FOLDER: prints the formula for Homebrew on Linux, with the hashes of the tarballs in FOLDER."""

import hashlib
import pathlib
import sys

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
    for name, platform in (("intel", "linux-x64"), ("arm", "linux-arm64")):
        tarball = folder / f"sparkprof-{version}-{platform}.tar.gz"
        if tarball.exists():
            platforms += PLATFORM.format(
                name=name, version=version, file=tarball.name, digest=hashlib.sha256(tarball.read_bytes()).hexdigest()
            )
    print(FORMULA.format(version=version, platforms=platforms), end="")


if __name__ == "__main__":
    main()
