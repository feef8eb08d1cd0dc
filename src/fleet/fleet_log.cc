// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_log.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/time.h"
#include "inputs/inputs.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

std::string_view FileNameIn(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view FolderIn(std::string_view path) { return path.substr(0, std::min(path.rfind('/'), path.size())); }

// Files that Spark, Hadoop and sparkprof keep beside event logs.
bool IsBesideLogs(std::string_view root, std::string_view name) {
  name.remove_prefix(std::min(root.size(), name.size()));
  if (name.find("/.") != std::string_view::npos || name.find("/_") != std::string_view::npos) return true;
  return LongestEnding(name, ".sprof .sprof.tmp .parquet .crc -checksum") > 0;
}

// Sorts the better one of two logs of an attempt first.
bool IsBetter(const FleetLog& a, const FleetLog& b) {
  return std::tuple(a.in_progress, -a.Bytes(), a.source) < std::tuple(b.in_progress, -b.Bytes(), b.source);
}

std::vector<FleetLog> DropDuplicates(std::vector<FleetLog> logs) {
  std::sort(logs.begin(), logs.end(), IsBetter);
  std::set<std::tuple<std::string, std::string, std::string>> known;  // folder, ID, attempt
  std::erase_if(logs, [&](const FleetLog& log) {
    return !log.id.empty() && !known.emplace(FolderIn(log.source), log.id, log.attempt).second;
  });
  return logs;
}

}  // namespace

int64_t FleetLog::Bytes() const {
  int64_t bytes = 0;
  for (const StoredFile& file : files) bytes += file.size;
  return bytes;
}

int64_t FleetLog::ModifiedNs() const {
  int64_t modified_ns = 0;
  for (const StoredFile& file : files) modified_ns = std::max(modified_ns, file.modified_ns);
  return modified_ns;
}

std::string FleetLog::Version() const {
  std::string text = in_progress ? "in progress\n" : "";
  for (const StoredFile& file : files)
    text += fmt::format("{} {} {}\n", file.size, file.modified_ns / kNanosPerMilli, file.name);
  return fmt::format("{:016x}", HashBytes(text));
}

std::string FormatFleetLog(const FleetLog& log) {
  JsonWriter json;
  json.BeginObject().Member("source", log.source).Member("root", log.root).Member("inProgress", log.in_progress);
  json.Member("id", log.id).Member("attempt", log.attempt).Key("files").BeginArray();
  for (const StoredFile& file : log.files) {
    json.BeginObject().Member("name", file.name).Member("size", file.size).Member("modifiedNs", file.modified_ns);
    json.EndObject();
  }
  return json.EndArray().EndObject().Take();
}

Result<FleetLog> ParseFleetLog(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  FleetLog log;
  std::string_view source, root, id, attempt;
  simdjson::dom::array files;
  const bool is_valid = parser.parse(line.data(), line.size()).get_object().get(object) == simdjson::SUCCESS &&
                        object["source"].get_string().get(source) == simdjson::SUCCESS &&
                        object["root"].get_string().get(root) == simdjson::SUCCESS &&
                        object["inProgress"].get_bool().get(log.in_progress) == simdjson::SUCCESS &&
                        object["id"].get_string().get(id) == simdjson::SUCCESS &&
                        object["attempt"].get_string().get(attempt) == simdjson::SUCCESS &&
                        object["files"].get_array().get(files) == simdjson::SUCCESS;
  if (!is_valid) return Fail(fmt::format("not the description of an event log: {}", Shorten(line, 100)));
  log.source = source, log.root = root, log.id = id, log.attempt = attempt;
  for (const simdjson::dom::element file : files) {
    StoredFile& stored = log.files.emplace_back();
    std::string_view name;
    const bool is_file = file["name"].get_string().get(name) == simdjson::SUCCESS &&
                         file["size"].get_int64().get(stored.size) == simdjson::SUCCESS &&
                         file["modifiedNs"].get_int64().get(stored.modified_ns) == simdjson::SUCCESS;
    if (!is_file) return Fail(fmt::format("{}: a file without name, size or time", log.source));
    stored.name = name;
  }
  if (log.files.empty()) return Fail(fmt::format("{}: no files", log.source));
  return log;
}

std::vector<FleetLog> GroupFleetLogs(const std::string& root, const StorageListing& listing, const FindStart& find) {
  std::unordered_map<std::string_view, const StoredFile*> files;
  std::set<std::string_view> in_progress;  // folders, by their status files
  std::vector<Input> inputs;
  for (const StoredFile& file : listing.files) {
    if (IsBesideLogs(root, file.name)) continue;
    const EventLogFileName name = ParseEventLogFileName(FileNameIn(file.name));
    if (name.form == EventLogFileName::Form::kStatus && file.size == 0) {
      if (name.in_progress) in_progress.insert(FolderIn(file.name));
      continue;
    }
    files[file.name] = &file;
    Input& input = inputs.emplace_back();
    input.path = file.name;
    input.kind = InputKind::kEventLog;
    input.parts.push_back({file.name, nullptr});
    if (!IsApplicationInContent(file.name)) continue;
    ApplicationStart start = find(file);
    if (start.state != ApplicationStart::State::kBegins) continue;
    input.begins_application = true;
    input.application_id = std::move(start.id);
    input.attempt = std::move(start.attempt);
  }
  std::vector<std::string> notes;  // replaced files need no notice
  GroupEventLogs(&inputs, &notes);
  std::vector<FleetLog> logs;
  for (const Input& input : inputs) {
    FleetLog& log = logs.emplace_back();
    log.source = input.path;
    log.root = root;
    for (const InputPart& part : input.parts) log.files.push_back(*files.at(part.path));
    const EventLogFileName name = ParseEventLogFileName(FileNameIn(log.files.front().name));
    log.in_progress = input.in_progress || name.in_progress || in_progress.contains(FolderIn(log.files.front().name));
    log.id = input.application_id.empty() ? name.application_id : input.application_id;
    log.attempt = input.application_id.empty() ? name.attempt : input.attempt;
  }
  return DropDuplicates(std::move(logs));
}

}  // namespace sparkprof
