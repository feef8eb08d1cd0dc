// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the secrets of the text itself and of its decoded forms, sorted by position. They may overlap.
std::vector<Range> FindSecrets(std::string_view text);

}  // namespace sparkprof::redaction
