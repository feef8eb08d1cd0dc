#!/usr/bin/env bash
# The programs of `make dist` need glibc 2.17 and nothing else, or where they are for musl nothing at all (the sampler: musl), its
# wheels are what their tags promise, and its agents run and end in time. Exit code 77: not built.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/paths

fail() { echo "portable_agent_test: $*" >&2; exit 1; }

checked=0
for platform in linux-x64 linux-arm64 linux-x64-musl linux-arm64-musl; do
  agent="dist/native/$platform/sparkprof-agent"
  [ -x "$agent" ] || continue
  checked=$((checked + 1))

  for program in "$agent" "dist/native/$platform/sparkprof" "dist/native/$platform/libsparkprof-pysampler.so"; do
    newest="$(readelf -V "$program" | sed -nE 's/.*(GLIBC_[0-9.]*).*/\1/p' | sort -uV | tail -n 1)"
    [ "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.17 ] || fail "$program needs $newest, at most GLIBC_2.17 is allowed"
    for library in $(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
      case $library in
        libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | ld-linux-*)
          [[ $platform != *-musl ]] || fail "$program needs glibc's $library" ;;
        libc.so) [[ $program == dist/native/*-musl/*.so ]] || fail "$program needs musl's libc.so" ;;
        *) fail "$program needs $library, only the C library's are allowed" ;;
      esac
    done
    echo "portable_agent_test: $program: ${newest:-musl}, $(stat -c %s "$program") bytes"
  done

  case "$platform-$(uname -m)" in
    linux-x64-x86_64 | linux-x64-musl-x86_64 | linux-arm64-aarch64 | linux-arm64-musl-aarch64) run=() ;;
    linux-arm64-musl-*)
      command -v qemu-aarch64-static >/dev/null || { echo "portable_agent_test: $agent was not run (Debian: qemu-user-static)"; continue; }
      run=(qemu-aarch64-static) ;;
    linux-arm64-*)
      libraries=/usr/aarch64-linux-gnu
      if ! command -v qemu-aarch64-static >/dev/null || [ ! -e "$libraries/lib/ld-linux-aarch64.so.1" ]; then
        echo "portable_agent_test: $agent was not run (Debian: qemu-user-static and libc6-arm64-cross)"
        continue
      fi
      run=(qemu-aarch64-static -L "$libraries") ;;
    *) continue ;;
  esac
  python3 - "${run[@]}" "$agent" <<'PYTHON' || fail "$agent does not work"
import os, struct, subprocess, sys, tempfile, time

def frame(kind, payload):
    return struct.pack(">BI", kind, len(payload)) + payload

def pairs(values):
    return b"".join(struct.pack(">I", len(text)) + text.encode() for item in values.items() for text in item)

with tempfile.TemporaryDirectory() as folder:
    spool = os.path.join(folder, "spool", "a.sprof")
    agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    kind, size = struct.unpack(">BI", agent.stdout.read(5))
    path = agent.stdout.read(size).decode()
    assert kind == 1 and path.startswith("/proc/"), (kind, path)
    hello = {"protocol": "1", "pid": str(os.getpid()), "application_id": "app-1", "spool": spool}
    agent.stdin.write(frame(1, pairs(hello)) + frame(4, b"{}") + frame(9, b""))
    start = time.monotonic()
    agent.stdin.close()
    code = agent.wait(timeout=10)
    took = time.monotonic() - start
    assert code == 0, f"exit code {code}"
    assert took <= 3, f"{took:.1f} s from end of file to the end"
    with open(spool, "rb") as recording:
        assert recording.read(4) == b"SPRF"
PYTHON
  echo "portable_agent_test: $agent works"
done
[ $checked -gt 0 ] || { echo "portable_agent_test: no dist/native: run make dist"; exit 77; }

install_python_environment auditwheel scripts/requirements/auditwheel.txt
for tag in manylinux_2_17_x86_64 manylinux_2_17_aarch64 musllinux_1_2_x86_64 musllinux_1_2_aarch64; do
  wheel="$(echo dist/sparkprof-*"$tag".whl)"
  [ -e "$wheel" ] || continue
  # auditwheel expects Alpine's libc.musl-x86_64.so.1, but Zig links libc.so. musl's loader treats both names as itself.
  if [[ $tag == manylinux* ]]; then
    "$SPARKPROF_CACHE/auditwheel/bin/auditwheel" show "$wheel" | tr '\n' ' ' |
      grep -q "is consistent with the following platform tag: \"$tag\"" || fail "auditwheel refuses $wheel"
  fi
  [ "$(stat -c %s "$wheel")" -le 12000000 ] || fail "$wheel has more than 12 MB"
  echo "portable_agent_test: $wheel: $(stat -c %s "$wheel") bytes"
done
