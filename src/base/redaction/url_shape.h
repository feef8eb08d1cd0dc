// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Secrets by their place in a URL or an address. Each returns where to go on.

// scheme://user:PASSWORD@host: up to the last @ of the URL, as passwords may have one. A number behind the first colon
// is a port. `begin` lies behind the slashes.
size_t RedactUrl(ScannedText* scan, size_t at, size_t begin);

// jdbc:oracle:thin:user/PASSWORD@host; `begin` lies behind the last colon of the prefix.
size_t RedactOracle(ScannedText* scan, size_t begin);

// user:PASSWORD@host, without a scheme before it; `at` is the at sign.
size_t RedactUserInfo(ScannedText* scan, size_t at);

// Everything behind the beginning of a web hook's address.
size_t RedactWebhook(ScannedText* scan, size_t begin);

}  // namespace sparkprof::redaction
