// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_log.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "inputs/inputs.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

std::string_view FileNameIn(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view FolderIn(std::string_view path) { return path.substr(0, std::min(path.rfind('/'), path.size())); }

// Sorts the better of two logs of an attempt first.
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

std::vector<FleetLog> GroupFleetLogs(const std::string& root, const StorageListing& listing,
                                     const FindStartOfFile& find) {
  std::unordered_map<std::string_view, const StoredFile*> files;
  std::vector<ListedFile> listed;
  for (const StoredFile& file : listing.files) {
    files[file.name] = &file;
    listed.push_back({file.name, file.size});
  }
  std::vector<FleetLog> logs;
  for (const Input& input : EventLogsAmong(root, listed, find)) {
    FleetLog& log = logs.emplace_back();
    log.source = input.path;
    log.root = root;
    for (const InputPart& part : input.parts) log.files.push_back(*files.at(part.path));
    log.in_progress = input.in_progress;
    const EventLogFileName name = ParseEventLogFileName(FileNameIn(log.files.front().name));
    log.id = input.application_id.empty() ? name.application_id : input.application_id;
    log.attempt = input.application_id.empty() ? name.attempt : input.attempt;
  }
  return DropDuplicates(std::move(logs));
}

}  // namespace sparkprof
