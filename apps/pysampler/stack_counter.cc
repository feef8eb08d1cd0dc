// SPDX-License-Identifier: Apache-2.0
#include "stack_counter.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/hash_index.h"

namespace sparkprof {
namespace {

// Since Python 3.11, the name in code objects lacks the enclosing class; before, it is the only name.
std::string_view WithoutClass(std::string_view function) {
  const size_t dot = function.rfind('.');
  return dot == std::string_view::npos ? function : function.substr(dot + 1);
}

uint64_t HashOf(std::string_view text, uint64_t hash) {
  for (const char c : text) hash = MixHash(hash ^ static_cast<unsigned char>(c));
  return hash;
}

class Writer {
 public:
  Writer(char* buffer, size_t size) : buffer_(buffer), size_(size) {}

  void Add(std::string_view text) {
    if (length_ < size_) std::memcpy(buffer_ + length_, text.data(), std::min(text.size(), size_ - length_));
    length_ += text.size();
  }
  size_t length() const { return length_; }

 private:
  char* buffer_;
  size_t size_;
  size_t length_ = 0;
};

}  // namespace

uint32_t StackCounter::FindText(std::string_view function, std::string_view file) {
  size_t slot = HashOf(file, HashOf(function, 1)) % (2 * kTexts);
  for (; text_slots_[slot] != 0; slot = (slot + 1) % (2 * kTexts)) {
    const CodeText& text = texts_[text_slots_[slot] - 1];
    const char* begin = text_ + text.begin;
    if (std::string_view(begin, text.function_size) == function &&
        std::string_view(begin + text.function_size, text.file_size) == file) {
      return text_slots_[slot];
    }
  }
  const size_t size = function.size() + file.size();
  if (texts_used_ == kTexts || kTextBytes - text_used_ < size) return 0;
  std::memcpy(text_ + text_used_, function.data(), function.size());
  std::memcpy(text_ + text_used_ + function.size(), file.data(), file.size());
  texts_[texts_used_++] = {static_cast<uint32_t>(text_used_), static_cast<uint16_t>(function.size()),
                           static_cast<uint16_t>(file.size())};
  text_used_ += size;
  return text_slots_[slot] = static_cast<uint32_t>(texts_used_);
}

void StackCounter::AddCode(uint32_t id, std::string_view function, std::string_view file, uint32_t /*first_line*/) {
  constexpr size_t kLongest = UINT16_MAX;
  text_of_code_[id] = FindText(WithoutClass(function).substr(0, kLongest), file.substr(0, kLongest));
}

void StackCounter::Add(const RingFrame* frames, size_t depth) {
  if (kFrames - frames_used_ < depth) {
    ++others_;
    return;
  }
  // Written to its final position in case it is new.
  RingFrame* copy = frames_ + frames_used_;
  uint64_t hash = depth;
  for (size_t i = 0; i < depth; ++i) {
    const uint32_t text = text_of_code_[frames[i].code];
    if (text == 0) {
      ++others_;
      return;
    }
    copy[i] = {text - 1, frames[i].line};
    hash = MixHash(hash ^ (uint64_t{text} << 32 | frames[i].line));
  }
  size_t slot = hash % kSlots;
  for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
    Stack& stack = stacks_[slots_[slot] - 1];
    if (stack.hash != hash || stack.depth != depth) continue;
    if (std::memcmp(frames_ + stack.begin, copy, depth * sizeof(RingFrame)) != 0) continue;
    ++stack.count;
    return;
  }
  if (stacks_used_ == kStacks) {
    ++others_;
    return;
  }
  stacks_[stacks_used_++] = {hash, 1, static_cast<uint32_t>(frames_used_), static_cast<uint32_t>(depth)};
  slots_[slot] = static_cast<uint32_t>(stacks_used_);
  frames_used_ += depth;
}

size_t StackCounter::Text(size_t stack, char* buffer, size_t size) const {
  Writer writer(buffer, size);
  for (uint32_t i = 0; i < stacks_[stack].depth; ++i) {
    const RingFrame& frame = frames_[stacks_[stack].begin + i];
    const CodeText& text = texts_[frame.code];
    writer.Add({text_ + text.begin + text.function_size, text.file_size});
    writer.Add(":");
    writer.Add({text_ + text.begin, text.function_size});
    char line[16];
    const int length = std::snprintf(line, sizeof line, ":%u", frame.line);
    writer.Add({line, static_cast<size_t>(length) + 1});  // includes the NUL byte
  }
  return writer.length();
}

void StackCounter::ClearStacks() {
  std::memset(slots_, 0, sizeof slots_);
  frames_used_ = stacks_used_ = 0;
  others_ = 0;
}

void StackCounter::Clear() {
  ClearStacks();
  std::memset(text_slots_, 0, sizeof text_slots_);
  std::memset(text_of_code_, 0, sizeof text_of_code_);
  text_used_ = texts_used_ = 0;
}

}  // namespace sparkprof
