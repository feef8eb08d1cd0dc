// SPDX-License-Identifier: Apache-2.0
#include "capture/command_line.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCommandSize = 200;
constexpr std::string_view kHidden = "***";

std::vector<std::string_view> Arguments(std::string_view cmdline) {
  while (!cmdline.empty() && cmdline.back() == '\0') cmdline.remove_suffix(1);
  return Split(cmdline, '\0');
}

bool IsKeyCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' || c == ':';
}

// "//user:password@host" → "//***@host".
std::string WithoutUserInfo(std::string_view argument) {
  std::string result;
  for (;;) {
    const size_t scheme = argument.find("://");
    if (scheme == std::string_view::npos) break;
    const size_t start = scheme + 3;
    const size_t end = std::min(argument.find_first_of("/?# \"'", start), argument.size());
    const size_t at = argument.substr(0, end).rfind('@');
    result += argument.substr(0, start);
    if (at != std::string_view::npos && at >= start) {
      result += kHidden;
      argument.remove_prefix(at);
    } else {
      argument.remove_prefix(start);
    }
  }
  return result.append(argument);
}

// One argument may hold several settings, one inside the other ("-Dspark.executor.extraJavaOptions=-Dx.password=y"):
// from the first secret on, nothing is kept.
std::string WithoutSecret(std::string_view argument) {
  for (size_t equals = argument.find('='); equals != std::string_view::npos; equals = argument.find('=', equals + 1)) {
    size_t start = equals;
    while (start > 0 && IsKeyCharacter(argument[start - 1])) --start;
    if (IsSecretName(argument.substr(start, equals - start))) {
      return WithoutUserInfo(argument.substr(0, equals + 1)).append(kHidden);
    }
  }
  return WithoutUserInfo(argument);
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
    // spark.python.daemon.module may name another module; from Spark 4 on it runs as `python -m MODULE WORKER_MODULE`.
    // sparkprof's own, sparkprof_python_PID, has no better name.
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
  return clean;
}

std::string CommandForPeople(std::string_view cmdline) {
  std::string command;
  std::string_view previous;
  for (const std::string_view argument : Arguments(cmdline)) {
    if (!command.empty()) command += ' ';
    const bool class_path = previous == "-cp" || previous == "-classpath" || previous == "--class-path";
    const bool secret = previous.starts_with('-') && previous.find('=') == std::string_view::npos &&
                        IsSecretName(previous) && !argument.starts_with('-');
    if (class_path) {
      command += "…";
    } else if (secret) {
      command += kHidden;
    } else {
      command += WithoutSecret(argument);
    }
    previous = argument;
  }
  command = RedactText(TextForPeople(command));
  if (command.size() <= kMaxCommandSize) return command;
  constexpr std::string_view kCut = "…";
  size_t end = kMaxCommandSize - kCut.size();
  while (end > 0 && (static_cast<unsigned char>(command[end]) & 0xC0) == 0x80) --end;
  return command.substr(0, end).append(kCut);
}

}  // namespace sparkprof
