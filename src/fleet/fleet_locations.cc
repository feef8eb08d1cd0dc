// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "fleet/fleet_result.h"

namespace sparkprof {
namespace {

std::string PathOf(const std::string& output) { return output + "/_sparkprof/locations.jsonl"; }

std::string WholeLocation(const std::string& location) {
  if (location.find("://") != std::string::npos) return location;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(location, error);
  return error ? location : whole.lexically_normal().string();
}

}  // namespace

Result<void> AddFleetLocations(const std::string& output, const std::vector<std::string>& locations) {
  std::vector<std::string> known = FleetLocations(output);
  std::string lines;
  for (const std::string& location : locations) {
    std::string whole = WholeLocation(location);
    if (std::find(known.begin(), known.end(), whole) != known.end()) continue;
    JsonWriter json;
    json.Value(whole);
    lines += json.Take() + "\n";
    known.push_back(std::move(whole));
  }
  if (lines.empty()) return {};
  const std::string path = PathOf(output);
  // The process may have been killed while writing a line.
  if (const Result<std::string> text = ReadFile(path); text && !text->empty() && !text->ends_with('\n'))
    lines.insert(0, "\n");
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  return WriteAll(file.Get(), lines, path);
}

std::vector<std::string> FleetLocations(const std::string& output) {
  std::vector<std::string> locations;
  const Result<std::string> text = ReadFile(PathOf(output));
  if (!text) return locations;
  std::string_view lines = *text;
  simdjson::dom::parser parser;
  while (!lines.empty()) {
    const simdjson::padded_string line(TakeLine(&lines));
    std::string_view location;
    if (parser.parse(line).get_string().get(location) == simdjson::SUCCESS) locations.emplace_back(location);
  }
  return locations;
}

}  // namespace sparkprof
