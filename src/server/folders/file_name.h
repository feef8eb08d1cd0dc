// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// A name for a file or folder, whatever the text is: percent-encoded, and shortened by a hash if it is long. Different
// texts have different names.
std::string FileNameFor(std::string_view text);

}  // namespace sparkprof
