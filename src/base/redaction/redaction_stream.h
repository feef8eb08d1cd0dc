// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// Redacts the texts of a stream in order, such as log records: finds secrets that start in one text and continue in
// later ones: lines of a private key (each may be a record, with others in between), and a value on the line after its
// name. Bounded memory. Not thread-safe.
class RedactionStream {
 public:
  RedactionStream();
  ~RedactionStream();
  RedactionStream(RedactionStream&&) noexcept;
  RedactionStream& operator=(RedactionStream&&) noexcept;

  // Redacts the parts of the next text that continue a secret of an earlier one; nullopt, without allocation, for most
  // texts. Secrets within this text are left to RedactText.
  std::optional<std::string> Add(std::string_view text);

  // Starts another stream.
  void Reset();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
