// SPDX-License-Identifier: Apache-2.0
#include "formats/json/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "formats/json/json_damage.h"

namespace sparkprof {
namespace {

// Whether `text` is an array that lacks nothing but its "]", perhaps after a comma.
bool IsOpenArray(std::string_view text, std::string_view closed) {
  std::string_view body = Trim(text);
  if (body.ends_with(',')) body.remove_suffix(1);
  return body.starts_with('[') && Trim(body).size() + 1 == Trim(closed).size() && closed.ends_with(']');
}

}  // namespace

Result<void> JsonDocument::Read(ByteSource* source, const Options& options, ProfileBuilder* builder) {
  std::optional<Error> damage;
  const std::string bytes = ReadUpTo(source, kMaxJsonSize, &damage);
  if (damage) {
    if (Result<void> kept = builder->Damaged(damage->message); !kept) return kept;
  }
  const auto parse = [&](const std::string& text) { return parser_.Parse(text, options.max_depth).get(root_); };
  simdjson::error_code error = parse(bytes);
  if (error == simdjson::SUCCESS) return {};
  is_cut_ = true;
  // Damage that only the parser reports (numbers that are too large) has no position.
  const size_t found = FindJsonDamage(bytes);
  const size_t offset = found == std::string::npos ? 0 : found;
  const std::string what =
      bytes.size() == kMaxJsonSize && offset == bytes.size()
          ? fmt::format("offset {}: expected at most {} MiB of {}", offset, kMaxJsonSize >> 20, options.format)
          : fmt::format("offset {}: expected {}, found {}", offset, options.format,
                        offset == bytes.size() ? std::string_view("its end") : simdjson::error_message(error));
  const std::string closed = CloseJson(std::string_view(bytes).substr(0, offset));
  const bool is_whole = options.may_end_in_array && offset == bytes.size() && IsOpenArray(bytes, closed);
  if (!is_whole) {
    if (Result<void> kept = builder->Damaged(what); !kept) return kept;
  }
  error = parse(closed);
  if (error != simdjson::SUCCESS) return Fail(fmt::format("{}: {}", builder->options().name, what));
  return {};
}

}  // namespace sparkprof
