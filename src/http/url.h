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
  std::string host;    // IPv6 addresses have no brackets
  uint16_t port = 0;
  std::string target;  // path and query, starts with '/'

  // Value for the Host header: without the scheme's default port.
  std::string Authority() const;
};

// Fails for schemes other than http and https, and for user names and passwords, which do not belong in a URL.
Result<Url> ParseUrl(std::string_view text);

// Encodes everything except letters, digits and -._~ as %XX (RFC 3986).
std::string PercentEncode(std::string_view text);
// Fails if a % is not followed by two hexadecimal digits. `plus_is_blank`: decode + as a space, as in a query.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_blank = false);

// Sets the segments and parameters of a request from its target, "/groups/a%2Fb/flame?event=cpu". Fails if it does not
// start with '/', or if an escape or segment is invalid: empty, ".", "..", or with a NUL.
Result<void> ParseTarget(std::string_view target, HttpRequest* request);

// Host and port of "127.0.0.1:8320", "[::1]:8320", ":8320" (all addresses) or "8320".
struct ListenAddress {
  std::string host;  // an IP address
  uint16_t port = 0;
  bool IsLoopback() const;
};
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace sparkprof
