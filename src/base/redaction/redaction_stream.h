// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// The texts of a stream in order, such as the records of a log: finds secrets that begin in one text and go on in later
// ones. Lines of a private key (each may be a record, with others between them), and a value on the line after its
// name. Bounded memory. Not thread-safe.
class RedactionStream {
 public:
  RedactionStream();
  ~RedactionStream();
  RedactionStream(RedactionStream&&) noexcept;
  RedactionStream& operator=(RedactionStream&&) noexcept;

  // The next text without what belongs to a secret that an earlier one began; nothing, and no allocation, for most
  // texts. Secrets that are in this text alone are left to RedactText.
  std::optional<std::string> Add(std::string_view text);

  // Begins another stream.
  void Reset();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
