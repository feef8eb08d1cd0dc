// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparkprof {

// The offset of the first invalid byte of a JSON document (RFC 8259, UTF-8), text.size() if it is truncated, npos if it
// is valid.
size_t FindJsonDamage(std::string_view text);

// Closes truncated JSON after its last complete value.
std::string CloseJson(std::string_view text);

}  // namespace sparkprof
