// SPDX-License-Identifier: Apache-2.0
#include "server/folders/checked_lines.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/text.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

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

}  // namespace

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
