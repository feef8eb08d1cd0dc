// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// Parameters of Spark's messages.
enum class MessageField : uint8_t {
  kAny,   // its value is of no use
  kTask,  // TID
  kIndex,
  kAttempt,
  kStage,
  kStageAttempt,
  kJob,
  kPartition,
  kCount,
  kDone,  // end of kCount
  kBytes,
  kDuration,  // "118 ms", "1.2 s"
  kExecutor,
  kHost,
  kLocality,
  kName,
  kReason,
  kParents,
};
inline constexpr size_t kMessageFieldCount = static_cast<size_t>(MessageField::kParents) + 1;

// Values of a matched message's parameters; what the pattern does not have is left as it was.
struct MessageValues {
  MessageValues() { numbers.fill(-1); }

  std::array<int64_t, kMessageFieldCount> numbers;
  std::array<std::string_view, kMessageFieldCount> texts;

  int64_t Number(MessageField field) const { return numbers[static_cast<size_t>(field)]; }
  std::string_view Text(MessageField field) const { return texts[static_cast<size_t>(field)]; }
};

// The wording of a message: literal text with parameters. "{stage#}" is an integer, "{host}" a text up to the next
// literal, "{}" an ignored text. A parameter at the end matches the rest.
class MessagePattern {
 public:
  // `pattern` must be well-formed: it is part of the program.
  explicit MessagePattern(std::string_view pattern);

  // Whether the complete message has this wording.
  bool Match(std::string_view message, MessageValues* values) const;

  // The size of this wording at the start of `text`, npos if that has another one. `is_open`: the wording ends with a
  // parameter, which takes all of `text`.
  size_t SizeIn(std::string_view text, bool* is_open) const;

  // The wording with "<*>" for parameters.
  std::string Template() const;

  // The literal at the start of the wording; empty if it starts with a parameter.
  std::string_view Begin() const { return parts_.front().is_literal ? parts_.front().literal : std::string_view(); }

 private:
  struct Part {
    bool is_literal = false;
    bool is_number = false;
    MessageField field = MessageField::kAny;
    std::string_view literal;
  };

  bool Take(std::string_view* message, bool is_whole, MessageValues* values) const;
  size_t TextSize(size_t part, std::string_view message, bool is_whole) const;

  std::vector<Part> parts_;
};

// "118 ms", "1.234567 s", "3,5 s", "2 min" as ns; -1 for anything else.
int64_t ParseMessageDuration(std::string_view text);

}  // namespace sparkprof
