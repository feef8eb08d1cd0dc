// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_parser.h"

#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {

std::optional<simdjson::dom::object> EventParser::Parse(std::string_view event, size_t readable) {
  simdjson::dom::element document;
  simdjson::error_code error = simdjson::SUCCESS;
  if (readable >= event.size() + simdjson::SIMDJSON_PADDING) {
    error = parser_.parse(event.data(), event.size(), false).get(document);
  } else {
    error = ParseCopy(event, &document);
  }
  if (error == simdjson::UTF8_ERROR) error = ParseCopy(ToUtf8(event), &document);
  simdjson::dom::object object;
  if (error != simdjson::SUCCESS || document.get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
  return object;
}

simdjson::error_code EventParser::ParseCopy(std::string_view event, simdjson::dom::element* document) {
  padded_.assign(event);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  return parser_.parse(padded_.data(), event.size(), false).get(*document);
}

std::string_view EventName(const simdjson::dom::object& event) {
  std::string_view name = TextAt(event, "Event");
  name.remove_prefix(name.rfind('.') + 1);
  return name;
}

}  // namespace sparkprof
