// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/message_reader.h"

namespace sparkprof {

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

}  // namespace sparkprof
