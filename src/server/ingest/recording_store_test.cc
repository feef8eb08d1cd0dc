// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/recording_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "model/segment/block.h"
#include "model/testing/example_segment.h"
#include "server/folders/collector_files.h"
#include "server/folders/recording_directory.h"
#include "storage/storages.h"

namespace {
std::atomic<int> syncs = 0;  // fdatasync calls
std::atomic<bool> sync_fails = false;
}  // namespace

// Replaces the C library's function.
extern "C" int fdatasync(int fd) {
  ++syncs;
  if (sync_fails) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// A block of a JVM whose application ID may still be unknown.
std::string Block(const std::string& application, uint64_t sequence, int64_t pid = 42) {
  Segment segment = ExampleSegment();
  segment.source.application_id = application;
  segment.source.sequence = sequence;
  segment.source.pid = pid;
  segment.anchors = {{static_cast<int64_t>(sequence) + 1, 1'700'000'000'000'000'000}};
  return EncodeBlock(segment);
}

class RecordingStoreTest : public FolderTest {
 protected:
  RecordingStoreTest() { Open(); }
  void Open() {
    store_.reset();
    Result<std::unique_ptr<RecordingStore>> store = RecordingStore::Open(
        folder_, [this](const std::map<std::string, std::string>& applications) { directory_.Note(applications); });
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
  }
  // Blocks of an application's files.
  uint64_t BlocksOf(const std::string& id) {
    const std::optional<RecordedFiles> files = directory_.Find(id);
    if (!files) return 0;
    uint64_t blocks = 0;
    for (const StoredFile& file : files->files) {
      const std::string& path = file.name;
      const Result<RecordingStatus> status = ReadBlocks(*ReadFile(path), path, [](Segment&&) {});
      EXPECT_TRUE(status && status->cut_bytes + status->skipped_bytes + status->damaged_blocks == 0) << path;
      if (status) blocks += status->blocks;
    }
    return blocks;
  }
  void Scan(RecordingDirectory* directory) const {
    const Result<StorageListing> listing = OpenLocalStorage(store_->Folder(), {})->List();
    ASSERT_TRUE(listing) << listing.error().message;
    directory->Update(store_->Folder(), *listing, /*stop=*/false);
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(Path("recordings"))) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }

  FetchedFiles fetched_{testing::TempDir() + "fetched-" + std::to_string(getpid()), 0};
  RecordingDirectory directory_{&fetched_};
  std::unique_ptr<ApplicationEntries> entries_;
  std::unique_ptr<RecordingStore> store_;
};

TEST_F(RecordingStoreTest, TheFolderMayHaveALineEndInItsName) {
  folder_ += "/da\nta";
  Open();
  EXPECT_EQ(store_->Accept(Block("app-1", 1)).duplicates, 0U);
  RecordingDirectory scanned(&fetched_);
  Scan(&scanned);
  EXPECT_EQ(scanned.Applications(), std::vector<std::string>{"app-1"});
  EXPECT_EQ(scanned.Find("app-1")->files, directory_.Find("app-1")->files);
  RecordingDirectory restored(&fetched_);
  restored.Restore("app-1", scanned.Find("app-1")->location);
  EXPECT_EQ(restored.Find("app-1")->location, scanned.Find("app-1")->location);
}

TEST_F(RecordingStoreTest, StoresEachBlockOnce) {
  const std::string first = Block("app-1", 0), second = Block("app-1", 1);
  EXPECT_EQ(store_->Accept(first).duplicates, 0U);
  const AcceptedBlocks both = store_->Accept(second + first);
  EXPECT_EQ(both.status, AcceptStatus::kStored);
  EXPECT_EQ(both.blocks, 2U);
  EXPECT_EQ(both.duplicates, 1U);
  EXPECT_EQ(both.applications, std::vector<std::string>{"app-1"});
  Open();
  EXPECT_EQ(store_->Accept(first).duplicates, 1U);
  EXPECT_EQ(BlocksOf("app-1"), 2U);
}

TEST_F(RecordingStoreTest, AcknowledgesWhatAKilledServerWroteOnlyOnceItIsDurable) {
  store_->Accept(Block("app-1", 0));
  Open();
  const int before = syncs;
  EXPECT_EQ(store_->Accept(Block("app-1", 0)).duplicates, 1U);
  EXPECT_EQ(syncs, before + 1);
  EXPECT_EQ(store_->Accept(Block("app-1", 0)).duplicates, 1U);
  EXPECT_EQ(syncs, before + 1);  // known as durable
}

TEST_F(RecordingStoreTest, AFailedFirstWriteLeavesNoFile) {
  const auto is_refused = [&](const std::string& application) {
    const bool refused = store_->Accept(Block(application, 0)).status == AcceptStatus::kUnavailable;
    return refused && Files().empty() && !fs::exists(store_->FolderOf(application));
  };
  sync_fails = true;
  EXPECT_TRUE(is_refused("app-1"));
  sync_fails = false;
  // Creates the file but fails to write, as on a full disk.
  const auto on_signal = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const bool refused = is_refused("app-1");
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, on_signal);
  EXPECT_TRUE(refused);
  EXPECT_EQ(store_->Accept(Block("app-1", 0)).status, AcceptStatus::kStored);
  EXPECT_EQ(BlocksOf("app-1"), 1U);
}

TEST_F(RecordingStoreTest, KeepsNothingThatADiskFailedToSync) {
  store_->Accept(Block("app-1", 0));
  sync_fails = true;
  const AcceptedBlocks refused = store_->Accept(Block("app-1", 1));
  sync_fails = false;
  EXPECT_EQ(refused.status, AcceptStatus::kUnavailable);
  EXPECT_NE(refused.problem.find("cannot sync"), std::string::npos) << refused.problem;
  EXPECT_EQ(BlocksOf("app-1"), 1U);
  EXPECT_EQ(store_->Accept(Block("app-1", 1)).duplicates, 0U);
  EXPECT_EQ(BlocksOf("app-1"), 2U);
}

TEST_F(RecordingStoreTest, StoresNothingOfADamagedBody) {
  std::string damaged = Block("app-1", 1);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  for (const std::string& body : {Block("app-1", 0) + damaged, Block("app-1", 0) + "x", Block("app-1", 0).substr(0, 50),
                                  std::string(), std::string("hello")}) {
    const AcceptedBlocks refused = store_->Accept(body);
    EXPECT_EQ(refused.status, AcceptStatus::kDamaged);
    EXPECT_FALSE(refused.problem.empty());
  }
  EXPECT_TRUE(Files().empty());
}

TEST_F(RecordingStoreTest, SeparatesApplicationsAndJvms) {
  store_->Accept(Block("app-1", 0) + Block("app-2", 0, 43) + Block("app-1", 0, 44));
  EXPECT_EQ(Files().size(), 3U);
  EXPECT_EQ(BlocksOf("app-1"), 2U);
  EXPECT_EQ(BlocksOf("app-2"), 1U);
}

TEST_F(RecordingStoreTest, GivesAnApplicationWhatItsJvmSentBeforeWithTheSameSecret) {
  const Sender sender{.secret = "5ec12e70"};
  store_->Accept(Block("", 0), sender);
  store_->Accept(Block("", 0, 43), sender);
  EXPECT_EQ(BlocksOf("unidentified~5ec12e70"), 2U);
  store_->Accept(Block("app-1", 1), {.secret = "0ther"});
  EXPECT_EQ(BlocksOf("app-1"), 1U);
  store_->Accept(Block("app-1", 2), sender);
  EXPECT_EQ(BlocksOf("app-1"), 3U);
  EXPECT_EQ(BlocksOf("unidentified~5ec12e70"), 1U);
  store_->Accept(Block("", 3), sender);
  EXPECT_EQ(BlocksOf("app-1"), 4U);
}

TEST_F(RecordingStoreTest, AClaimedProcessMovesNoBlocks) {
  store_->Accept(Block("app-1", 1) + Block("", 0));
  EXPECT_EQ(BlocksOf("app-1"), 2U) << "what one request carries belongs together";
  store_->Accept(Block("", 0, 43));
  store_->Accept(Block("app-2", 1, 43));
  EXPECT_EQ(BlocksOf("app-2"), 1U);
  EXPECT_EQ(BlocksOf("unidentified"), 1U);
}

TEST_F(RecordingStoreTest, AnotherBlockWithAKnownNumberIsStored) {
  Segment other = ExampleSegment();
  other.source.application_id = "app-1";
  other.source.sequence = 0;
  other.source.pid = 42;
  other.anchors = {{1, 1'700'000'000'000'000'000}};
  other.processes.clear();
  store_->Accept(EncodeBlock(other));
  const AcceptedBlocks accepted = store_->Accept(Block("app-1", 0));
  EXPECT_EQ(accepted.duplicates, 0U);
  EXPECT_EQ(accepted.renumbered, 1U);
  EXPECT_EQ(BlocksOf("app-1"), 2U);
  EXPECT_EQ(store_->Accept(Block("app-1", 0)).duplicates, 1U);
  Open();
  EXPECT_EQ(store_->Accept(Block("app-1", 0) + EncodeBlock(other)).duplicates, 2U);
}

TEST_F(RecordingStoreTest, CutsOffWhatACrashLeft) {
  store_->Accept(Block("app-1", 0));
  store_.reset();
  const std::string path = Files().front();
  ASSERT_TRUE(WriteFile(path, *ReadFile(path) + Block("app-1", 1).substr(0, 40)));
  Open();
  EXPECT_EQ(store_->Accept(Block("app-1", 1)).duplicates, 0U);
  EXPECT_EQ(BlocksOf("app-1"), 2U);
}

TEST_F(RecordingStoreTest, RepairsFilesThatNobodySendsBlocksFor) {
  store_->Accept(Block("app-1", 0));
  const std::string path = Files().front();
  ASSERT_TRUE(WriteFile(path, *ReadFile(path) + Block("app-1", 1).substr(0, 40)));
  Open();
  ASSERT_NO_FATAL_FAILURE(Scan(&directory_));
  EXPECT_EQ(directory_.IncompleteFiles(store_->Folder()), std::vector<std::string>{path});
  store_->Repair(path);
  directory_.Update(path);
  EXPECT_TRUE(directory_.IncompleteFiles(store_->Folder()).empty());
  EXPECT_EQ(BlocksOf("app-1"), 1U);
}

TEST_F(RecordingStoreTest, NamesOfApplicationsCannotLeaveTheFolder) {
  for (const char* id : {"..", "../../x", "/etc/passwd", ".hidden", "a/b"}) {
    EXPECT_EQ(store_->Accept(Block(id, 0)).status, AcceptStatus::kStored);
    EXPECT_EQ(BlocksOf(id), 1U) << id;
  }
  std::string long_id(5000, 'x');
  EXPECT_EQ(store_->Accept(Block(long_id, 0)).status, AcceptStatus::kStored);
  EXPECT_EQ(Files().size(), 6U);
}

TEST_F(RecordingStoreTest, RedactsBeforeItStores) {
  Segment segment = ExampleSegment();
  segment.processes[0].command = "java -Dpassword=hunter2-hunter2";
  segment.spark_events = {R"({"Event":"SparkListenerJobStart","Properties":{"spark.password":"hunter2-hunter2"}})"};
  EXPECT_EQ(store_->Accept(EncodeBlock(segment)).status, AcceptStatus::kStored);
  const std::string stored = *ReadFile(Files().front());
  ASSERT_TRUE(ReadBlocks(stored, "stored", [](Segment&& read) {
    EXPECT_EQ(read.spark_events[0].find("hunter2"), std::string::npos) << read.spark_events[0];
  }));
  ASSERT_TRUE(ReadBlocksInPlace(stored, "stored", [](BlockInPlace&& block) { EXPECT_TRUE(block.is_exact); }));
}

TEST_F(RecordingStoreTest, BelongsToOneProcess) {
  const auto second = RecordingStore::Open(folder_, [](const std::map<std::string, std::string>&) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another server"), std::string::npos);
}

TEST_F(RecordingStoreTest, TakesBlocksFromManyThreads) {
  constexpr int kThreads = 8, kBlocks = 20;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int block = 0; block < kBlocks; ++block) {
        // Two threads send every block.
        const std::string body = Block("app-1", static_cast<uint64_t>(block), thread / 2);
        EXPECT_EQ(store_->Accept(body).status, AcceptStatus::kStored);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(BlocksOf("app-1"), uint64_t{kThreads / 2 * kBlocks});
}

TEST_F(RecordingStoreTest, ADirectoryFindsWhatAnotherProcessStored) {
  store_->Accept(Block("app-1", 0) + Block("app-2", 0, 43));
  RecordingDirectory fresh(&fetched_);
  ASSERT_NO_FATAL_FAILURE(Scan(&fresh));
  EXPECT_EQ(fresh.TakeChanged(), (std::vector<std::string>{"app-1", "app-2"}));
  EXPECT_EQ(fresh.Find("app-1")->version, directory_.Find("app-1")->version);
  RecordingDirectory restored(&fetched_);
  restored.Restore("app-1", fresh.Find("app-1")->location);
  EXPECT_EQ(restored.Find("app-1")->version, fresh.Find("app-1")->version);
  ASSERT_NO_FATAL_FAILURE(Scan(&restored));
  EXPECT_EQ(restored.TakeChanged(), std::vector<std::string>{"app-2"});
  fs::remove_all(store_->Folder() + "/app-2");
  ASSERT_NO_FATAL_FAILURE(Scan(&restored));
  EXPECT_FALSE(restored.Find("app-2"));
  EXPECT_EQ(restored.TakeChanged(), std::vector<std::string>{"app-2"});
}

// Weights and number of samples in an application's files.
struct StoredSamples {
  int64_t weight = 0;
  size_t rows = 0;
  std::set<int64_t> buckets;
};
StoredSamples SamplesOf(const std::vector<std::string>& paths) {
  StoredSamples samples;
  for (const std::string& path : paths) {
    EXPECT_TRUE(ReadBlocks(*ReadFile(path), path, [&](Segment&& segment) {
      samples.buckets.insert(segment.source.bucket_ns);
      samples.rows += segment.samples.size();
      for (const SegmentSample& sample : segment.samples) samples.weight += sample.weight;
    }));
  }
  return samples;
}

class RewriteTest : public RecordingStoreTest {
 protected:
  RewriteTest() {
    for (uint64_t sequence = 0; sequence < 3; ++sequence) {
      for (const int64_t pid : {1, 2}) store_->Accept(Block("app-1", sequence, pid));
    }
  }
  RewrittenRecording Rewrite(int64_t bucket_ns) {
    const Result<RewrittenRecording> rewritten = store_->Rewrite(store_->FolderOf("app-1"), "app-1", bucket_ns);
    EXPECT_TRUE(rewritten) << rewritten.error().message;
    return *rewritten;
  }
};

TEST_F(RewriteTest, FilesOfAnApplicationBecomeOne) {
  const int64_t modified_ns = directory_.Find("app-1")->files.back().modified_ns;
  EXPECT_EQ(Rewrite(0).files, 2U);
  EXPECT_EQ(Files(), std::vector<std::string>{store_->FolderOf("app-1") + "/+compacted.sprof"});
  EXPECT_EQ(directory_.Find("app-1")->files.size(), 1U);
  EXPECT_GE(directory_.Find("app-1")->files[0].modified_ns, modified_ns);
  EXPECT_EQ(BlocksOf("app-1"), 6U);
  EXPECT_EQ(Rewrite(0).files, 0U);
}

TEST_F(RewriteTest, BlocksThatAreSentAgainAreDuplicates) {
  Rewrite(0);
  EXPECT_EQ(store_->Accept(Block("app-1", 0, 1)).duplicates, 1U);
  Open();
  EXPECT_EQ(store_->Accept(Block("app-1", 0, 1) + Block("app-1", 3, 1)).duplicates, 1U);
  EXPECT_EQ(BlocksOf("app-1"), 7U);
  Rewrite(10'000'000'000);
  EXPECT_EQ(store_->Accept(Block("app-1", 1, 1) + Block("app-1", 3, 1)).duplicates, 2U);
  EXPECT_EQ(BlocksOf("app-1"), 7U);
}

TEST_F(RewriteTest, CoarserSamplesHaveTheSameSums) {
  const StoredSamples before = SamplesOf(Files());
  Rewrite(10'000'000'000);
  const StoredSamples after = SamplesOf(Files());
  EXPECT_EQ(after.weight, before.weight);
  EXPECT_EQ(before.rows, 12U);
  EXPECT_EQ(after.rows, 4U);
  EXPECT_EQ(after.buckets, std::set<int64_t>{10'000'000'000});
  Rewrite(60'000'000'000);
  EXPECT_EQ(SamplesOf(Files()).weight, before.weight);
  EXPECT_EQ(BlocksOf("app-1"), 6U);
  // Coarsened samples stay coarse.
  Rewrite(0);
  EXPECT_EQ(SamplesOf(Files()).buckets, std::set<int64_t>{60'000'000'000});
}

TEST_F(RewriteTest, FilesThatACrashLeftBehindAreNotCountedTwice) {
  const std::string old = Files()[0];
  const std::string content = *ReadFile(old);
  Rewrite(10'000'000'000);
  const int64_t weight = SamplesOf(Files()).weight;
  ASSERT_TRUE(WriteFile(old, content));
  ASSERT_TRUE(WriteFile(store_->FolderOf("app-1") + "/+coarse-10s.sprof.unfinished", "half a blo"));
  EXPECT_EQ(Rewrite(10'000'000'000).files, 2U);
  EXPECT_EQ(Files().size(), 1U);
  EXPECT_EQ(BlocksOf("app-1"), 6U);
  EXPECT_EQ(SamplesOf(Files()).weight, weight);
}

TEST_F(RewriteTest, DamagedFilesStayAsTheyAre) {
  const std::string damaged = Files()[0];
  std::string content = *ReadFile(damaged);
  content[content.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFile(damaged, content));
  EXPECT_EQ(Rewrite(0).damaged, std::vector<std::string>{damaged});
  EXPECT_EQ(*ReadFile(damaged), content);
}

TEST_F(RewriteTest, ApplicationsThatGoOnStayAsTheyAre) {
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-1";
  segment.source.sequence = 9;
  segment.final = false;
  store_->Accept(EncodeBlock(segment));
  const std::vector<std::string> files = Files();
  EXPECT_TRUE(Rewrite(0).is_running);
  EXPECT_EQ(Files(), files);
}

TEST_F(RewriteTest, ARecordingWithANameThatIsTooLongIsRefused) {
  const AcceptedBlocks accepted = store_->Accept(Block(std::string(9'000, 'x'), 0));
  EXPECT_EQ(accepted.status, AcceptStatus::kDamaged);
  EXPECT_EQ(accepted.problem, "the application's ID: has 9000 bytes, at most 8192 are kept");
}

TEST_F(RewriteTest, RemovedApplicationsLeaveNothing) {
  ASSERT_TRUE(store_->Remove("app-1"));
  EXPECT_TRUE(Files().empty());
  EXPECT_FALSE(directory_.Find("app-1"));
  EXPECT_EQ(store_->Accept(Block("app-1", 0, 1)).duplicates, 0U);
}

TEST_F(RecordingStoreTest, ADataFolderOfAnEarlierVersionKeepsItsLongIds) {
  const std::string id(300, 'x');
  store_.reset();
  AuditLog audit(folder_);
  const auto open = [&] {
    Result<std::unique_ptr<ApplicationEntries>> entries =
        ApplicationEntries::Open(folder_, &audit, /*is_enforced=*/true);
    ASSERT_TRUE(entries) << entries.error().message;
    entries_ = std::move(*entries);
    Result<std::unique_ptr<RecordingStore>> store = RecordingStore::Open(
        folder_, [this](const std::map<std::string, std::string>& ids) { directory_.Note(ids); }, entries_.get());
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
  };
  open();
  const Sender sender{.token = "t", .secret = std::string(64, 's')};
  ASSERT_EQ(store_->Accept(Block(id, 1), sender).status, AcceptStatus::kStored);
  store_.reset();
  const std::string current = Path("recordings/" + FileNameFor(id));
  fs::rename(current, Path("recordings/" + OldFileNameFor(id)));
  open();
  EXPECT_TRUE(fs::exists(current));
  EXPECT_FALSE(fs::exists(Path("recordings/" + OldFileNameFor(id))));
  const AcceptedBlocks again = store_->Accept(Block(id, 1), sender);
  EXPECT_EQ(again.duplicates, 1u) << "the block of the renamed folder";
  EXPECT_EQ(Files().size(), 1u);
  store_.reset();
}

}  // namespace
}  // namespace sparkprof
