// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace sparkprof {

struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // without the brackets of an IPv6 address
  uint16_t port = 0;
  std::string target;  // path and query, starts with '/'

  // For the Host header: without the scheme's own port.
  std::string Authority() const;
};

// Fails for other schemes than http and https, and for user names and passwords, which do not belong in a URL.
Result<Url> ParseUrl(std::string_view text);

// Everything but letters, digits and -._~ as %XX (RFC 3986).
std::string PercentEncode(std::string_view text);
// Fails if a % is not followed by two hexadecimal digits. `plus_is_blank`: as in a query.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_blank = false);

// Sets segments and parameters of a request from its target, "/groups/a%2Fb/flame?event=cpu". Fails if it does not
// start with '/', or if an escape or a segment is invalid: empty ones, ".", "..", or with a NUL.
Result<void> ParseTarget(std::string_view target, HttpRequest* request);

// "127.0.0.1:8320", "[::1]:8320", ":8320" (all addresses) or "8320" as host and port.
struct ListenAddress {
  std::string host;  // an IP address
  uint16_t port = 0;
  bool IsLoopback() const;
};
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace sparkprof
