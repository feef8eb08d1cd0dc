// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sparkprof {

// Options of `sparkprof attach`. Each kind of target has its own file and one of the functions below, which return the
// exit code.
struct AttachRequest {
  int64_t pid = 0;
  std::vector<std::string> events;  // at least one
  int64_t interval = 0;             // ns, bytes or counts; 0 = the event's default
  int64_t duration_ns = 0;
  std::string output;                  // file, or folder with --all-spark; empty = standard output
  std::string format;                  // empty = derived from the output's name
  bool prints_top = false;             // the output was chosen for a terminal: print its name and the top functions
  std::string application;             // for --all-spark; empty = all
  std::vector<std::string> executors;  // for --all-spark; empty = all
  std::string plugin_jar;              // jar with async-profiler; empty = the installed one
};

int AttachToOneJvm(const AttachRequest& request);
// Ignores the request's PID.
int AttachToAllSpark(AttachRequest request);
int ListEventsOfJvm(const AttachRequest& request);
// Uses this machine's perf; works for any kind of process.
int AttachByPerf(const AttachRequest& request);

// Prints Spark's drivers, executors, masters and workers on this host with their Python processes, from /proc and the
// JVMs' counters; with `all_jvms`, also JVMs without Spark. Measures CPU for half a second. Returns the exit code, 1 if
// there are none.
int ListAttachable(bool all_jvms, bool as_json);

// Options of `sparkprof attach PID` for --python only.
struct PythonAttachOptions {
  bool subprocesses = false;
  bool lines = true;  // one frame per line
};

// Samples, writes, prints a summary and returns the exit code. The request has one event, cpu or wall, with an interval
// in ns; duration 0 means until the process exits.
int AttachToPython(const AttachRequest& request, const PythonAttachOptions& options);

// The recording that the plugin's agent writes for the JVM `pid`; empty if there is none on this host.
std::string FindPluginRecording(int64_t pid);

// For a JVM with sparkprof's plugin: waits for the requested time and shows that range of the plugin's recording, which
// includes tasks. Returns the exit code.
int AttachThroughPlugin(const AttachRequest& request, const std::string& recording);

// Prints the current stacks of a CPython process, read from outside without pausing it, for `sparkprof attach --dump`.
// Returns the exit code.
int PrintPythonStacks(int64_t pid, bool as_json);

// While it exists, Ctrl-C, SIGTERM and SIGHUP end the wait in WaitFor instead of this process. Create it before other
// threads, and use it from one thread.
class StopSignals {
 public:
  StopSignals();
  // Drops late signals, because the program is ending anyway.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  enum class End { kTime, kSignal, kGone };
  // Waits until the time has passed, a signal arrives or `is_alive` returns false (called several times a second).
  // Shows "WHAT: 3 of 30 s; Ctrl-C to stop" on a terminal.
  End WaitFor(int64_t duration_ns, const std::string& what, const std::function<bool()>& is_alive);
};

}  // namespace sparkprof
