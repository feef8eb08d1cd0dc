// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace sparkprof {

// A line of a Kubernetes container runtime (CRI): "2016-10-06T00:17:09.669794202Z stdout F text".
struct CriLine {
  std::string_view time;
  bool is_stderr = false;
  bool continues = false;  // P instead of F: the text continues in the stream's next line
  std::string_view text;
};

// nullopt if the line has another form. Checks only the shape of the time.
std::optional<CriLine> ParseCriLine(std::string_view line);

}  // namespace sparkprof
