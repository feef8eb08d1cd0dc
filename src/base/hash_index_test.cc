// SPDX-License-Identifier: Apache-2.0
#include "base/hash_index.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(HashIndexTest, FindsEveryInsertedIdAndNothingElse) {
  std::vector<uint64_t> keys;
  HashIndex index;
  for (uint64_t key = 0; key < 10'000; ++key) {
    keys.push_back(key * 7919);
    index.Insert(MixHash(keys.back()), static_cast<uint32_t>(key), [&](uint32_t id) { return MixHash(keys[id]); });
  }
  for (uint32_t id = 0; id < keys.size(); ++id) {
    EXPECT_EQ(index.Find(MixHash(keys[id]), [&](uint32_t other) { return keys[other] == keys[id]; }), id);
  }
  EXPECT_EQ(index.Find(MixHash(1), [&](uint32_t other) { return keys[other] == 1; }), HashIndex::kNone);
}

TEST(HashIndexTest, TellsApartKeysWithTheSameHash) {
  const std::vector<int> keys{10, 20, 30};
  HashIndex index;
  for (uint32_t id = 0; id < keys.size(); ++id) index.Insert(42, id, [](uint32_t) { return uint64_t{42}; });
  EXPECT_EQ(index.Find(42, [&](uint32_t id) { return keys[id] == 30; }), 2u);
}

}  // namespace
}  // namespace sparkprof
