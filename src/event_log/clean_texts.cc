// SPDX-License-Identifier: Apache-2.0
#include "event_log/clean_texts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sparkprof {

CleanTexts::Hash CleanTexts::HashOf(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

}  // namespace sparkprof
