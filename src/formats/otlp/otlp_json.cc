// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string_view>

#include "base/text/characters.h"
#include "formats/otlp/otlp_messages.h"

namespace sparkprof {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

enum class Kind : uint8_t { kMessage, kString, kVarint, kFixed64 };

// A field of a message, numbered as in opentelemetry-proto's profiles.proto.
struct Field {
  std::string_view name;  // in lower case, without "_"
  uint32_t number = 0;
  Kind kind = Kind::kVarint;
  std::span<const Field> message = {};
};

constexpr Field kValueType[] = {{"typestrindex", 1}, {"unitstrindex", 2}};
constexpr Field kSample[] = {
    {"stackindex", 1}, {"attributeindices", 2}, {"values", 4}, {"timestampsunixnano", 5, Kind::kFixed64}};
constexpr Field kProfile[] = {
    {"sampletype", 1, Kind::kMessage, kValueType},
    {"samples", 2, Kind::kMessage, kSample},
    {"sample", 2, Kind::kMessage, kSample},  // until 1.8
    {"timeunixnano", 3, Kind::kFixed64},
    {"periodtype", 5, Kind::kMessage, kValueType},
    {"period", 6},
};
constexpr Field kScopeProfiles[] = {{"profiles", 2, Kind::kMessage, kProfile}};
constexpr Field kAnyValue[] = {{"stringvalue", 1, Kind::kString}, {"intvalue", 3}, {"stringvaluestrindex", 8}};
constexpr Field kResourceAttribute[] = {
    {"key", 1, Kind::kString}, {"value", 2, Kind::kMessage, kAnyValue}, {"keystrindex", 3}};
constexpr Field kResource[] = {{"attributes", 1, Kind::kMessage, kResourceAttribute}};
constexpr Field kResourceProfiles[] = {{"resource", 1, Kind::kMessage, kResource},
                                       {"scopeprofiles", 2, Kind::kMessage, kScopeProfiles}};
constexpr Field kMapping[] = {{"filenamestrindex", 4}};
constexpr Field kLine[] = {{"functionindex", 1}, {"line", 2}};
constexpr Field kLocation[] = {
    {"mappingindex", 1},
    {"address", 2},
    {"lines", 3, Kind::kMessage, kLine},
    {"line", 3, Kind::kMessage, kLine},  // until 1.8
    {"attributeindices", 4},
};
constexpr Field kFunction[] = {{"namestrindex", 1}, {"filenamestrindex", 3}};
constexpr Field kAttribute[] = {{"keystrindex", 1}, {"value", 2, Kind::kMessage, kAnyValue}};
constexpr Field kStack[] = {{"locationindices", 1}};
constexpr Field kDictionary[] = {
    {"mappingtable", 1, Kind::kMessage, kMapping},     {"locationtable", 2, Kind::kMessage, kLocation},
    {"functiontable", 3, Kind::kMessage, kFunction},   {"stringtable", 5, Kind::kString},
    {"attributetable", 6, Kind::kMessage, kAttribute}, {"stacktable", 7, Kind::kMessage, kStack},
};
constexpr Field kProfilesData[] = {{"resourceprofiles", 1, Kind::kMessage, kResourceProfiles},
                                   {"dictionary", 2, Kind::kMessage, kDictionary}};

// Whether a member is `name`, written as resourceProfiles or resource_profiles.
bool IsNamed(std::string_view member, std::string_view name) {
  size_t matched = 0;
  for (const char c : member) {
    if (c == '_') continue;
    const char lower = IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    if (matched == name.size() || name[matched] != lower) return false;
    ++matched;
  }
  return matched == name.size();
}

// An integer, also as text; 0 for anything else.
uint64_t NumberOf(const element& value) {
  int64_t integer = 0;
  uint64_t natural = 0;
  std::string_view text;
  if (value.get(integer) == simdjson::SUCCESS) return static_cast<uint64_t>(integer);
  if (value.get(natural) == simdjson::SUCCESS) return natural;
  if (value.get(text) != simdjson::SUCCESS) return 0;
  const char* const end = text.data() + text.size();
  if (text.starts_with('-')) {
    return std::from_chars(text.data(), end, integer).ptr == end ? static_cast<uint64_t>(integer) : 0;
  }
  return std::from_chars(text.data(), end, natural).ptr == end ? natural : 0;
}

void AddMembers(const object& from, std::span<const Field> fields, protozero::pbf_writer* to);

void AddValue(const element& value, const Field& field, protozero::pbf_writer* to) {
  switch (field.kind) {
    case Kind::kMessage: {
      object members;
      const bool is_object = value.get(members) == simdjson::SUCCESS;
      // Not as a nested writer, which leaves out empty messages: they are rows of tables.
      std::string bytes;
      protozero::pbf_writer message(bytes);
      if (is_object) AddMembers(members, field.message, &message);
      to->add_message(field.number, bytes);
      return;
    }
    case Kind::kString: {
      std::string_view text;
      if (value.get(text) != simdjson::SUCCESS) text = {};
      to->add_string(field.number, text.data(), text.size());
      return;
    }
    case Kind::kVarint:
      to->add_uint64(field.number, NumberOf(value));
      return;
    case Kind::kFixed64:
      to->add_fixed64(field.number, NumberOf(value));
      return;
  }
}

void AddMembers(const object& from, std::span<const Field> fields, protozero::pbf_writer* to) {
  for (const auto& [name, value] : from) {
    for (const Field& field : fields) {
      if (!IsNamed(name, field.name)) continue;
      simdjson::dom::array values;
      if (value.get(values) == simdjson::SUCCESS) {
        for (const element one : values) AddValue(one, field, to);
      } else if (!value.is_null()) {
        AddValue(value, field, to);
      }
      break;
    }
  }
}

}  // namespace

std::string OtlpMessageOfJson(const object& profiles) {
  std::string message;
  protozero::pbf_writer writer(message);
  AddMembers(profiles, kProfilesData, &writer);
  return message;
}

}  // namespace sparkprof
