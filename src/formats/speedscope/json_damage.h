// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparkprof {

// The offset of the first byte of `text` that cannot stand there in a JSON document (RFC 8259, UTF-8), text.size()
// where it is cut, npos where nothing is wrong.
size_t FindJsonDamage(std::string_view text);

// JSON that is cut, up to its last whole value, with all that is open there closed.
std::string CloseJson(std::string_view text);

}  // namespace sparkprof
