// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sparkprof {

// Profiling JVMs in pods and on other hosts: the command, copied there, attaches to them, and its recording comes back.

// A command, run without a shell. Words may contain $NAME of an earlier step's output.
struct RemoteStep {
  std::vector<std::string> command;
  std::string input = {};     // file that it reads; empty = none
  std::string output = {};    // file that it writes; empty = none
  std::string variable = {};  // takes what it prints
};

// A pod, or an executor on a host.
struct AttachTarget {
  std::string name;                   // of its output file, without extension
  std::vector<std::string> prefix;    // runs the words behind it there: "kubectl exec -i POD --"
  bool joins_words = false;           // the prefix passes them to a shell, as ssh does
  std::vector<RemoteStep> before{};   // steps that make the prefix work
  std::string application, executor;  // which JVMs there; empty = all of Spark's
};

struct RemoteAttachOptions {
  std::string program, jar;               // this command and the plugin's jar, on this machine
  std::string folder;                     // there, new: "/tmp/sparkprof-attach-17"
  std::vector<std::string> attach_words;  // "--duration", "30s"
  std::string output_dir;                 // here
};

// Copies command and jar, attaches, copies the recording to OUTPUT_DIR/NAME.jfr, and removes the folder.
std::vector<RemoteStep> AttachSteps(const AttachTarget& target, const RemoteAttachOptions& options);

// Does nothing there; succeeds when commands can run.
RemoteStep ProbeStep(const AttachTarget& target);

struct PodOptions {
  std::string space;      // namespace; empty = kubectl's own
  std::string container;  // empty = Spark's name for the pod's role
  std::string image;      // of the ephemeral container; empty = the pod's own
  std::string ephemeral;  // name of the ephemeral container, new
  int64_t seconds = 0;    // the ephemeral container's life
};

// A pod's target through an ephemeral container, which shares the processes of the pod's own, and through its own.
AttachTarget EphemeralTarget(const std::string& pod, const PodOptions& options);
AttachTarget ExecTarget(const std::string& pod, const PodOptions& options);

// Prints the names of an application's pods, separated by blanks; executors of these IDs only, unless there are none.
RemoteStep ListPods(const std::string& application, const std::vector<std::string>& executors,
                    const PodOptions& options);

// An executor on a host, by a template such as "ssh {host} {command}"; {command} is the rest of the line.
AttachTarget HostTarget(const std::string& command_template, const std::string& host, const std::string& application,
                        const std::string& executor);

// The step as a line of a POSIX shell.
std::string ShellLine(const RemoteStep& step);

// Replaces $NAME in the step's words and files.
RemoteStep WithVariables(RemoteStep step, const std::map<std::string, std::string>& variables);

}  // namespace sparkprof
