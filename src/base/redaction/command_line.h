// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/redaction/scanned_text.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {

// Options of commands that take a secret (curl -u). Their values wait until a search passes them: other forms come
// first.
class CommandLine {
 public:
  explicit CommandLine(ScannedText* scan) : scan_(scan) {}

  // Remembers the values of the command's options that are secrets. Returns where to go on.
  size_t Remember(size_t at, std::string_view command);

  // Redacts the remembered values that begin before `at`.
  void RedactBefore(size_t at);

 private:
  void RememberValue(size_t value, bool has_user);

  ScannedText* scan_;
  std::vector<Span> values_;  // ascending
};

}  // namespace sparkprof::redaction
