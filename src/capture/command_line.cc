// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/text.h"
#include "capture/process_tree.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCommandSize = 197;

std::vector<std::string_view> Arguments(std::string_view cmdline) {
  while (!cmdline.empty() && cmdline.back() == '\0') cmdline.remove_suffix(1);
  return Split(cmdline, '\0');
}

// Start of the name that ends before `end`.
size_t NameBegin(std::string_view argument, size_t end) {
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' || c == ':';
  };
  size_t begin = end;
  while (begin > 0 && is_of_name(argument[begin - 1])) --begin;
  return begin;
}

// RedactText cannot find the end of an argument with spaces. An argument may contain several nested settings
// ("-Dspark.executor.extraJavaOptions=-Dx.password=y z"), so everything after the first secret is dropped.
std::string RedactArgument(std::string_view previous, std::string_view argument) {
  const bool is_value =
      previous.starts_with('-') && previous.find('=') == std::string_view::npos && !argument.starts_with('-');
  if (is_value && RedactSetting(previous, argument) == kRedacted) return std::string(kRedacted);
  for (size_t equals = argument.find('='); equals != std::string_view::npos; equals = argument.find('=', equals + 1)) {
    const size_t begin = NameBegin(argument, equals);
    if (!IsSecretName(argument.substr(begin, equals - begin))) continue;
    return RedactText(argument.substr(0, equals + 1)).append(kRedacted);
  }
  return std::string(argument);
}

}  // namespace

std::string_view ProcessRoleName(ProcessRole role) {
  switch (role) {
    case ProcessRole::kJvm:
      return "jvm";
    case ProcessRole::kPythonDaemon:
      return "python_daemon";
    case ProcessRole::kPythonWorker:
      return "python_worker";
    case ProcessRole::kPythonDriver:
      return "python_driver";
    case ProcessRole::kAgent:
      return "agent";
    case ProcessRole::kOther:
      break;
  }
  return "other";
}

ProcessRole RoleOfCommand(std::string_view cmdline, ProcessRole parent_role) {
  const std::vector<std::string_view> arguments = Arguments(cmdline);
  bool daemon = false;
  bool worker = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    // spark.python.daemon.module may name another module; since Spark 4 it runs as `python -m MODULE WORKER_MODULE`.
    // sparkprof's own module is named sparkprof_python_PID.
    const bool module = i > 0 && arguments[i - 1] == "-m";
    const bool starts_workers = module && i + 1 < arguments.size() && arguments[i + 1].ends_with("worker");
    daemon = daemon || arguments[i] == "pyspark.daemon" || starts_workers ||
             (module && (arguments[i].ends_with("daemon") || arguments[i].starts_with("sparkprof_python_")));
    worker = worker || arguments[i] == "pyspark.worker" || (module && arguments[i].ends_with("worker"));
  }
  if (daemon) {
    const bool forked = parent_role == ProcessRole::kPythonDaemon || parent_role == ProcessRole::kPythonWorker;
    return forked ? ProcessRole::kPythonWorker : ProcessRole::kPythonDaemon;
  }
  return worker ? ProcessRole::kPythonWorker : ProcessRole::kOther;
}

std::string TextForPeople(std::string_view text) {
  std::string clean = ToUtf8(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return ToOneLine(clean);
}

std::string CommandForPeople(std::string_view cmdline) {
  std::string command;
  std::string_view previous;
  for (const std::string_view argument : Arguments(cmdline)) {
    if (!command.empty()) command += ' ';
    const bool class_path = previous == "-cp" || previous == "-classpath" || previous == "--class-path";
    command += class_path ? "…" : RedactArgument(previous, argument);
    previous = argument;
  }
  return Shorten(RedactText(TextForPeople(command)), kMaxCommandSize);
}

}  // namespace sparkprof
