// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/exception.hpp>
#include <string_view>

namespace sparkprof {

// The unexpected content in place of a field: protozero's own texts name its classes.
inline std::string_view FoundInstead(const protozero::exception& error) {
  const bool is_cut = dynamic_cast<const protozero::end_of_buffer_exception*>(&error) != nullptr;
  return is_cut ? "the end of the data" : "damaged data or another format";
}

}  // namespace sparkprof
