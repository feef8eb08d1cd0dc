// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof::redaction {

// A text after decoding URL, HTML and CSV escapes (%22, &quot;, ""), with the original positions of its characters.
struct DecodedText {
  std::string text;
  std::vector<size_t> origin;  // one more entry than `text` has characters
};

// nullopt if `text` has no encoded character.
std::optional<DecodedText> Decode(std::string_view text);

}  // namespace sparkprof::redaction
