// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// The secrets of the text as it is and of what it decodes to, by where they begin. They may overlap.
std::vector<Range> FindSecrets(std::string_view text);

}  // namespace sparkprof::redaction
