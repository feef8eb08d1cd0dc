// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text/json_parser.h"
#include "formats/records/profiler_records.h"

namespace sparkprof {

using MakeFrame = Frame (*)(std::string_view text, StringTable* strings);

// Reads the stacks of records: JSON lists of texts, leaf first. Records repeat few stacks many times, so what a list's
// text became is remembered, and a list seen before costs one hash of its bytes. One object for each kind of frame
// texts. Not thread-safe.
class StackTexts {
 public:
  explicit StackTexts(MakeFrame make_frame) : make_frame_(make_frame) {}

  // The stack of `list`, `["leaf", …, "root"]`; nullopt if it is not a list of texts.
  std::optional<StackId> Read(std::string_view list, ProfilerRecords* records);

 private:
  std::optional<StackId> Parse(std::string_view list, ProfilerRecords* records);

  const MakeFrame make_frame_;
  StringTable lists_;
  size_t list_bytes_ = 0;
  std::vector<StackId> stacks_{0};  // by id in lists_
  JsonParser parser_;
};

StackId AddStackOfTexts(const std::vector<std::string_view>& root_first, MakeFrame make_frame,
                        ProfilerRecords* records);

}  // namespace sparkprof
