// SPDX-License-Identifier: Apache-2.0
#include "formats/records/stack_texts.h"

#include <algorithm>

namespace sparkprof {
namespace {

constexpr size_t kMaxRememberedBytes = 64 << 20;

}  // namespace

std::optional<StackId> StackTexts::Read(std::string_view list, ProfilerRecords* records) {
  if (list_bytes_ > kMaxRememberedBytes) {
    lists_ = StringTable();
    stacks_.assign(1, 0);
    list_bytes_ = 0;
  }
  const size_t known = lists_.Size();
  const StringId id = lists_.Intern(list);
  if (id < known && id != 0) return stacks_[id] == HashIndex::kNone ? std::nullopt : std::optional(stacks_[id]);
  list_bytes_ += list.size();
  const std::optional<StackId> stack = Parse(list, records);
  stacks_.resize(lists_.Size());
  stacks_[id] = stack.value_or(HashIndex::kNone);
  return stack;
}

std::optional<StackId> StackTexts::Parse(std::string_view list, ProfilerRecords* records) {
  simdjson::dom::array frames;
  if (parser_.Parse(list).get_array().get(frames) != simdjson::SUCCESS) return std::nullopt;
  std::vector<std::string_view> texts;
  texts.reserve(frames.size());
  for (const simdjson::dom::element frame : frames) {
    std::string_view text;
    if (frame.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
    texts.push_back(text);
  }
  std::reverse(texts.begin(), texts.end());
  return AddStackOfTexts(texts, make_frame_, records);
}

StackId AddStackOfTexts(const std::vector<std::string_view>& root_first, MakeFrame make_frame,
                        ProfilerRecords* records) {
  StackId stack = 0;
  for (const std::string_view text : root_first) {
    stack = records->stacks.Push(stack, records->frames.Intern(make_frame(text, &records->strings)));
  }
  return stack;
}

}  // namespace sparkprof
