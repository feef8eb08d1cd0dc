// SPDX-License-Identifier: Apache-2.0
#include "server/folders/application_entries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "model/segment/block.h"
#include "model/testing/example_segment.h"
#include "recording/source_grouping.h"
#include "server/folders/collector_files.h"
#include "server/testing/colliding_texts.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::string StartOf(const std::string& user, const std::string& id = "app-1") {
  return fmt::format(
      R"({{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"{}","Timestamp":1,"User":"{}"}})", id,
      user);
}

std::string EnvironmentOf(const std::string& viewers) {
  return fmt::format(R"({{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{{"spark.ui.view.acls":"{}"}}}})",
                     viewers);
}

Sender SenderWith(const std::string& secret, const std::string& user = "") {
  return {.peer = "192.0.2.1", .role = "ingest", .token = "shared", .user = user, .secret = secret};
}

const Viewer kAlice{"alice", {}}, kBob{"bob", {}}, kMallory{"mallory", {}};
constexpr const char* kAliceAndBob = "\nuser:alice\nuser:bob\n";

class ApplicationEntriesTest : public FolderTest {
 protected:
  ApplicationEntriesTest() { Open(); }

  void Open(bool is_enforced = true) {
    entries_.reset();
    audit_ = std::make_unique<AuditLog>(folder_);
    Result<std::unique_ptr<ApplicationEntries>> entries = ApplicationEntries::Open(folder_, audit_.get(), is_enforced);
    ASSERT_TRUE(entries) << entries.error().message;
    entries_ = std::move(*entries);
  }
  ApplicationEntries::Assigned Assign(const std::string& process, const std::vector<std::string>& events,
                                      const Sender& sender = SenderWith("")) {
    const Result<ApplicationEntries::Assigned> assigned = entries_->Assign("app-1", process, events, sender);
    EXPECT_TRUE(assigned) << assigned.error().message;
    return assigned ? *assigned : ApplicationEntries::Assigned();
  }
  std::string EntryOf(const std::string& process, const std::vector<std::string>& events,
                      const Sender& sender = SenderWith("")) {
    return Assign(process, events, sender).entry;
  }
  ApplicationEntries::List ListOf(const std::string& entry) { return entries_->ListOf(entry, {}); }
  size_t Audited(const std::string& what) {
    const std::string log = ReadFile(Path("audit.jsonl")).value_or("");
    size_t count = 0;
    const std::string wanted = R"("what":")" + what + "\"";
    for (size_t at = log.find(wanted); at != std::string::npos; at = log.find(wanted, at + 1)) ++count;
    return count;
  }
  // Adds a recording to an entry's folder, with a source that has these events.
  void Record(const std::string& entry, const std::string& host, const std::vector<std::string>& events) {
    Segment segment = ExampleSegment();
    segment.source.application_id = "app-1";
    segment.source.host = host;
    segment.spark_events = events;
    const std::string folder = Path("recordings/") + entry;
    fs::create_directories(folder);
    std::ofstream(fmt::format("{}/{}-1-{}.sprof", folder, host, ProcessHash(ProcessOf(segment.source))))
        << EncodeBlock(segment);
  }

  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<ApplicationEntries> entries_;
};

TEST_F(ApplicationEntriesTest, SourcesWithOneSecretAreOneEntry) {
  EXPECT_EQ(EntryOf("executor", {}, SenderWith("s1")), "app-1");
  EXPECT_EQ(EntryOf("driver", {EnvironmentOf("bob"), StartOf("alice")}, SenderWith("s1")), "app-1");
  EXPECT_EQ(ListOf("app-1").viewers, kAliceAndBob);
  Open();
  EXPECT_EQ(EntryOf("other executor", {}, SenderWith("s1")), "app-1");
}

TEST_F(ApplicationEntriesTest, WhoNamesAnApplicationFirstGetsNothingOfIts) {
  const std::string squatted = EntryOf("m", {StartOf("mallory"), EnvironmentOf("mallory")}, SenderWith("s2"));
  const std::string own = EntryOf("a", {StartOf("alice"), EnvironmentOf("bob")}, SenderWith("s1"));
  EXPECT_EQ(EntryOf("executor", {}, SenderWith("s1")), own);
  EXPECT_NE(squatted, own);
  EXPECT_EQ(ListOf(own).user, "alice");
  EXPECT_EQ(ListOf(squatted).user, "mallory");
  for (int start = 0; start < 2; ++start) {
    EXPECT_EQ(entries_->Resolve("app-1", kAlice), own);
    EXPECT_EQ(entries_->Resolve("app-1", kBob), own);
    EXPECT_EQ(entries_->Resolve("app-1", kMallory), squatted);
    // An administrator reaches both.
    EXPECT_EQ(entries_->Resolve(own, std::nullopt), own);
    EXPECT_EQ(entries_->Resolve(entries_->NameFor(squatted, std::nullopt), std::nullopt), squatted);
    EXPECT_EQ(entries_->NameFor(own, kAlice), "app-1");
    Open();
  }
}

TEST_F(ApplicationEntriesTest, AListThatIncludesAnotherUserDoesNotTakeHisAddress) {
  const std::string squatted = EntryOf("m", {StartOf("mallory"), EnvironmentOf("*")}, SenderWith("s2"));
  const std::string own = EntryOf("a", {StartOf("alice"), EnvironmentOf("")}, SenderWith("s1"));
  EXPECT_EQ(entries_->Resolve("app-1", kAlice), own);
  EXPECT_EQ(entries_->Resolve(entries_->NameFor(squatted, kAlice), kAlice), squatted);
}

TEST_F(ApplicationEntriesTest, ASecondSecretOfOneOwnerJoinsHisEntryWithAllThatItSent) {
  EXPECT_EQ(EntryOf("driver", {StartOf("alice")}, SenderWith("live")), "app-1");
  const std::string part = EntryOf("executor", {}, SenderWith("pushed"));
  EXPECT_NE(part, "app-1");
  const ApplicationEntries::Assigned joined = Assign("driver", {StartOf("alice")}, SenderWith("pushed"));
  EXPECT_EQ(joined.entry, "app-1");
  EXPECT_EQ(joined.left, part);
  EXPECT_TRUE(joined.leaves_all);
  EXPECT_EQ(EntryOf("executor", {}, SenderWith("pushed")), "app-1");
}

TEST_F(ApplicationEntriesTest, WithoutASecretOwnersAndProcessesStayApart) {
  const std::string alices = EntryOf("a", {StartOf("alice")});
  const std::string mallorys = EntryOf("m", {StartOf("mallory")});
  EXPECT_NE(alices, mallorys);
  EXPECT_EQ(EntryOf("a", {}), alices);
  // A source without an owner does not join an entry that has one.
  const std::string unknown = EntryOf("executor", {});
  EXPECT_NE(unknown, alices);
  EXPECT_NE(unknown, mallorys);
  EXPECT_EQ(ListOf(unknown).viewers, "");
  EXPECT_EQ(EntryOf("other executor", {}), unknown);
  // A source that claims alice's process but another owner does not join her entry.
  EXPECT_EQ(EntryOf("a", {StartOf("mallory")}), mallorys);
  EXPECT_EQ(ListOf(alices).user, "alice");
}

TEST_F(ApplicationEntriesTest, WhoStatesAnOwnerLateLeavesWhatOthersSentWithoutOne) {
  const std::string unknown = EntryOf("executor of alice", {});
  EXPECT_EQ(EntryOf("m", {}), unknown);
  const ApplicationEntries::Assigned mallorys = Assign("m", {StartOf("mallory")});
  EXPECT_NE(mallorys.entry, unknown);
  EXPECT_EQ(mallorys.left, unknown);
  EXPECT_FALSE(mallorys.leaves_all);
  EXPECT_EQ(EntryOf("executor of alice", {}), unknown);
}

TEST_F(ApplicationEntriesTest, WithoutListsSourcesThatStateNoOwnerJoinTheOnlyEntry) {
  Open(/*is_enforced=*/false);
  EXPECT_EQ(EntryOf("executor", {}), "app-1");
  EXPECT_EQ(EntryOf("driver", {StartOf("alice")}), "app-1");
  EXPECT_EQ(EntryOf("other executor", {}), "app-1");
  EXPECT_EQ(EntryOf("pushed executor", {}, SenderWith("s1")), "app-1");
  EXPECT_NE(EntryOf("m", {StartOf("mallory")}), "app-1");
}

TEST_F(ApplicationEntriesTest, ATokensUserLimitsWhatItMayClaim) {
  const Sender alices = SenderWith("", "alice");
  EXPECT_TRUE(ApplicationEntries::CheckUser("app-1", {StartOf("alice")}, alices));
  const Result<void> refused = ApplicationEntries::CheckUser("app-1", {StartOf("bob")}, alices);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the token may only send applications of user alice, not one of user bob");
  // A source without an owner joins the entry of the same secret.
  EXPECT_EQ(EntryOf("executor", {}, alices), EntryOf("driver", {StartOf("alice")}, alices));
}

TEST_F(ApplicationEntriesTest, AnEntrysFirstListStaysAndOthersAreRefused) {
  const Sender driver = SenderWith("s1");
  EntryOf("driver", {EnvironmentOf("bob"), StartOf("alice")}, driver);
  EXPECT_EQ(Audited("access"), 1U);
  EntryOf("driver", {EnvironmentOf("mallory,*")}, driver);
  EntryOf("driver", {EnvironmentOf("")}, driver);  // would lock out the other viewers
  EntryOf("driver", {StartOf("mallory")}, driver);
  EntryOf("other", {StartOf("alice"), EnvironmentOf("*")}, SenderWith("s2"));
  EXPECT_EQ(ListOf("app-1").viewers, kAliceAndBob);
  EXPECT_EQ(Audited("access"), 1U);
  const size_t refused = Audited("access refused");
  EXPECT_GE(refused, 4U);
  EntryOf("driver", {EnvironmentOf("mallory,*")}, driver);
  EXPECT_EQ(Audited("access refused"), refused) << "logged once";
}

TEST_F(ApplicationEntriesTest, TheDriverMayShowItsListInPartsInAnyOrder) {
  for (const bool start_first : {true, false}) {
    fs::remove(Path("access.jsonl"));
    Open();
    EntryOf("driver", {start_first ? StartOf("alice") : EnvironmentOf("bob")}, SenderWith("s1"));
    Open();
    EntryOf("driver", {start_first ? EnvironmentOf("bob") : StartOf("alice")}, SenderWith("s1"));
    EXPECT_EQ(ListOf("app-1").viewers, kAliceAndBob);
    // A driver repeats its environment, and sends blocks again.
    const size_t refused = Audited("access refused");
    EntryOf("driver", {EnvironmentOf("bob"), StartOf("alice"), EnvironmentOf("bob")}, SenderWith("s1"));
    EXPECT_EQ(Audited("access refused"), refused);
  }
}

TEST_F(ApplicationEntriesTest, WhatCannotBeAuditedOrStoredChangesNothing) {
  fs::create_directory(Path("audit.jsonl"));
  EXPECT_FALSE(entries_->Assign("app-1", "m", {StartOf("mallory")}, SenderWith("s2")));
  fs::remove(Path("audit.jsonl"));
  fs::create_directory(Path("access.jsonl"));
  EXPECT_FALSE(entries_->Assign("app-1", "m", {StartOf("mallory")}, SenderWith("s2")));
  EXPECT_NE(entries_->Problem(), "");
  fs::remove(Path("access.jsonl"));
  EXPECT_EQ(EntryOf("driver", {EnvironmentOf("bob"), StartOf("alice")}, SenderWith("s1")), "app-1");
  EXPECT_EQ(entries_->Problem(), "");
  EXPECT_EQ(ListOf("app-1").viewers, kAliceAndBob);
}

TEST_F(ApplicationEntriesTest, AFileOfAnEarlierVersionIsReadAndWrittenAnew) {
  std::ofstream(Path("access.jsonl"))
      << R"({"id":"app-1","state":"settled","source":"driver","user":"alice","viewers":"\nuser:alice\nuser:bob\n"})"
      << "\n";
  Record("app-1", "driver", {StartOf("alice")});
  for (int start = 0; start < 2; ++start) {
    Open();
    EXPECT_EQ(entries_->Damage(), "");
    EXPECT_EQ(ListOf("app-1").viewers, kAliceAndBob);
    EXPECT_EQ(entries_->Resolve("app-1", kAlice), "app-1");
    // The driver continues with a plugin of this version or of an earlier one.
    EXPECT_EQ(EntryOf("driver", {}, SenderWith("s1")), "app-1");
    EXPECT_EQ(EntryOf("driver", {}), "app-1");
    EXPECT_FALSE(ReadCheckedLines(*ReadFile(Path("access.jsonl"))).is_old);
  }
  struct stat status {};
  ASSERT_EQ(stat(Path("access.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(ApplicationEntriesTest, OwnersOfDamagedLinesComeFromTheRecordings) {
  EntryOf("driver", {StartOf("alice"), EnvironmentOf("bob")}, SenderWith("s1"));
  const std::string squatted = EntryOf("m", {StartOf("mallory")}, SenderWith("s2"));
  Record("app-1", "driver", {StartOf("alice"), EnvironmentOf("bob")});
  Record("app-1", "executor", {});
  Record(squatted, "m", {StartOf("mallory")});
  const std::string whole = *ReadFile(Path("access.jsonl"));
  std::vector<std::string> damages = {"", whole.substr(0, whole.size() / 2 + 5), whole.substr(0, whole.size() - 1),
                                      std::string(whole.size(), '\0')};
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string& damaged = damages.emplace_back(whole);
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
  }
  for (const std::string& damaged : damages) {
    fs::remove(Path("access.jsonl.damaged"));
    std::ofstream(Path("access.jsonl")) << damaged;
    Open();
    EXPECT_EQ(ListOf("app-1").user, "alice") << damaged;
    EXPECT_EQ(ListOf("app-1").viewers, kAliceAndBob) << damaged;
    EXPECT_EQ(entries_->Resolve("app-1", kMallory), squatted) << damaged;
    EXPECT_NE(entries_->Damage().find("damaged or missing lines"), std::string::npos) << damaged;
    EXPECT_EQ(*ReadFile(Path("access.jsonl.damaged")), damaged);
  }
}

TEST_F(ApplicationEntriesTest, OwnersOfLinesThatAreCutOrMissingComeFromTheRecordings) {
  Record("app-1", "driver", {StartOf("alice")});
  Record("app-2", "driver", {StartOf("alice")});
  const std::string of_earlier_version =
      R"({"id":"app-2","state":"settled","source":"driver","user":"alice","viewers":"\n"})";
  for (const auto& [lines, is_noticed] :
       {std::pair(of_earlier_version + "\n{\"id\":\"app-1\",\"st", true),
        std::pair(WithChecksum(R"({"entry":"app-2","id":"app-2","user":"alice"})") + "\n", false)}) {
    fs::remove(Path("access.jsonl.damaged"));
    std::ofstream(Path("access.jsonl")) << lines;
    Open();
    EXPECT_EQ(ListOf("app-1").user, "alice") << lines;
    EXPECT_EQ(!entries_->Damage().empty(), is_noticed) << lines;
  }
}

TEST_F(ApplicationEntriesTest, WhatRecordingsDoNotProveOnlyAdministratorsSee) {
  EntryOf("driver", {StartOf("alice")}, SenderWith("s1"));
  Record("app-1", "driver", {StartOf("alice")});
  Record("app-1", "other", {StartOf("mallory")});
  std::string damaged = *ReadFile(Path("access.jsonl"));
  damaged[5] = '\0';
  std::ofstream(Path("access.jsonl")) << damaged;
  Open();
  EXPECT_EQ(ListOf("app-1").user, "");
  EXPECT_EQ(ListOf("app-1").viewers, "");
}

TEST_F(ApplicationEntriesTest, WatchedFilesBelongToTheirOwners) {
  const ApplicationEntries::List alice = ApplicationEntries::OnlyFor("alice"), mallory{"mallory", "\nuser:*\n"};
  const std::string first = entries_->AssignWatched({"app-1", "log m", mallory});
  const std::string second = entries_->AssignWatched({"app-1", "log a", alice});
  EXPECT_NE(first, second);
  EXPECT_EQ(entries_->AssignWatched({"app-1", "log a 2", alice}), second) << "another attempt";
  EXPECT_NE(entries_->AssignWatched({.id = "app-1", .claim = "log a 3", .list = alice, .is_separate = true}), second);
  EXPECT_EQ(entries_->Resolve("app-1", kAlice), second);
  // The recording sent by the owner's driver joins the entry.
  EXPECT_EQ(EntryOf("driver", {StartOf("alice")}, SenderWith("s1")), second);
}

TEST_F(ApplicationEntriesTest, ForgottenEntriesLeaveTheirNames) {
  EXPECT_EQ(EntryOf("driver", {StartOf("alice")}, SenderWith("s1")), "app-1");
  entries_->Forget("app-1");
  Open();
  EXPECT_EQ(EntryOf("other", {StartOf("dave")}, SenderWith("s2")), "app-1");
  EXPECT_EQ(ListOf("app-1").user, "dave");
}

TEST_F(ApplicationEntriesTest, TenantsHaveEntriesOfTheirOwnAndNoneKnowsThoseOfOthers) {
  const auto sender = [](const std::string& tenant) {
    Sender of_tenant = SenderWith("");
    of_tenant.token += tenant;
    of_tenant.tenant = tenant;
    return of_tenant;
  };
  const std::string of_a = EntryOf("driver", {StartOf("alice"), EnvironmentOf("*")}, sender("a"));
  const std::string of_b = EntryOf("driver", {StartOf("alice"), EnvironmentOf("bob")}, sender("b"));
  EXPECT_NE(of_a, of_b);
  EXPECT_EQ(ListOf(of_b).viewers, "\ntenant:b\ntenant:b/user:alice\ntenant:b/user:bob\n");
  const Viewer in_a{"alice", {}, "a"}, in_b{"", {}, "b", true}, in_c{"alice", {}, "c", true}, in_none{"alice", {}};
  for (int start = 0; start < 2; ++start) {
    EXPECT_EQ(EntryOf("executor", {StartOf("alice")}, sender("b")), of_b);
    EXPECT_EQ(entries_->Resolve("app-1", in_a), of_a);
    EXPECT_EQ(entries_->Resolve("app-1", in_b), of_b);
    EXPECT_EQ(entries_->NameFor(of_b, in_b), "app-1");
    for (const Viewer& viewer : {in_c, in_none}) {
      for (const std::string& name : {of_a, of_b, of_a + "~"}) {
        const std::string resolved = entries_->Resolve(name, viewer);
        EXPECT_TRUE(resolved != of_a && resolved != of_b) << name;
      }
    }
    EXPECT_TRUE(entries_->HasApplication("b", "app-1"));
    EXPECT_FALSE(entries_->HasApplication("c", "app-1"));
    EXPECT_EQ(entries_->TenantOfEntry(of_b), "b");
    Open();
  }
}

TEST_F(ApplicationEntriesTest, ManySecretsOfOneEntryWriteFewBytes) {
  for (int source = 0; source < 2'000; ++source) {
    EXPECT_EQ(EntryOf("p" + std::to_string(source), {StartOf("alice")}, SenderWith("s" + std::to_string(source))),
              "app-1");
  }
  EXPECT_LT(fs::file_size(Path("access.jsonl")), uint64_t{4} << 20);
  Open();
  EXPECT_EQ(EntryOf("executor", {}, SenderWith("s1")), "app-1");
  EXPECT_EQ(EntryOf("late", {StartOf("alice")}, SenderWith("s1999")), "app-1");
}

TEST_F(ApplicationEntriesTest, NamesThatAreTooLongAreRefused) {
  const std::string name(9'000, 'x');
  EXPECT_TRUE(ApplicationEntries::CheckNames("app-1", "p", {StartOf("alice"), EnvironmentOf("bob")}));
  EXPECT_FALSE(ApplicationEntries::CheckNames(name, "p", {}));
  EXPECT_FALSE(ApplicationEntries::CheckNames("app-1", name, {}));
  EXPECT_FALSE(ApplicationEntries::CheckNames("app-1", "p", {StartOf(name)}));
  std::string viewers;
  for (int user = 0; user < 10'000; ++user) viewers += "user" + std::to_string(user) + ",";
  EXPECT_FALSE(ApplicationEntries::CheckNames("app-1", "p", {EnvironmentOf(viewers)}));
}

TEST_F(ApplicationEntriesTest, LongIdsThatCollideInXxhAreTwoEntriesInTwoFolders) {
  const auto [alices, mallorys] = CollidingTexts();
  for (int start = 0; start < 2; ++start) {
    for (const std::string& id : {alices, mallorys}) {
      const auto assigned = entries_->Assign(id, "driver of " + id, {}, SenderWith("s " + id));
      ASSERT_TRUE(assigned) << assigned.error().message;
      EXPECT_EQ(entries_->EntryOfFolder(FileNameFor(assigned->entry)), id);
    }
    Open();
  }
}

TEST_F(ApplicationEntriesTest, FoldersThatEarlierVersionsNamedKeepTheirEntries) {
  const std::string id(300, 'x');
  ASSERT_TRUE(entries_->Assign(id, "driver", {StartOf("alice", id)}, SenderWith("s1")));
  fs::create_directories(Path("recordings/" + OldFileNameFor(id)));
  Open();
  EXPECT_EQ(entries_->OldFolders(), (std::map<std::string, std::string>{{OldFileNameFor(id), id}}));
  EXPECT_EQ(ListOf(id).user, "alice");
  EXPECT_EQ(ReadFile(Path("access.jsonl"))->find(OldFileNameFor(id)), std::string::npos) << "no second entry";
}

TEST_F(ApplicationEntriesTest, AFolderNamedByAHashWithoutALineTakesNoOtherEntrysList) {
  const std::string id(300, 'x');
  ASSERT_TRUE(entries_->Assign(id, "driver", {StartOf("alice", id)}, SenderWith("s1")));
  Segment segment = ExampleSegment();
  segment.source.application_id = id;
  segment.spark_events = {StartOf("mallory", id)};
  const std::string folder = FileNameFor(id + "~01234567");
  fs::create_directories(Path("recordings/" + folder));
  std::ofstream(Path("recordings/" + folder + "/h-1-0.sprof")) << EncodeBlock(segment);
  Open();
  EXPECT_EQ(ListOf(id).user, "alice");
  const std::string other = entries_->EntryOfFolder(folder);
  EXPECT_NE(other, id);
  EXPECT_EQ(ListOf(other).user, "mallory");
  EXPECT_EQ(entries_->OldFolders()[folder], other);
}

}  // namespace
}  // namespace sparkprof
