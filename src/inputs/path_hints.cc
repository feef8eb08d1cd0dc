// SPDX-License-Identifier: Apache-2.0
#include "inputs/path_hints.h"

#include <algorithm>
#include <vector>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

std::vector<std::string_view> Parts(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : Split(path, '/')) {
    for (const std::string_view inner : Split(part, '!')) {
      if (!inner.empty()) parts.push_back(inner);
    }
  }
  return parts;
}

// Matches "application_1603128018386_7846" at the start of `part`.
std::string_view YarnApplication(std::string_view part) {
  constexpr std::string_view kPrefix = "application_";
  if (!part.starts_with(kPrefix)) return {};
  const size_t second = part.find('_', kPrefix.size());
  if (second == std::string_view::npos || !IsDigits(part.substr(kPrefix.size(), second - kPrefix.size()))) return {};
  const size_t end = std::min(part.find_first_not_of("0123456789", second + 1), part.size());
  return end > second + 1 ? part.substr(0, end) : std::string_view();
}

// Parses container_[eEPOCH_]CLUSTER_APPLICATION_ATTEMPT_NUMBER, including the application.
bool YarnContainer(std::string_view part, Input* input) {
  if (!part.starts_with("container_")) return false;
  std::vector<std::string_view> fields = Split(part, '_');
  const size_t first = fields.size() == 6 && fields[1].starts_with('e') ? 2 : 1;
  if (fields.size() != first + 4 ||
      !std::all_of(fields.begin() + static_cast<std::ptrdiff_t>(first), fields.end(), IsDigits)) {
    return false;
  }
  input->container = part;
  input->application_id = "application_" + std::string(fields[first]) + "_" + std::string(fields[first + 1]);
  return true;
}

// Parses a pod created by Spark: NAME-HASH-driver, NAME-HASH-exec-N; its folder is NAMESPACE_POD_UID.
void Pod(std::string_view part, Input* input) {
  // Container folder below the pod's folder.
  if (part == "spark-kubernetes-driver" || part == "spark-kubernetes-executor") return;
  const std::vector<std::string_view> fields = Split(part, '_');
  const std::string_view pod = fields.size() == 3 && fields[2].size() >= 32 ? fields[1] : part;
  const size_t executor = pod.rfind("-exec-");
  if (executor != std::string_view::npos && IsDigits(pod.substr(executor + 6))) {
    input->executor = pod.substr(executor + 6);
    input->container = pod;
  } else if (pod.ends_with("-driver")) {
    input->executor = "driver";
    input->container = pod;
  }
}

}  // namespace

std::string_view StreamName(std::string_view file_name) {
  for (const std::string_view suffix : {".inprogress", ".gz", ".zst", ".zstd", ".lz4", ".snappy", ".lzf"}) {
    if (file_name.ends_with(suffix)) file_name.remove_suffix(suffix.size());
  }
  const size_t end = file_name.find_first_of(".-");
  if (end == std::string_view::npos || end == 0) return file_name;
  const std::string_view name = file_name.substr(0, end);
  return IsDigits(name) ? std::string_view() : name;
}

void AddPathHints(std::string_view path, Input* input) {
  const std::vector<std::string_view> parts = Parts(path);
  if (parts.empty()) return;
  input->stream = StreamName(parts.back());
  for (size_t position = 0; position + 1 < parts.size(); ++position) {
    const std::string_view part = parts[position];
    const std::string_view next = parts[position + 1];
    const bool next_is_folder = position + 2 < parts.size();
    if (YarnContainer(part, input)) continue;
    if (const std::string_view application = YarnApplication(part); !application.empty()) {
      input->application_id = application;
    } else if (part == "SPARK_DRIVER") {  // EMR Serverless: applications/ID/jobs/RUN/SPARK_DRIVER/stdout.gz
      input->executor = "driver";
    } else if (part == "SPARK_EXECUTOR" && next_is_folder) {
      input->executor = next;
    } else if (part == "jobs" && next_is_folder && position + 3 < parts.size() &&
               parts[position + 2].starts_with("SPARK_")) {
      input->application_id = next;
    } else if (part == "driver" && input->executor.empty()) {  // Databricks: CLUSTER/driver/stdout
      input->executor = "driver";
    } else if (part.starts_with("app-") && next_is_folder &&
               IsDigits(next)) {  // standalone, Databricks: app-…/3/stderr
      input->application_id = part;
      input->executor = next;
    } else if (part.starts_with("driver-") &&
               IsDigits(part.substr(7, 14))) {  // standalone cluster mode: driver-…/stderr
      input->executor = "driver";
    } else {
      Pod(part, input);
    }
  }
  // A file name from `kubectl logs POD > POD.log`.
  if (input->container.empty()) Pod(parts.back().substr(0, parts.back().find('.')), input);
}

}  // namespace sparkprof
