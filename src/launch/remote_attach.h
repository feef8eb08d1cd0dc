// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sparkprof {

// Profiles JVMs in pods and on other hosts: copies the command there, attaches, and copies the recording back.

// A command that runs without a shell. Words may contain $NAME, the output of an earlier step.
struct RemoteStep {
  std::vector<std::string> command;
  std::string input = {};     // file for standard input; empty = none
  std::string output = {};    // file for standard output; empty = none
  std::string variable = {};  // variable that receives the output
};

// A pod, or an executor on a host.
struct AttachTarget {
  std::string name;                   // name of the output file, without extension
  std::vector<std::string> prefix;    // runs the following words at the target: "kubectl exec -i POD --"
  bool joins_words = false;           // whether the prefix passes the words to a shell, as ssh does
  std::vector<RemoteStep> before{};   // steps that the prefix depends on
  std::string application, executor;  // JVMs at the target; empty = all of Spark's
};

struct RemoteAttachOptions {
  std::string program, jar;               // local paths of this command and the plugin's jar
  std::string folder;                     // new folder at the target: "/tmp/sparkprof-attach-17"
  std::vector<std::string> attach_words;  // "--duration", "30s"
  std::string output_dir;                 // local folder
};

// Steps that copy the command and the jar, attach, copy the recording to OUTPUT_DIR/NAME.jfr, and remove the folder.
std::vector<RemoteStep> AttachSteps(const AttachTarget& target, const RemoteAttachOptions& options);

// Step that succeeds if commands can run at the target.
RemoteStep ProbeStep(const AttachTarget& target);

struct PodOptions {
  std::string space;      // namespace; empty = kubectl's own
  std::string container;  // empty = Spark's default for the pod's role
  std::string image;      // image of the ephemeral container; empty = the pod's own
  std::string ephemeral;  // name of the new ephemeral container
  int64_t seconds = 0;    // lifetime of the ephemeral container
};

// Targets in a pod: an ephemeral container, which shares the processes of the pod's container, and the pod's own
// container.
AttachTarget EphemeralTarget(const std::string& pod, const PodOptions& options);
AttachTarget ExecTarget(const std::string& pod, const PodOptions& options);

// Step that prints the space-separated names of an application's pods: executors with these IDs, or all if there are
// none.
RemoteStep ListPods(const std::string& application, const std::vector<std::string>& executors,
                    const PodOptions& options);

// An executor on a host, by a template such as "ssh {host} {command}"; {command} is replaced by the rest of the line.
AttachTarget HostTarget(const std::string& command_template, const std::string& host, const std::string& application,
                        const std::string& executor);

// The step as a POSIX shell command line.
std::string ShellLine(const RemoteStep& step);

// Replaces $NAME in the step's words and files.
RemoteStep WithVariables(RemoteStep step, const std::map<std::string, std::string>& variables);

}  // namespace sparkprof
