// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace sparkprof {

// What a line of Kubernetes' container runtimes (CRI) says: "2016-10-06T00:17:09.669794202Z stdout F text".
struct CriLine {
  std::string_view time;
  bool is_stderr = false;
  bool continues = false;  // P instead of F: the text goes on in the stream's next line
  std::string_view text;
};

// Nothing where a line is not of that form. Whether the time is one is not looked at beyond its shape.
std::optional<CriLine> ParseCriLine(std::string_view line);

}  // namespace sparkprof
