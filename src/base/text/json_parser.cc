// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_parser.h"

#include <algorithm>

#include "base/memory_limit.h"

namespace sparkprof {
namespace {

// Upper limit: a copy of the text, its strings, and for each value its positions and its words on the parser's tape.
size_t BytesNeeded(std::string_view text) {
  constexpr size_t kOfValue = 28;
  const auto starts_value = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
  const auto values = static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_value)) + 1;
  return 2 * text.size() + kOfValue * values;
}

}  // namespace

JsonParser::~JsonParser() {
  if (MemoryLimit* const limit = MemoryLimit::Current()) limit->Subtract(counted_bytes_);
  const MemoryLimit::Pause pause;
  parser_ = simdjson::dom::parser();
}

simdjson::simdjson_result<simdjson::dom::element> JsonParser::Parse(std::string_view text, size_t max_depth) {
  if (MemoryLimit* const limit = MemoryLimit::Current()) {
    const size_t needed = BytesNeeded(text);
    if (needed > counted_bytes_) {
      if (!limit->Allows(needed - counted_bytes_)) return simdjson::MEMALLOC;
      limit->Add(needed - counted_bytes_);
      counted_bytes_ = needed;
    }
  }
  const MemoryLimit::Pause pause;
  // The parser keeps some words for each possible level of nesting.
  const size_t size = std::max<size_t>(text.size(), 64);
  max_depth = std::min(max_depth, size);
  if (size > parser_.capacity() || max_depth > parser_.max_depth()) {
    const simdjson::error_code error = parser_.allocate(size, max_depth);
    if (error != simdjson::SUCCESS) return error;
  }
  return parser_.parse(text.data(), text.size());
}

}  // namespace sparkprof
