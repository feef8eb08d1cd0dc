// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace sparkprof {

// Thrown when one answer would need more memory than the server admits.
class AnswerTooLarge : public std::runtime_error {
 public:
  explicit AnswerTooLarge(size_t most_bytes);
};

// While it exists, whatever this thread writes to memory with JsonWriter or OutputFile::ToMemory ends with
// AnswerTooLarge when a text grows beyond `most_bytes`. The innermost one counts.
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

// For the writers: throws AnswerTooLarge if a text of so many bytes is beyond the thread's limit.
void CheckAnswerSize(size_t bytes);

}  // namespace sparkprof
