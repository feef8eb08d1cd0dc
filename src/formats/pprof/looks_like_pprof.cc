// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>

#include "formats/readers.h"
#include "model/segment/message_reader.h"

namespace sparkprof {
namespace {

// The fields that a message may have.
struct KnownFields {
  std::initializer_list<uint32_t> numbers = {};
  std::initializer_list<uint32_t> numbers_or_packed = {};
  std::initializer_list<uint32_t> messages = {};
};

bool HasFields(MessageReader message, const KnownFields& known) {
  const auto has = [&](std::initializer_list<uint32_t> tags) {
    return std::find(tags.begin(), tags.end(), message.tag()) != tags.end();
  };
  while (message.next()) {
    const bool is_number = message.wire_type() == protozero::pbf_wire_type::varint;
    const bool is_message = message.wire_type() == protozero::pbf_wire_type::length_delimited;
    if (!(is_number && (has(known.numbers) || has(known.numbers_or_packed))) &&
        !(is_message && (has(known.numbers_or_packed) || has(known.messages)))) {
      return false;
    }
    message.skip();
  }
  return true;
}

// A short message of a name and a unit, rows of the strings.
bool IsValueType(MessageReader message) {
  constexpr size_t kLongest = 22;
  return message.length() >= 2 && message.length() <= kLongest && HasFields(message, {.numbers = {1, 2}});
}

}  // namespace

bool LooksLikePprof(std::string_view head) {
  // Fields come in any order; one that is a value type, or several of the tables, distinguish it from other messages.
  constexpr int kTablesToBeSure = 4;
  MessageReader message{protozero::data_view(head.data(), head.size())};
  int tables = 0;
  try {
    while (message.next()) {
      switch (message.tag()) {
        case 1:
        case 11:
          return IsValueType(message.get_message());
        case 2:
          if (!HasFields(message.get_message(), {.numbers_or_packed = {1, 2}, .messages = {3}})) return false;
          break;
        case 3:
          if (!HasFields(message.get_message(), {.numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}})) return false;
          ++tables;
          break;
        case 4:
          if (!HasFields(message.get_message(), {.numbers = {1, 2, 3, 5}, .messages = {4}})) return false;
          ++tables;
          break;
        case 5:
          if (!HasFields(message.get_message(), {.numbers = {1, 2, 3, 4, 5}})) return false;
          ++tables;
          break;
        case 6:
          message.get_view();
          break;
        case 13:
          message.skip();
          break;
        case 7:
        case 8:
        case 9:
        case 10:
        case 12:
        case 14:
        case 15:
          message.get_uint64();
          break;
        default:
          return false;
      }
    }
  } catch (const protozero::exception&) {
    // The head may end within a field.
  }
  return head.size() >= kFormatHeadSize && tables >= kTablesToBeSure;
}

}  // namespace sparkprof
