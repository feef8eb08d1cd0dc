// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// SHA-256 in hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// HMAC-SHA-256 (RFC 2104): 32 bytes.
std::string HmacSha256(std::string_view key, std::string_view bytes);

// Signs `text` with an RSA key (PKCS #1 v1.5 with SHA-256), as RS256 in JSON Web Tokens. Fails if the key is not an RSA
// key in PEM.
Result<std::string> SignRsaSha256(const std::string& pem, std::string_view text);

std::string ToHex(std::string_view bytes);

// Compares in constant time for texts of equal length.
bool IsSameSecret(std::string_view a, std::string_view b);

// Request header that proves that recordings come from one source. The driver's plugin generates it per application, a
// command per call. It is never stored.
inline constexpr std::string_view kUploadSecretHeader = "sparkprof-upload-secret";
// 256 random bits in hexadecimal digits. Fails if the system has no random numbers.
Result<std::string> NewUploadSecret();

// base64url without padding (RFC 4648, section 5).
std::string Base64Url(std::string_view bytes);

}  // namespace sparkprof
