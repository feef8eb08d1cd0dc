// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/store_replica.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "model/segment/block.h"
#include "model/testing/example_segment.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::string Block(const std::string& application, uint64_t sequence, std::string_view user = {}) {
  Segment segment = ExampleSegment();
  segment.source.application_id = application;
  segment.source.sequence = sequence;
  segment.anchors = {{static_cast<int64_t>(sequence) + 1, 1'700'000'000'000'000'000}};
  segment.spark_events.clear();
  if (!user.empty()) {
    segment.spark_events = {R"({"Event":"SparkListenerApplicationStart","App Name":"a","App ID":")" + application +
                            R"(","Timestamp":1700000000000,"User":")" + std::string(user) + "\"}"};
  }
  return EncodeBlock(segment);
}

Sender WithSecret(const std::string& secret) { return {.peer = "10.0.0.1", .role = "ingest", .secret = secret}; }

// A node with its own scratch folder, without the rest of a server.
class Node {
 public:
  Node(const std::string& store, const std::string& scratch, bool ack_locally) : scratch_(scratch), audit_(scratch) {
    fs::create_directories(scratch);
    Result<std::unique_ptr<StoreReplica>> replica = StoreReplica::Open(
        "file://" + store, scratch, [](const auto&) {}, ack_locally);
    EXPECT_TRUE(replica) << replica.error().message;
    replica_ = std::move(*replica);
    entries_ = ApplicationEntries::OfStore(replica_->Changes(), &audit_, /*is_enforced=*/true);
    EXPECT_TRUE(replica_->Attach(entries_.get(), &audit_));
    Result<std::unique_ptr<RecordingStore>> recordings = RecordingStore::Open(
        scratch, [](const auto&) {}, entries_.get());
    EXPECT_TRUE(recordings) << recordings.error().message;
    recordings_ = std::move(*recordings);
    replica_->SetStore(recordings_.get());
  }
  ~Node() { replica_->Stop(); }

  void Load() {
    const std::atomic<bool> stop = false;
    const Result<void> loaded = replica_->Load(stop);
    EXPECT_TRUE(loaded) << loaded.error().message;
  }
  AcceptedBlocks Accept(const std::string& body, const Sender& sender = WithSecret("s1")) {
    AcceptedBlocks accepted = recordings_->Accept(body, sender);
    EXPECT_EQ(accepted.status, AcceptStatus::kStored) << accepted.problem;
    return accepted;
  }
  // Sizes of recordings by entry. Restarts if recordings move meanwhile.
  std::map<std::string, uint64_t> Recordings() const {
    while (true) {
      std::map<std::string, uint64_t> sizes;
      std::error_code error;
      for (fs::recursive_directory_iterator file(scratch_ + "/recordings", error), end; !error && file != end;
           file.increment(error)) {
        if (file->is_regular_file(error)) sizes[file->path().parent_path().filename()] += file->file_size(error);
        if (error) break;
      }
      if (!error) return sizes;
    }
  }
  std::string OwnerOf(const std::string& entry) const { return entries_->ListOf(entry, {}).user; }
  std::string Audit() const { return ReadFile(scratch_ + "/audit.jsonl").value_or(""); }

  StoreReplica& Replica() { return *replica_; }
  RecordingStore& Store() { return *recordings_; }

 private:
  const std::string scratch_;
  AuditLog audit_;
  std::unique_ptr<ApplicationEntries> entries_;
  std::unique_ptr<StoreReplica> replica_;
  std::unique_ptr<RecordingStore> recordings_;
};

class StoreReplicaTest : public FolderTest {
 protected:
  std::unique_ptr<Node> Start(const std::string& name, bool ack_locally = false) {
    return std::make_unique<Node>(Path("store"), Path(name), ack_locally);
  }
  // Waits for a node that follows the store.
  static void ExpectSoonEqual(const Node& follower, const Node& other) {
    const auto begin = std::chrono::steady_clock::now();
    while (follower.Recordings() != other.Recordings() &&
           std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
      std::this_thread::yield();
    }
    EXPECT_EQ(follower.Recordings(), other.Recordings());
  }
  size_t Objects() const {
    size_t objects = 0;
    for (const auto& file : fs::recursive_directory_iterator(Path("store/blocks"))) objects += file.is_regular_file();
    return objects;
  }
};

TEST_F(StoreReplicaTest, ANodeHasWhatOthersAcknowledged) {
  const auto a = Start("a");
  a->Accept(Block("app-1", 0, "alice") + Block("app-1", 1));
  a->Accept(Block("app-2", 0, "bob"), WithSecret("s2"));
  const auto b = Start("b");
  b->Load();
  EXPECT_EQ(b->Recordings(), a->Recordings());
  EXPECT_EQ(b->Recordings().size(), 2U);
  EXPECT_EQ(b->OwnerOf("app-1"), "alice");
  EXPECT_EQ(b->OwnerOf("app-2"), "bob");
  EXPECT_EQ(b->Audit(), a->Audit());
  EXPECT_NE(b->Audit().find("owner bob"), std::string::npos);
}

TEST_F(StoreReplicaTest, ARunningNodeFollowsTheStore) {
  const auto a = Start("a"), b = Start("b");
  a->Load();
  b->Load();
  b->Replica().Start();
  for (uint64_t sequence = 0; sequence < 3; ++sequence) a->Accept(Block("app-1", sequence, "alice"));
  ExpectSoonEqual(*b, *a);
  EXPECT_EQ(b->Replica().Problem(), "");
}

TEST_F(StoreReplicaTest, ANodeListsTheStoreOnlyAtItsStart) {
  const auto a = Start("a"), b = Start("b");
  a->Load();
  b->Load();
  b->Replica().Start();
  for (uint64_t sequence = 0; sequence < 3; ++sequence) a->Accept(Block("app-1", sequence, "alice"));
  ExpectSoonEqual(*b, *a);
  EXPECT_EQ(a->Replica().Requests().lists, 2U);
  EXPECT_EQ(b->Replica().Requests().lists, 2U) << "blocks and merged";
}

TEST_F(StoreReplicaTest, ABlockThatIsSentAgainToAnyNodeCountsOnce) {
  const auto a = Start("a"), b = Start("b");
  a->Accept(Block("app-1", 0, "alice"));
  EXPECT_EQ(a->Accept(Block("app-1", 0, "alice")).duplicates, 1U);
  EXPECT_EQ(Objects(), 1U) << "the node knows that the store has it";
  b->Accept(Block("app-1", 0, "alice"));
  b->Load();
  const auto c = Start("c");
  c->Load();
  EXPECT_EQ(b->Recordings(), a->Recordings());
  EXPECT_EQ(c->Recordings(), a->Recordings());
}

TEST_F(StoreReplicaTest, BlocksThatANodeAcknowledgedLocallyReachTheStoreLater) {
  std::map<std::string, uint64_t> acknowledged;
  {
    const auto a = Start("a", /*ack_locally=*/true);
    a->Accept(Block("app-1", 0, "alice"));
    while (Objects() == 0) std::this_thread::yield();
    fs::rename(Path("store"), Path("away"));
    a->Accept(Block("app-1", 1, "alice"));
    acknowledged = a->Recordings();
  }
  fs::rename(Path("away"), Path("store"));
  EXPECT_EQ(Objects(), 1U);
  const auto a = Start("a"), b = Start("b");
  a->Load();
  b->Load();
  EXPECT_NE(b->Recordings(), acknowledged);
  a->Replica().Start();
  b->Replica().Start();
  ExpectSoonEqual(*b, *a);
  EXPECT_EQ(b->Recordings(), acknowledged);
}

TEST_F(StoreReplicaTest, NodesAgreeWhichSourceWasFirst) {
  const auto a = Start("a"), b = Start("b");
  for (int application = 0; application < 10; ++application) {
    const std::string id = "app-" + std::to_string(application);
    std::thread other([&] { b->Accept(Block(id, 0, "mallory"), WithSecret("m")); });
    a->Accept(Block(id, 0, "alice"), WithSecret("a"));
    other.join();
  }
  a->Load();
  b->Load();
  EXPECT_EQ(a->Recordings(), b->Recordings());
  EXPECT_EQ(a->Recordings().size(), 20U);
  for (const auto& [entry, size] : a->Recordings()) {
    EXPECT_EQ(a->OwnerOf(entry), b->OwnerOf(entry));
    EXPECT_NE(a->OwnerOf(entry), "") << entry;
  }
}

TEST_F(StoreReplicaTest, RecordingsMoveOnAllNodesWhenTheirOwnerBecomesKnown) {
  const auto a = Start("a"), b = Start("b");
  a->Accept(Block("app-1", 0), WithSecret("s1"));  // an executor, without an owner
  b->Accept(Block("app-1", 0, "alice"), WithSecret("s2"));
  b->Load();
  a->Load();
  EXPECT_EQ(a->Recordings().size(), 2U);
  a->Accept(Block("app-1", 1, "alice"), WithSecret("s1"));
  b->Replica().Start();
  ExpectSoonEqual(*b, *a);
  EXPECT_EQ(b->Recordings().size(), 1U);
  const auto c = Start("c");
  c->Load();
  EXPECT_EQ(c->Recordings(), a->Recordings());
}

TEST_F(StoreReplicaTest, AnApplicationThatOneNodeRemovesIsGoneOnAll) {
  const auto a = Start("a"), b = Start("b");
  a->Accept(Block("app-1", 0, "alice"));
  a->Accept(Block("app-2", 0, "bob"), WithSecret("s2"));
  b->Load();
  b->Replica().Start();
  ASSERT_TRUE(a->Replica().Remove("app-1"));
  ASSERT_TRUE(a->Store().Remove("app-1"));
  ExpectSoonEqual(*b, *a);
  EXPECT_EQ(b->Recordings().size(), 1U);
  const auto c = Start("c");
  c->Load();
  EXPECT_EQ(c->Recordings(), a->Recordings()) << "the store still has the block for nodes that read slowly";
  b->Accept(Block("app-1", 7, "alice"));
  c->Load();
  EXPECT_EQ(c->Recordings().size(), 2U) << "later blocks are new";
}

TEST_F(StoreReplicaTest, AgesCountFromTheArrivalOfTheBlocks) {
  const auto a = Start("a");
  a->Accept(Block("app-1", 0, "alice"));
  const auto object = *std::next(fs::recursive_directory_iterator(Path("store/blocks")));
  const Result<BlockObject> written = DecodeBlockObject(*ReadFile(object.path()));
  ASSERT_TRUE(written);
  const auto b = Start("b");
  b->Load();
  for (const auto& file : fs::recursive_directory_iterator(Path("b/recordings"))) {
    if (!file.is_regular_file()) continue;
    struct stat info {};
    ASSERT_EQ(stat(file.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec, written->time_ns);
  }
}

TEST_F(StoreReplicaTest, AnObjectThatCannotBeReadIsReportedAndTheOthersAreRead) {
  const auto a = Start("a");
  a->Accept(Block("app-1", 0, "alice"));
  fs::create_directories(Path("store/blocks/0123"));
  ASSERT_TRUE(WriteFile(Path("store/blocks/0123/000000000001"), "half"));
  const auto b = Start("b");
  b->Load();
  EXPECT_EQ(b->Recordings(), a->Recordings());
  ASSERT_EQ(b->Replica().Damage().size(), 1U);
  EXPECT_TRUE(b->Replica().Damage().front().ends_with("0123/000000000001: is not an object of blocks"));
}

TEST_F(StoreReplicaTest, AScratchFolderOfAnotherStoreIsRefused) {
  Start("a").reset();
  const auto other = StoreReplica::Open("file://" + Path("other"), Path("a"), [](const auto&) {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            Path("a") + ": is the copy of another store; remove it, or choose another --scratch");
}

TEST_F(StoreReplicaTest, ASmallFileIsWrittenOnAllNodes) {
  const auto a = Start("a"), b = Start("b");
  ASSERT_TRUE(a->Replica().WriteFile("groups/etl.json", "{}\n"));
  EXPECT_EQ(ReadFile(Path("a/groups/etl.json")).value_or(""), "{}\n");
  b->Load();
  EXPECT_EQ(ReadFile(Path("b/groups/etl.json")).value_or(""), "{}\n");
  ASSERT_TRUE(a->Replica().WriteFile("groups/../evil", "x"));
  EXPECT_FALSE(fs::exists(Path("a/evil")));
}

TEST_F(StoreReplicaTest, OneNodeClaimsANotification) {
  const auto a = Start("a"), b = Start("b");
  EXPECT_TRUE(*a->Replica().Claim("app-1"));
  EXPECT_TRUE(*a->Replica().Claim("app-1"));
  EXPECT_FALSE(*b->Replica().Claim("app-1"));
}

}  // namespace
}  // namespace sparkprof
