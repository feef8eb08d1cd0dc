// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include "base/flat_table.h"
#include "model/hash_bytes.h"
#include "model/stack_table.h"

namespace sparkprof {

// What each piece of text that stands for one frame or more became. Texts repeat by the million, so that a look-up
// costs one hash of the text and one cache line. Value: what the reader makes of a text. Not thread-safe.
template <typename Value>
class TextCache {
 public:
  // The value of `text`; made by `make(text)` when it is seen for the first time.
  template <typename Make>
  const Value& Get(std::string_view text, Make&& make) {
    Slot slot{text.data(), static_cast<uint32_t>(text.size()), HashBytes(text), {}};
    if (const Slot* found = slots_.Find(slot)) return found->value;
    texts_.emplace_back(text);
    slot.text = texts_.back().data();
    slot.value = make(text);
    slots_.Insert(slot);
    return slots_.Find(slot)->value;
  }

 private:
  struct Slot {
    const char* text = nullptr;
    uint32_t size = 0;
    uint64_t hash = 0;
    Value value{};

    bool IsUsed() const { return text != nullptr; }
    uint64_t Hash() const { return hash; }
    bool HasKeyOf(const Slot& other) const {
      return hash == other.hash && size == other.size && std::memcmp(text, other.text, size) == 0;
    }
  };

  FlatTable<Slot> slots_;
  std::deque<std::string> texts_;
};

}  // namespace sparkprof
