// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/text/json_parser.h"

namespace sparkprof {

// The member at a path of keys below `parent`; nullopt if it is missing or null.
inline std::optional<simdjson::dom::element> Member(simdjson::dom::element parent,
                                                    std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    simdjson::dom::element value;
    if (parent[key].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    parent = value;
  }
  return parent;
}

// The member's text; empty if it is not a text.
inline std::string_view MemberText(simdjson::dom::element parent, std::initializer_list<std::string_view> keys) {
  const std::optional<simdjson::dom::element> value = Member(parent, keys);
  return value ? TextOf(*value) : std::string_view();
}

}  // namespace sparkprof
