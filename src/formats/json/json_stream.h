// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// Reads a large JSON document value by value, so that memory is in proportion to the largest value and not to the
// document: an array, or an object with long arrays. Values are found by their brackets and strings; whoever gets one
// parses it.
class JsonStream {
 public:
  struct Options {
    std::string_view format;               // for messages: "trace events in JSON"
    std::vector<std::string_view> arrays;  // members of the object whose elements come one by one
    std::vector<std::string_view> values;  // members that come as a whole; the others are skipped
  };
  // `key` is the member's, empty for elements of an outer array. `text` is valid during the call and starts at `offset`
  // of the document.
  using OnValue = std::function<Result<void>(std::string_view key, std::string_view text, uint64_t offset)>;

  JsonStream(ByteSource* source, const Options& options, ProfileBuilder* builder)
      : source_(source), options_(options), builder_(builder) {}

  // Reads all. An outer array may lack its "]". Other damage fails unless lenient; then the values before it were
  // given. Returns at the first error of `on_value`.
  Result<void> Read(const OnValue& on_value);

  // Whether the document has this array, which may be empty; an outer array has no name.
  bool HasArray(std::string_view key) const { return std::find(found_.begin(), found_.end(), key) != found_.end(); }

 private:
  enum class Outcome : uint8_t { kFound, kEnd, kInvalid };

  bool Fill();
  bool AtEnd() { return at_ == window_.size() && !Fill(); }
  uint64_t Offset() const { return window_offset_ + at_; }
  // The next byte behind blanks; 0 at the end.
  char NextToken();
  Outcome SkipString();
  Outcome SkipValue();

  Result<void> ReadArray(std::string_view key, const OnValue& on_value, bool may_end);
  Result<void> ReadObject(const OnValue& on_value);
  Result<void> ReadMember(const OnValue& on_value);
  // Gives a value to `on_value`, or skips it if that is null.
  Result<void> TakeValue(std::string_view key, const OnValue* on_value);
  Result<void> Damaged(Outcome outcome);

  ByteSource* const source_;
  const Options options_;
  ProfileBuilder* const builder_;
  std::vector<std::string> found_;  // arrays
  std::string window_;              // a part of the document
  uint64_t window_offset_ = 0;      // in the document
  size_t at_ = 0;                   // in the window
  size_t kept_ = 0;                 // the window keeps its bytes from here
  bool keeps_ = false;              // a value that began at kept_
  size_t step_ = 0;                 // bytes of the last read
  bool ended_ = false;
  std::optional<Error> error_;  // ended the stream
  bool is_damaged_ = false;     // the rest is skipped
};

}  // namespace sparkprof
