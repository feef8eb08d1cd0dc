# SPDX-License-Identifier: Apache-2.0
"""The overhead of Pyroscope's clients, next to that of `sparkprof attach` at the same sampling rate, for peers.py.

A program works in one thread for some seconds. The overhead is the CPU time of its other threads, and of the profiler beside it. What
interrupts the working thread is not in it: for JVMs, both profilers use async-profiler. Pyroscope's clients send to a server in this
process, which accepts everything and whose CPU time is not counted.
"""

import contextlib
import http.server
import os
import statistics
import subprocess
import threading

SECONDS = 15  # Pyroscope's Java agent uploads every 10 s

# Both print a line when they start to work, and then the CPU seconds of the work.
PYTHON = f"""
import sys, time
if len(sys.argv) > 1:
    import pyroscope
    pyroscope.configure(application_name="work", server_address=sys.argv[1], sample_rate=100)
def leaf(n):
    return sum(i * i % 7 for i in range(n))
def recurse(n, depth):
    return leaf(n) if depth == 0 else recurse(n, depth - 1) + 1
print("working", flush=True)
before, end = time.thread_time(), time.monotonic() + {SECONDS}
while time.monotonic() < end:
    recurse(200, 15)
print(time.thread_time() - before, flush=True)
if len(sys.argv) > 1:
    pyroscope.shutdown()
"""
JAVA = """
public class Work {
  static long recurse(int depth, long n) {
    if (depth > 0) return recurse(depth - 1, n) + 1;
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i * i % 7;
    return sum;
  }
  public static void main(String[] arguments) {
    var threads = java.lang.management.ManagementFactory.getThreadMXBean();
    System.out.println("working");
    long before = threads.getCurrentThreadCpuTime(), end = System.nanoTime() + SECONDS * 1_000_000_000L, sum = 0;
    for (int i = 0; System.nanoTime() < end; i++) sum += recurse(i % 60, 100_000 + i % 1000);
    System.out.println((threads.getCurrentThreadCpuTime() - before) / 1e9);
    if (sum == 0) System.out.println("the compiler must not leave out the work");
  }
}
""".replace("SECONDS", str(SECONDS))


class Uploads(http.server.BaseHTTPRequestHandler):
    """Accepts what profilers send."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                self.server.received += len(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        else:
            self.server.received += len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def sink():
    """The address of a server for uploads; an error unless something was uploaded."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Uploads)
    server.received = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
    if server.received == 0:
        raise SystemExit("peers: Pyroscope uploaded no profile")


def finish(process):
    """CPU seconds and peak MiB of a process that ends."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"peers: failed: {' '.join(map(str, process.args))}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def overhead(command, attach=None, **environment):
    """CPU seconds beyond those of the work, and the peak MiB; attach(PID) is the command of a profiler beside the program."""
    process = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment}
    )
    with process.stdout as output:
        output.readline()
        beside = attach and subprocess.Popen([str(word) for word in attach(process.pid)], stderr=subprocess.DEVNULL)
        work = float(output.readline())
        output.read()
    cpu, peak = finish(process)
    if beside:
        beside_cpu, beside_peak = finish(beside)
        cpu, peak = cpu + beside_cpu, max(peak, beside_peak)
    return cpu - work, peak


def compare(sparkprof_runs, pyroscope_runs, runs):
    """The medians of CPU seconds and the highest peaks of both, measured in turn."""
    measured = [(sparkprof_runs(), pyroscope_runs()) for _ in range(runs)]
    return [(statistics.median(cpu for cpu, _ in side), max(peak for _, peak in side)) for side in zip(*measured)]


def python_profilers(python, sparkprof, folder, runs):
    program = folder / "work.py"
    program.write_text(PYTHON)
    options = ["--python", "--interval", "10ms", "--duration", "600s", "-o", folder / "work.collapsed"]

    def with_sdk():
        with sink() as address:
            return overhead([python, program, address])

    return compare(lambda: overhead([python, program], lambda pid: [sparkprof, "attach", pid, *options]), with_sdk, runs)


def jvm_profilers(agent, sparkprof, folder, runs):
    (folder / "Work.java").write_text(JAVA)
    subprocess.run(["javac", "-d", folder, folder / "Work.java"], check=True)
    options = ["--event", "cpu", "--interval", "10ms", "--duration", "600s", "-o", folder / "work.collapsed"]
    java = ["java", "-cp", folder]

    def with_agent():
        with sink() as address:
            return overhead(
                [*java, f"-javaagent:{agent}", "Work"],
                PYROSCOPE_APPLICATION_NAME="work",
                PYROSCOPE_SERVER_ADDRESS=address,
                PYROSCOPE_FORMAT="jfr",
                PYROSCOPE_PROFILING_INTERVAL="10ms",
            )

    return compare(lambda: overhead([*java, "Work"], lambda pid: [sparkprof, "attach", pid, *options]), with_agent, runs)
