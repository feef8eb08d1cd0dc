// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <type_traits>

namespace sparkprof {

// An untrusted protobuf message. protozero does not check a field's wire type: it asserts in debug builds and misreads
// in others. This reader throws a protozero::exception for a wrong wire type, as for other damage.
class MessageReader : public protozero::pbf_reader {
 public:
  using protozero::pbf_reader::pbf_reader;

  // protozero's own function reads a byte without a bounds check.
  bool get_bool() { return get_uint64() != 0; }
  int32_t get_int32() { return Checked(kVarint).pbf_reader::get_int32(); }
  int64_t get_int64() { return Checked(kVarint).pbf_reader::get_int64(); }
  uint32_t get_uint32() { return Checked(kVarint).pbf_reader::get_uint32(); }
  uint64_t get_uint64() { return Checked(kVarint).pbf_reader::get_uint64(); }
  uint64_t get_fixed64() { return Checked(kFixed64).pbf_reader::get_fixed64(); }
  double get_double() { return Checked(kFixed64).pbf_reader::get_double(); }

  protozero::data_view get_view() { return Checked(kLength).pbf_reader::get_view(); }
  std::string get_string() { return Checked(kLength).pbf_reader::get_string(); }
  std::string get_bytes() { return Checked(kLength).pbf_reader::get_bytes(); }
  MessageReader get_message() { return MessageReader{get_view()}; }
  auto get_packed_int64() { return Checked(kLength).pbf_reader::get_packed_int64(); }
  auto get_packed_sint64() { return Checked(kLength).pbf_reader::get_packed_sint64(); }
  auto get_packed_uint64() { return Checked(kLength).pbf_reader::get_packed_uint64(); }
  auto get_packed_fixed64() { return Checked(kLength).pbf_reader::get_packed_fixed64(); }
  auto get_packed_double() { return Checked(kLength).pbf_reader::get_packed_double(); }

 private:
  static constexpr protozero::pbf_wire_type kVarint = protozero::pbf_wire_type::varint;
  static constexpr protozero::pbf_wire_type kFixed64 = protozero::pbf_wire_type::fixed64;
  static constexpr protozero::pbf_wire_type kLength = protozero::pbf_wire_type::length_delimited;

  MessageReader& Checked(protozero::pbf_wire_type expected) {
    if (wire_type() != expected) throw protozero::unknown_pbf_wire_type_exception{};
    return *this;
  }
};

// Reads the current field of a message whose fields are numbered from 1. `fields`: for each, a variable for its value
// or a function that reads it. Skips other fields.
template <typename... Fields>
void ReadField(MessageReader* message, Fields&&... fields) {
  const auto read = [message](auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, std::string>) {
      field = message->get_string();
    } else if constexpr (std::is_same_v<Field, bool>) {
      field = message->get_bool();
    } else if constexpr (std::is_same_v<Field, int32_t>) {
      field = message->get_int32();
    } else if constexpr (std::is_same_v<Field, int64_t>) {
      field = message->get_int64();
    } else if constexpr (std::is_same_v<Field, uint64_t>) {
      field = message->get_uint64();
    } else if constexpr (std::is_same_v<Field, double>) {
      field = message->get_double();
    } else {
      field();
    }
    return true;
  };
  const uint32_t tag = message->tag();
  uint32_t number = 0;
  if (!((tag == ++number && read(fields)) || ...)) message->skip();
}

// Reads all fields.
template <typename... Fields>
void ReadFields(MessageReader* message, Fields&&... fields) {
  while (message->next()) ReadField(message, fields...);
}

}  // namespace sparkprof
