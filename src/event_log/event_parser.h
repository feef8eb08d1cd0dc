// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// Parses Spark's JSON events. Not thread-safe.
class EventParser {
 public:
  // The object of an event, valid until the next call; nothing if it is not JSON. `readable` bytes can be read from the
  // event's start, because simdjson reads beyond its end. Text that is not UTF-8 is repaired.
  std::optional<simdjson::dom::object> Parse(std::string_view event, size_t readable);

 private:
  simdjson::error_code ParseCopy(std::string_view event, simdjson::dom::element* document);

  simdjson::dom::parser parser_;
  std::string padded_;
};

// The name of an event without the package that newer events have before it.
std::string_view EventName(const simdjson::dom::object& event);

}  // namespace sparkprof
