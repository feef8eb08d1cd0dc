// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/otlp_messages.h"

#include <algorithm>
#include <protozero/varint.hpp>

#include "formats/json/json_document.h"
#include "model/segment/message_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kPrefixSize = 4;
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

bool IsMessage(const MessageReader& field) { return field.wire_type() == protozero::pbf_wire_type::length_delimited; }

// Whether the fields of a message are those of a dictionary, or those of what profiles and their resource are in.
// Tables and profiles come in any order, and the head may end within any of them.
template <typename IsField>
bool HasOnly(MessageReader message, IsField&& is_field) {
  try {
    while (message.next()) {
      if (!is_field(message)) return false;
    }
  } catch (const protozero::exception&) {
    return false;
  }
  return true;
}

// The part of a field that is within the head.
MessageReader Start(std::string_view bytes, size_t size) {
  return MessageReader{protozero::data_view(bytes.data(), std::min(bytes.size(), size))};
}

// A row of one of the dictionary's tables.
bool IsRow(MessageReader& field) {
  if (field.tag() < 1 || field.tag() > 7 || !IsMessage(field)) return false;
  if (field.tag() == 5) {
    field.skip();
    return true;
  }
  constexpr uint32_t kLargestTag[] = {0, 10, 5, 6, 3, 0, 3, 1};
  const uint32_t largest = kLargestTag[field.tag()];
  return HasOnly(field.get_message(), [&](MessageReader& part) {
    if (part.tag() < 1 || part.tag() > largest) return false;
    part.skip();
    return true;
  });
}

// A resource, the profiles of a scope, or the URL of a schema.
bool IsResourceField(MessageReader& field) {
  if (field.tag() > 3 || !IsMessage(field)) return false;
  if (field.tag() == 3) {
    field.skip();
    return true;
  }
  const bool is_scope = field.tag() == 2;
  return HasOnly(field.get_message(), [&](MessageReader& part) {
    if (part.tag() < 1 || part.tag() > 3 || (is_scope && !IsMessage(part))) return false;
    part.skip();
    return true;
  });
}

// Whether `head` starts with the first fields of a message; true as well if it ends within the first.
bool IsProfilesData(std::string_view head) {
  std::string_view rest = head;
  while (!rest.empty()) {
    const auto tag = static_cast<unsigned char>(rest.front());
    if (tag != 0x0A && tag != 0x12) return false;
    const char* at = rest.data() + 1;
    uint64_t size = 0;
    try {
      size = protozero::decode_varint(&at, rest.data() + rest.size());
    } catch (const protozero::exception&) {
      return false;
    }
    rest.remove_prefix(static_cast<size_t>(at - rest.data()));
    if (size == 0) continue;
    const bool is_cut = size > rest.size();
    MessageReader message = Start(rest, size);
    try {
      bool any = false;
      while (message.next()) {
        if (tag == 0x12 ? !IsRow(message) : !IsResourceField(message)) return false;
        any = true;
      }
      return any;
    } catch (const protozero::end_of_buffer_exception&) {
      // Only the end of the head may be within a field.
      return is_cut;
    } catch (const protozero::exception&) {
      return false;
    }
  }
  return false;
}

std::optional<size_t> TakeSize(OtlpFraming framing, std::string_view* rest) {
  if (framing == OtlpFraming::kLengthPrefixed) {
    if (rest->size() < kPrefixSize) return std::nullopt;
    size_t size = 0;
    for (size_t i = 0; i < kPrefixSize; ++i) size = size << 8 | static_cast<unsigned char>((*rest)[i]);
    rest->remove_prefix(kPrefixSize);
    return size;
  }
  const char* at = rest->data();
  try {
    const uint64_t size = protozero::decode_varint(&at, rest->data() + rest->size());
    rest->remove_prefix(static_cast<size_t>(at - rest->data()));
    return size;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

bool IsJsonProfiles(std::string_view head) {
  const JsonOutline outline(head);
  if (!outline.IsObject()) return false;
  for (const char* member :
       {"resourceProfiles", "resource_profiles", "dictionary.stringTable", "dictionary.string_table",
        "dictionary.stackTable", "dictionary.stack_table", "dictionary.locationTable", "dictionary.location_table",
        "dictionary.mappingTable", "dictionary.mapping_table"}) {
    if (outline.Has(member)) return true;
  }
  return false;
}

}  // namespace

std::optional<OtlpFraming> OtlpFramingOf(std::string_view head) {
  if (IsJsonProfiles(head)) return OtlpFraming::kJson;
  // Text may start with these bytes by chance.
  const std::string_view begin = head.substr(0, 256);
  const auto is_binary = [](char c) { return static_cast<unsigned char>(c) >= 0x7F || (c >= 0 && c < '\t'); };
  if (std::none_of(begin.begin(), begin.end(), is_binary)) return std::nullopt;
  if (IsProfilesData(head)) return OtlpFraming::kMessage;
  for (const OtlpFraming framing : {OtlpFraming::kLengthPrefixed, OtlpFraming::kVarintDelimited}) {
    std::string_view rest = head;
    const std::optional<size_t> size = TakeSize(framing, &rest);
    if (!size || *size == 0) continue;
    const std::string_view message = rest.substr(0, *size);
    if (IsProfilesData(message) ||
        (framing == OtlpFraming::kLengthPrefixed && (message.starts_with(kZstdMagic) || IsJsonProfiles(message)))) {
      return framing;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> TakeOtlpMessage(OtlpFraming framing, std::string_view* rest) {
  if (rest->empty()) return std::nullopt;
  std::string_view behind = *rest;
  const std::optional<size_t> size = TakeSize(framing, &behind);
  if (!size || *size > behind.size()) return std::nullopt;
  const std::string_view message = behind.substr(0, *size);
  *rest = behind.substr(*size);
  return message;
}

}  // namespace sparkprof
