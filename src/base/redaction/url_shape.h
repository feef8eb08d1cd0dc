// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Secrets in URLs and addresses. Each function returns the next position to search.

// Redacts scheme://user:PASSWORD@host up to the last @ of the URL, since passwords may contain it. A number after the
// first colon is a port. `begin` is the position after the slashes.
size_t RedactUrl(ScannedText* scan, size_t at, size_t begin);

// Redacts jdbc:oracle:thin:user/PASSWORD@host; `begin` is the position after the prefix's last colon.
size_t RedactOracle(ScannedText* scan, size_t begin);

// Redacts user:PASSWORD@host without a preceding scheme; `at` is the position of the @.
size_t RedactUserInfo(ScannedText* scan, size_t at);

// Redacts everything after the start of a webhook URL.
size_t RedactWebhook(ScannedText* scan, size_t begin);

}  // namespace sparkprof::redaction
