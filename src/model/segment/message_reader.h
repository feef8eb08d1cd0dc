// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>

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

}  // namespace sparkprof
