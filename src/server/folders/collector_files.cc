// SPDX-License-Identifier: Apache-2.0
#include "server/folders/collector_files.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "base/text/text.h"
#include "http/signing.h"
#include "http/url.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

// Folder names may contain line ends.
std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '\n' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? 'n' : c;
  }
  return escaped;
}

std::string Unescaped(std::string_view escaped) {
  std::string name;
  for (size_t at = 0; at < escaped.size(); ++at) {
    const bool is_escaped = escaped[at] == '\\' && at + 1 < escaped.size();
    if (is_escaped) ++at;
    name += is_escaped && escaped[at] == 'n' ? '\n' : escaped[at];
  }
  return name;
}

constexpr size_t kDigits = 16;

std::string Ending(std::string_view text) { return fmt::format(",\"sum\":\"{:016x}\"}}", HashBytes(text)); }

// Length of the checksum member at the end of a line, valid or not; 0 = none.
size_t EndingSize(std::string_view line) {
  constexpr std::string_view kBegin = ",\"sum\":\"", kEnd = "\"}";
  constexpr size_t kSize = kBegin.size() + kDigits + kEnd.size();
  if (line.size() < kSize || !line.ends_with(kEnd)) return 0;
  return line.substr(line.size() - kSize).starts_with(kBegin) ? kSize : 0;
}

bool IsObject(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return parser.parse(simdjson::padded_string(line)).get_object().get(object) == simdjson::SUCCESS;
}

constexpr size_t kMaxNameBytes = 100;

std::string EncodedName(std::string_view text) {
  std::string name = PercentEncode(text);
  if (name.starts_with('.')) name.replace(0, 1, "%2E");
  return name;
}

}  // namespace

std::string FileNameFor(std::string_view text) {
  std::string name = EncodedName(text);
  if (name.size() <= kMaxNameBytes) return name;
  // Percent-encoded text never contains '+'.
  return fmt::format("{}+{}", name.substr(0, kMaxNameBytes), Sha256Hex(text));
}

std::string OldFileNameFor(std::string_view text) {
  std::string name = EncodedName(text);
  if (name.size() <= kMaxNameBytes) return name;
  return fmt::format("{}+{:016x}", name.substr(0, kMaxNameBytes), HashBytes(text));
}

std::string FindFile(const std::string& folder, std::string_view text, std::string_view ending) {
  std::string path = fmt::format("{}/{}{}", folder, FileNameFor(text), ending);
  std::string old = fmt::format("{}/{}{}", folder, OldFileNameFor(text), ending);
  std::error_code error;
  return !std::filesystem::exists(path, error) && std::filesystem::exists(old, error) ? old : path;
}

std::string GroupKey(std::string_view tenant, std::string_view group) {
  if (tenant.empty() && !group.starts_with('\n')) return std::string(group);
  return fmt::format("\n{}\n{}", tenant, group);
}

std::string FormatFileLine(const StoredFile& file) {
  return fmt::format("{} {} {}", file.size, file.modified_ns, Escaped(file.name));
}

std::optional<StoredFile> ParseFileLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> size = ParseInteger(line.substr(0, first));
  const std::optional<int64_t> modified = ParseInteger(line.substr(first + 1, second - first - 1));
  if (!size || !modified) return std::nullopt;
  return StoredFile{Unescaped(line.substr(second + 1)), *size, *modified};
}

std::string WithChecksum(std::string_view object) {
  object.remove_suffix(1);
  return std::string(object) + Ending(object);
}

CheckedLines ReadCheckedLines(std::string_view content) {
  CheckedLines checked;
  if (!content.empty() && !content.ends_with('\n')) {
    ++checked.damaged;
    content = content.substr(0, content.rfind('\n') + 1);
  }
  std::vector<std::string_view> lines = Split(content, '\n');
  std::erase_if(lines, [](std::string_view line) { return line.empty(); });
  checked.is_old = std::none_of(lines.begin(), lines.end(), [](std::string_view line) { return EndingSize(line) > 0; });
  for (const std::string_view line : lines) {
    const size_t ending = EndingSize(line);
    const std::string_view text = line.substr(0, line.size() - ending);
    const bool is_whole = ending > 0 ? line.substr(text.size()) == Ending(text) : checked.is_old;
    if (!is_whole || !IsObject(line)) {
      ++checked.damaged;
    } else {
      checked.lines.push_back(ending > 0 ? std::string(text) + "}" : std::string(line));
    }
  }
  return checked;
}

}  // namespace sparkprof
