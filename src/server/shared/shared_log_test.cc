// SPDX-License-Identifier: Apache-2.0
#include "server/shared/shared_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "base/testing/folder_test.h"
#include "server/shared/block_objects.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

class SharedLogTest : public FolderTest {
 protected:
  SharedLogTest() { EXPECT_TRUE(MakeFoldersOfStore(storage_.get())); }
  struct Node {
    explicit Node(Storage* storage, const std::string& name) : log(storage, name) {
      log.SetListener([this](uint64_t, std::string_view lines) { read += lines; });
    }
    std::string read;
    SharedLog log;
  };
  std::unique_ptr<Node> Start(const std::string& name) { return std::make_unique<Node>(storage_.get(), name); }

  const std::unique_ptr<Storage> storage_ = OpenLocalStorage(folder_, {});
};

TEST_F(SharedLogTest, NodesReadTheSameLinesInOneOrder) {
  const auto a = Start("a"), b = Start("b");
  std::vector<std::thread> writers;
  for (Node* node : {a.get(), b.get()}) {
    writers.emplace_back([&, node] {
      for (int line = 0; line < 50; ++line) EXPECT_TRUE(node->log.Append(node == a.get() ? "a\n" : "b\n"));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(a->log.Read());
  EXPECT_TRUE(b->log.Read());
  EXPECT_EQ(a->read, b->read);
  EXPECT_EQ(a->read.size(), 200U);
  EXPECT_EQ(a->log.Position(), 100U);
}

TEST_F(SharedLogTest, AnAppendFailsIfAnotherNodeWasFirst) {
  const auto a = Start("a"), b = Start("b");
  EXPECT_TRUE(*a->log.Append("a is first\n", 0));
  EXPECT_FALSE(*b->log.Append("b is first\n", 0));
  EXPECT_EQ(b->read, "a is first\n") << "the listener knows why";
  EXPECT_TRUE(*b->log.Append("b is second\n", b->log.Position()));
  EXPECT_TRUE(a->log.Read());
  EXPECT_EQ(a->read, "a is first\nb is second\n");
}

TEST_F(SharedLogTest, ANodeThatStartsReadsManyAppendsAtOnce) {
  const auto a = Start("a");
  const uint64_t count = SharedLog::kChangesInBundle + 3;
  for (uint64_t line = 0; line < count; ++line) EXPECT_TRUE(a->log.Append(std::to_string(line) + "\n"));
  std::filesystem::remove(Path("changes/00000000000000000001"));
  const auto b = Start("b");
  EXPECT_TRUE(b->log.Read());
  EXPECT_EQ(b->log.Position(), count);
  EXPECT_EQ(b->read, a->read);
}

TEST_F(SharedLogTest, WhatNoNodeCouldReadIsNotAppended) {
  const auto a = Start("a"), b = Start("b");
  EXPECT_FALSE(a->log.Append(std::string(size_t{64} << 20, 'x') + "\n"));
  EXPECT_TRUE(a->log.Append("a\n"));
  EXPECT_TRUE(b->log.Read());
  EXPECT_EQ(b->read, "a\n");
}

}  // namespace
}  // namespace sparkprof
