// SPDX-License-Identifier: Apache-2.0
#include "spark/process_kind.h"

#include <algorithm>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/text.h"
#include "capture/proc_folder.h"
#include "capture/process_tree.h"
#include "spark/open_files.h"
#include "spark/spark_processes.h"

namespace sparkprof {
namespace {

constexpr std::string_view kContainer = "container_";

std::vector<std::string> Arguments(std::string_view cmdline) {
  while (!cmdline.empty() && cmdline.back() == '\0') cmdline.remove_suffix(1);
  std::vector<std::string> arguments;
  for (const std::string_view argument : Split(cmdline, '\0')) arguments.emplace_back(argument);
  return arguments;
}

size_t Digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

// The parts of "container_[eEPOCH_]CLUSTER_APPLICATION_ATTEMPT_CONTAINER" from CLUSTER on; empty if `text` does not
// start with one. `size` is set to the length of the complete ID.
std::vector<std::string_view> ContainerParts(std::string_view text, size_t* size) {
  if (!text.starts_with(kContainer)) return {};
  size_t at = kContainer.size();
  if (text.substr(at).starts_with('e')) at += 2 + Digits(text.substr(std::min(at + 1, text.size())));
  constexpr size_t kParts = 4;
  std::vector<std::string_view> parts;
  while (at < text.size()) {
    const size_t digits = Digits(text.substr(at));
    if (digits == 0) return {};
    parts.push_back(text.substr(at, digits));
    at += digits;
    if (parts.size() == kParts) break;
    if (at >= text.size() || text[at] != '_') return {};
    ++at;
  }
  *size = at;
  return parts.size() == kParts ? parts : std::vector<std::string_view>();
}

std::string_view TypeOfJvm(JvmRole role, std::string_view main_class) {
  switch (role) {
    case JvmRole::kDriver:
      return "jvm_driver";
    case JvmRole::kExecutor:
      return "jvm_executor";
    case JvmRole::kApplicationMaster:
      return "application_master";
    case JvmRole::kShuffleService:
      return "shuffle_service";
    default:
      break;
  }
  if (main_class.starts_with("org.apache.hadoop.yarn.")) return "yarn";
  if (main_class.starts_with("org.apache.hadoop.hdfs.")) return "hdfs";
  return "other";
}

void DescribeJvm(const std::vector<std::string>& arguments, std::string_view environment, ProcessKind* kind) {
  SparkJvm jvm;
  DescribeByCommand(arguments, &jvm);
  const std::string main_class = ParseJavaCommand(arguments).main_class;
  kind->is_java = true;
  kind->type = TypeOfJvm(jvm.role, main_class);
  kind->is_worker = jvm.role == JvmRole::kWorker;
  kind->is_node_manager = main_class == "org.apache.hadoop.yarn.server.nodemanager.NodeManager";
  kind->has_gateway = !VariableOf(environment, kGatewayVariable).empty();
  kind->application_id = jvm.application_id;
  kind->executor_id = jvm.executor_id;
  kind->driver_url = jvm.driver_url;
}

bool IsShell(std::string_view name) { return name == "bash" || name == "sh" || name == "dash"; }

// Describes a shell between a NodeManager and a container's JVM.
void DescribeLauncher(std::string_view cmdline, ProcessKind* kind) {
  kind->type = "yarn";
  constexpr std::string_view kOption = "--executor-id ";
  constexpr std::string_view kEnds("\0 '\"", 4);
  const size_t option = cmdline.find(kOption);
  if (option == std::string_view::npos) return;
  const std::string_view rest = cmdline.substr(option + kOption.size());
  kind->executor_id = rest.substr(0, rest.find_first_of(kEnds));
}

}  // namespace

std::string ContainerIn(std::string_view text) {
  for (size_t at = text.find(kContainer); at != std::string_view::npos; at = text.find(kContainer, at + 1)) {
    size_t size = 0;
    if (!ContainerParts(text.substr(at), &size).empty()) return std::string(text.substr(at, size));
  }
  constexpr size_t kHexDigits = 64;
  for (size_t at = 0; at + kHexDigits <= text.size();) {
    const size_t end = std::min(text.find_first_not_of("0123456789abcdef", at), text.size());
    if (end - at == kHexDigits) return std::string(text.substr(at, kHexDigits));
    at = end + 1;
  }
  return {};
}

std::string ApplicationOfContainer(std::string_view container_id) {
  size_t size = 0;
  const std::vector<std::string_view> parts = ContainerParts(container_id, &size);
  return parts.empty() ? "" : std::string("application_").append(parts[0]).append("_").append(parts[1]);
}

ProcessKind FindProcessKind(const ProcessTraits& traits) {
  ProcessKind kind;
  const std::vector<std::string> arguments = Arguments(traits.cmdline);
  const std::string program = FileNameOf(arguments.front());
  kind.container_id = ContainerIn(VariableOf(traits.environment, "CONTAINER_ID="));
  if (kind.container_id.empty()) kind.container_id = ContainerIn(traits.cgroup);
  if (program == "java") {
    DescribeJvm(arguments, traits.environment, &kind);
  } else if (program.starts_with("sparkprof-agent")) {
    kind.type = "agent";
  } else if (IsShell(program) && kind.container_id.empty()) {
    kind.container_id = ContainerIn(traits.cmdline);
  }
  if (IsShell(program) && kind.container_id.starts_with(kContainer)) DescribeLauncher(traits.cmdline, &kind);
  if (kind.type == "other" && !kind.is_java) {
    const ProcessRole parent = traits.parent_type == "python_daemon"   ? ProcessRole::kPythonDaemon
                               : traits.parent_type == "python_worker" ? ProcessRole::kPythonWorker
                                                                       : ProcessRole::kOther;
    kind.type = ProcessRoleName(RoleOfCommand(traits.cmdline, parent));
    const bool is_program = program.starts_with("python") && !VariableOf(traits.environment, kProgramVariable).empty();
    if (kind.type == "other" && is_program && traits.parent_type == "jvm_driver") {
      kind.type = "python_driver";
      kind.executor_id = "driver";
    }
  }
  if (kind.application_id.empty()) kind.application_id = ApplicationOfContainer(kind.container_id);
  for (std::string* text : {&kind.application_id, &kind.executor_id, &kind.driver_url}) {
    *text = RedactText(TextForPeople(*text));
  }
  return kind;
}

}  // namespace sparkprof
