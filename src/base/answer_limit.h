// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace sparkprof {

// Thrown if an answer would need more memory than the server allows.
class AnswerTooLarge : public std::runtime_error {
 public:
  explicit AnswerTooLarge(size_t most_bytes);
};

// Limits the text that this thread writes to memory with JsonWriter or OutputFile::ToMemory: throws AnswerTooLarge when
// one grows beyond `most_bytes`. Of nested limits, the innermost one applies.
class AnswerLimit {
 public:
  explicit AnswerLimit(size_t most_bytes);
  ~AnswerLimit();
  AnswerLimit(const AnswerLimit&) = delete;
  AnswerLimit& operator=(const AnswerLimit&) = delete;

  static constexpr size_t kUnlimited = SIZE_MAX;

 private:
  const size_t before_;
};

// For writers: throws AnswerTooLarge if a text of this size exceeds the thread's limit.
void CheckAnswerSize(size_t bytes);

}  // namespace sparkprof
