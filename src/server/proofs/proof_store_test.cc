// SPDX-License-Identifier: Apache-2.0
#include "server/proofs/proof_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/folder_test.h"
#include "server/folders/collector_files.h"
#include "server/testing/colliding_texts.h"

namespace sparkprof {
namespace {

constexpr auto kUnrecorded = [](const Change& change) { return change(); };

class ProofStoreTest : public FolderTest {
 protected:
  ProofStoreTest() { Reopen(); }

  void Reopen() { store_ = std::move(*ProofStore::Open(folder_)); }

  static StoredProof ProofAt(int64_t time_ms, const std::string& group = "etl") {
    StoredProof stored;
    stored.proof.subject.time_ms = time_ms;
    stored.proof.subject.group = group;
    stored.proof.verdict = "proved";
    stored.sender = "ana";
    stored.viewers = "\nuser:ana\n";
    return stored;
  }

  std::unique_ptr<ProofStore> store_;
};

TEST_F(ProofStoreTest, KeepsProofsOverARestart) {
  ASSERT_TRUE(store_->Add(ProofAt(1), kUnrecorded));
  ASSERT_TRUE(store_->Add(ProofAt(3), kUnrecorded));
  ASSERT_TRUE(store_->Add(ProofAt(2, "a/b"), kUnrecorded));
  Reopen();
  const ProofStore::Proofs all = store_->List(std::nullopt);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]->proof.subject.time_ms, 3);
  EXPECT_EQ(all[1]->proof.subject.group, "a/b");
  EXPECT_EQ(all[0]->sender, "ana");
  EXPECT_EQ(all[0]->viewers, "\nuser:ana\n");
  EXPECT_EQ(store_->List("etl").size(), 2u);
}

TEST_F(ProofStoreTest, KeepsTheLatestOfAGroup) {
  for (size_t i = 1; i <= ProofStore::kMaxOfGroup + 2; ++i)
    ASSERT_TRUE(store_->Add(ProofAt(static_cast<int64_t>(i)), kUnrecorded));
  const ProofStore::Proofs kept = store_->List("etl");
  EXPECT_EQ(kept.size(), ProofStore::kMaxOfGroup);
  EXPECT_EQ(kept.back()->proof.subject.time_ms, 3);
}

TEST_F(ProofStoreTest, KeepsNothingThatTheAuditLogDoesNotHave) {
  EXPECT_FALSE(store_->Add(ProofAt(1), [](const Change&) -> Result<void> { return Fail("full"); }));
  EXPECT_TRUE(store_->List(std::nullopt).empty());
}

TEST_F(ProofStoreTest, ReportsDamagedLines) {
  ASSERT_TRUE(store_->Add(ProofAt(1), kUnrecorded));
  std::ofstream(Path("proofs/etl.jsonl"), std::ios::app) << "{\"sender\":\"eve\"}\n";
  Reopen();
  EXPECT_EQ(store_->List("etl").size(), 1u);
  ASSERT_EQ(store_->Problems().size(), 1u);
}

TEST_F(ProofStoreTest, ASenderPushesOutOnlyOwnProofs) {
  StoredProof others = ProofAt(1);
  others.sender = "bob";
  ASSERT_TRUE(store_->Add(others, kUnrecorded));
  for (size_t i = 0; i < 2 * ProofStore::kMaxOfGroup; ++i) ASSERT_TRUE(store_->Add(ProofAt(2), kUnrecorded));
  const ProofStore::Proofs kept = store_->List("etl");
  EXPECT_EQ(kept.size(), ProofStore::kMaxOfGroup);
  EXPECT_EQ(kept.back()->sender, "bob");
}

TEST_F(ProofStoreTest, ASenderDoesNotTakeTheGroupsOfOthers) {
  for (size_t i = 0; i < ProofStore::kMaxGroupsOfSender; ++i) {
    ASSERT_TRUE(store_->Add(ProofAt(1, "group " + std::to_string(i)), kUnrecorded));
  }
  EXPECT_FALSE(store_->Add(ProofAt(1, "one more"), kUnrecorded));
  EXPECT_TRUE(store_->Add(ProofAt(1, "group 7"), kUnrecorded));
  StoredProof others = ProofAt(1, "one more");
  others.sender = "bob";
  EXPECT_TRUE(store_->Add(others, kUnrecorded));
}

TEST_F(ProofStoreTest, GroupsOfLongNamesThatCollideInXxhAreApart) {
  const auto [first, second] = CollidingTexts();
  ASSERT_TRUE(store_->Add(ProofAt(1, first), kUnrecorded));
  ASSERT_TRUE(store_->Add(ProofAt(2, second), kUnrecorded));
  std::filesystem::rename(Path("proofs/" + FileNameFor(first) + ".jsonl"),
                          Path("proofs/" + OldFileNameFor(first) + ".jsonl"));  // as an earlier version
  for (int start = 0; start < 2; ++start) {
    Reopen();
    EXPECT_EQ(store_->List(first).size(), 1u);
    EXPECT_EQ(store_->List(second).size(), 1u);
    EXPECT_TRUE(std::filesystem::exists(Path("proofs/" + FileNameFor(first) + ".jsonl")));
  }
}

}  // namespace
}  // namespace sparkprof
