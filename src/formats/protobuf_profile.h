// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <protozero/exception.hpp>
#include <string_view>

#include "model/samples/profile_builder.h"
#include "model/segment/message_reader.h"

namespace sparkprof {

// Parts that the readers of pprof and OTLP share.

// Calls on_field(message) for each field; it reads or skips it.
template <typename OnField>
void ForEachField(MessageReader message, OnField&& on_field) {
  while (message.next()) on_field(message);
}

// Calls add(number) for each number of a repeated field, which is packed or not.
template <typename Add>
void ReadNumbers(MessageReader* message, Add&& add) {
  if (message->wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const uint64_t number : message->get_packed_uint64()) add(number);
  } else {
    add(message->get_uint64());
  }
}

// Reads fields of a message that are integers, the last of each number; the others are skipped.
struct IntegerField {
  uint32_t tag;
  uint64_t* value;
};
inline void ReadIntegers(MessageReader message, std::initializer_list<IntegerField> integers) {
  ForEachField(message, [&](MessageReader& field) {
    const auto* const known =
        std::find_if(integers.begin(), integers.end(), [&](const auto& integer) { return integer.tag == field.tag(); });
    if (known == integers.end()) {
      field.skip();
    } else {
      *known->value = field.get_uint64();
    }
  });
}

// The unexpected content in place of a field: protozero's own texts name its classes.
inline std::string_view FoundInstead(const protozero::exception& error) {
  const bool is_cut = dynamic_cast<const protozero::end_of_buffer_exception*>(&error) != nullptr;
  return is_cut ? "the end of the data" : "damaged data or another format";
}

// The frame of an address without symbol in the mapped `file` ("" = unknown): "libc.so.6+0x7f12", as addresses of pprof
// are those of the process.
inline FrameId AddAddressFrame(std::string_view file, uint64_t address, ProfileBuilder* builder) {
  return builder->AddFrame(
      file.empty() ? fmt::format("{:#x}", address) : fmt::format("{}+{:#x}", file.substr(file.rfind('/') + 1), address),
      FrameKind::kNative);
}

// How many frames the stacks of an input may have together. Where stacks refer to locations and these to many lines of
// inlined calls, a few bytes repeat millions of frames.
class FrameAllowance {
 public:
  explicit FrameAllowance(size_t input_bytes) : most_(kLeast + kOfByte * input_bytes) {}

  // Whether a stack may have `count` more.
  bool Take(size_t count) {
    used_ += count;
    return used_ <= most_;
  }

  // Fails if more were taken than there are.
  Result<void> Check(ProfileBuilder* builder) const {
    if (used_ <= most_) return {};
    return builder->TooLarge(fmt::format("its stacks have more than {} frames", most_));
  }

 private:
  // A reference takes a byte or more; real locations have one to ten lines.
  static constexpr uint64_t kOfByte = 64;
  static constexpr uint64_t kLeast = 1'000'000;

  const uint64_t most_;
  uint64_t used_ = 0;
};

}  // namespace sparkprof
