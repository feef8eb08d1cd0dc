// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/hash_index.h"
#include "base/text/same_bytes.h"
#include "model/hash_bytes.h"

namespace sparkprof {

// Caches values by text. Texts repeat by the million, so each is stored next to its value to touch little memory.
// Value: the reader's result for a text. Not thread-safe.
template <typename Value>
class TextCache {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  // The value of `text`; calls `make(text)` the first time.
  template <typename Make>
  Value Get(std::string_view text, Make&& make) {
    return Get(text, HashBytes(text), make);
  }

  // The same in two steps, so that memory is not waited for once for each text.
  uint64_t Prefetch(std::string_view text) const {
    const uint64_t hash = HashBytes(text);
    index_.Prefetch(hash);
    return hash;
  }
  template <typename Make>
  Value Get(std::string_view text, uint64_t hash, Make&& make) {
    const uint32_t found = index_.Find(hash, [&](uint32_t place) {
      return HeaderAt(place).size == text.size() && SameBytes(TextAt(place), text.data(), text.size());
    });
    if (found != HashIndex::kNone) return HeaderAt(found).value;
    const Header header{static_cast<uint32_t>(text.size()), make(text)};
    const auto place = static_cast<uint32_t>(words_.size());
    words_.resize(place + kHeaderWords + (text.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    std::memcpy(words_.data() + place, &header, sizeof header);
    std::memcpy(words_.data() + place + kHeaderWords, text.data(), text.size());
    index_.Insert(hash, place, [&](uint32_t other) { return HashBytes({TextAt(other), HeaderAt(other).size}); });
    return header.value;
  }

 private:
  struct Header {
    uint32_t size;
    Value value;
  };
  static constexpr size_t kHeaderWords = (sizeof(Header) + sizeof(uint64_t) - 1) / sizeof(uint64_t);

  Header HeaderAt(uint32_t place) const {
    Header header{};
    std::memcpy(static_cast<void*>(&header), words_.data() + place, sizeof header);
    return header;
  }
  const char* TextAt(uint32_t place) const {
    return reinterpret_cast<const char*>(words_.data() + place + kHeaderWords);
  }

  std::vector<uint64_t> words_;  // headers, each followed by its text; a place is a position here
  HashIndex index_;
};

}  // namespace sparkprof
