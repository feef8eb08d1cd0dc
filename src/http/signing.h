// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// SHA-256 in hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// HMAC-SHA-256 (RFC 2104): 32 bytes.
std::string HmacSha256(std::string_view key, std::string_view bytes);

std::string ToHex(std::string_view bytes);

}  // namespace sparkprof
