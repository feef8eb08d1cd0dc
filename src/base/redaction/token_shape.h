// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Secrets recognized by their form. Each function returns the next position to search.

// Redacts ghp_… and other prefixes of [token].
size_t RedactPrefixed(ScannedText* scan, size_t at, const TokenRule& rule);

// Redacts eyJ….eyJ….… (JSON Web Tokens).
size_t RedactWebToken(ScannedText* scan, size_t at);

// Redacts Bearer X and Basic X: text with the form of a token, and base64 of USER:PASSWORD. `behind` is the position
// after the scheme.
size_t RedactCredentials(ScannedText* scan, size_t at, size_t behind, bool is_bearer);

}  // namespace sparkprof::redaction
