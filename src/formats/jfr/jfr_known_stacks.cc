// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_known_stacks.h"

#include <algorithm>

namespace sparkprof {

JfrKnownStacks::RecordHash JfrKnownStacks::HashRecord(std::string_view record) {
  const XXH128_hash_t hash = XXH3_128bits(record.data(), record.size());
  return {hash.low64, hash.high64};
}

void JfrKnownStacks::BeginChunk(uint64_t layout, const std::vector<KnownMethod>& methods) {
  const auto contradicts = [&](const KnownMethod& method) {
    const KnownMethod* known = methods_.Find(method);
    return known != nullptr && known->meaning != method.meaning;
  };
  if (layout != layout_ || std::any_of(methods.begin(), methods.end(), contradicts)) {
    methods_ = {};
    frames_ = {};
    stacks_ = {};
  }
  layout_ = layout;
  for (const KnownMethod& method : methods) methods_.Insert(method);
}

std::optional<StackId> JfrKnownStacks::Stack(const RecordHash& record) {
  const KnownStack* known = stacks_.Find({.record = record});
  if (known == nullptr) return std::nullopt;
  return known->stack;
}

}  // namespace sparkprof
