// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof::redaction {

// A text without its encoding in URLs, HTML and CSV (%22, &quot;, ""), and where its characters were.
struct DecodedText {
  std::string text;
  std::vector<size_t> origin;  // one more than `text` has characters
};

// Nothing when `text` has no encoded character.
std::optional<DecodedText> Decode(std::string_view text);

}  // namespace sparkprof::redaction
