// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// Parser for Spark's JSON events. Not thread-safe.
class EventParser {
 public:
  // The object of an event, valid until the next call; nullopt if it is not JSON. `readable`: number of readable bytes
  // from the event's start on, because simdjson reads beyond its end. Repairs invalid UTF-8.
  std::optional<simdjson::dom::object> Parse(std::string_view event, size_t readable);

 private:
  simdjson::error_code ParseCopy(std::string_view event, simdjson::dom::element* document);

  simdjson::dom::parser parser_;
  std::string padded_;
};

// The name of an event without the package prefix of newer events.
std::string_view EventName(const simdjson::dom::object& event);

}  // namespace sparkprof
