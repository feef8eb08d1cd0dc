// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// A valid file name for any text: percent-encoded, and shortened with a hash if it is too long. Distinct texts get
// distinct names.
std::string FileNameFor(std::string_view text);

}  // namespace sparkprof
