// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Secrets by their shape. Each returns where to go on.

// ghp_… and the other beginnings of [token].
size_t RedactPrefixed(ScannedText* scan, size_t at, const TokenRule& rule);

// eyJ….eyJ….…
size_t RedactWebToken(ScannedText* scan, size_t at);

// Bearer X, Basic X: what looks like a token, and base64 of USER:PASSWORD. `behind` lies behind the scheme.
size_t RedactCredentials(ScannedText* scan, size_t at, size_t behind, bool is_bearer);

}  // namespace sparkprof::redaction
