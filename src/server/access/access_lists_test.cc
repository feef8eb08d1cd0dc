// SPDX-License-Identifier: Apache-2.0
#include "server/access/access_lists.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace sparkprof {
namespace {

std::string StartOf(const std::string& user, const std::string& id = "app-1") {
  return fmt::format(
      R"({{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"{}","Timestamp":1,"User":"{}"}})", id,
      user);
}

std::string EnvironmentOf(const std::string& viewers) {
  return fmt::format(R"({{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{{"spark.ui.view.acls":"{}"}}}})",
                     viewers);
}

class AccessListsTest : public testing::Test {
 protected:
  AccessListsTest() : folder_(testing::TempDir() + "access-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Open();
  }
  ~AccessListsTest() override { std::filesystem::remove_all(folder_); }

  void Open() {
    audit_ = std::make_unique<AuditLog>(folder_);
    Result<std::unique_ptr<AccessLists>> lists = AccessLists::Open(folder_, audit_.get(), /*is_enforced=*/true);
    ASSERT_TRUE(lists) << lists.error().message;
    lists_ = std::move(*lists);
  }
  void Add(const std::string& source, const std::vector<std::string>& events) {
    EXPECT_TRUE(lists_->AddEvents("app-1", source, events, {"192.0.2.1", "ingest"}));
  }
  std::string Viewers() { return lists_->Settle("app-1", "recordings", {}).viewers; }
  size_t Audited(const std::string& what) {
    const std::string log = ReadFile(folder_ + "/audit.jsonl").value_or("");
    size_t count = 0;
    const std::string wanted = R"("what":")" + what + "\"";
    for (size_t at = log.find(wanted); at != std::string::npos; at = log.find(wanted, at + 1)) ++count;
    return count;
  }

  const std::string folder_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<AccessLists> lists_;
};

constexpr const char* kAliceAndBob = "\nuser:alice\nuser:bob\n";

TEST_F(AccessListsTest, TheFirstSourceDecidesAndOthersAreRefused) {
  Add("driver", {EnvironmentOf("bob"), StartOf("alice")});
  EXPECT_EQ(Viewers(), kAliceAndBob);
  EXPECT_EQ(Audited("access"), 1u);
  Add("mallory", {EnvironmentOf("mallory,*")});
  Add("mallory", {StartOf("mallory")});
  Add("mallory", {EnvironmentOf("")});  // would lock the others out
  Add("mallory", {StartOf("mallory"), EnvironmentOf("*")});
  // Whoever knows the driver's process is not its user either.
  Add("driver", {EnvironmentOf("mallory")});
  Add("driver", {StartOf("mallory")});
  EXPECT_EQ(Viewers(), kAliceAndBob);
  EXPECT_EQ(lists_->Settle("app-1", "log", {"mallory", "\nuser:*\n"}).user, "alice");
  EXPECT_EQ(Audited("access"), 1u);
  EXPECT_GE(Audited("access refused"), 5u);
  const size_t refused = Audited("access refused");
  Add("mallory", {EnvironmentOf("mallory,*")});
  EXPECT_EQ(Audited("access refused"), refused) << "logged once";
}

TEST_F(AccessListsTest, TheDriverMayShowItsListInPartsInAnyOrder) {
  for (const bool start_first : {true, false}) {
    std::filesystem::remove(folder_ + "/access.jsonl");
    Open();
    Add("driver", {start_first ? StartOf("alice") : EnvironmentOf("bob")});
    Add("other", {start_first ? EnvironmentOf("mallory") : StartOf("mallory")});
    Open();
    Add("driver", {start_first ? EnvironmentOf("bob") : StartOf("alice")});
    EXPECT_EQ(Viewers(), kAliceAndBob);
    // A driver repeats its environment, and sends blocks again.
    const size_t refused = Audited("access refused");
    Add("driver", {EnvironmentOf("bob"), StartOf("alice"), EnvironmentOf("bob")});
    EXPECT_EQ(Audited("access refused"), refused);
    EXPECT_EQ(Viewers(), kAliceAndBob);
  }
}

TEST_F(AccessListsTest, SourcesWithoutEventsDecideNothing) {
  Add("executor", {});
  Add("profile", {R"({"Event":"SparkListenerJobStart","Job ID":1})"});
  Add("other", {StartOf("mallory", "app-2")});
  EXPECT_EQ(Viewers(), "");
  Add("driver", {EnvironmentOf("bob"), StartOf("alice")});
  EXPECT_EQ(Viewers(), kAliceAndBob);
}

TEST_F(AccessListsTest, ListsOutlastTheServerAndItsKill) {
  Add("driver", {EnvironmentOf("bob"), StartOf("alice")});
  EXPECT_EQ(lists_->Settle("app-2", "log", {"carol", "\nuser:carol\n"}).user, "carol");
  std::ofstream(folder_ + "/access.jsonl", std::ios::app) << R"({"id":"app-3","st)";
  for (int start = 0; start < 2; ++start) {
    Open();
    EXPECT_EQ(Viewers(), kAliceAndBob);
    EXPECT_EQ(lists_->Settle("app-2", "log", {"mallory", "\nuser:mallory\n"}).viewers, "\nuser:carol\n");
    EXPECT_EQ(lists_->Settle("app-3", "log", {}).viewers, "");
  }
  lists_->Forget("app-2");
  Open();
  EXPECT_EQ(lists_->Settle("app-2", "log", {"dave", "\nuser:dave\n"}).user, "dave");
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/access.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(AccessListsTest, WhatCannotBeAuditedOrStoredChangesNothing) {
  std::filesystem::create_directory(folder_ + "/audit.jsonl");
  EXPECT_FALSE(lists_->AddEvents("app-1", "driver", {StartOf("mallory")}, {}));
  EXPECT_EQ(Viewers(), "");
  std::filesystem::remove(folder_ + "/audit.jsonl");
  std::filesystem::create_directory(folder_ + "/access.jsonl");
  EXPECT_FALSE(lists_->AddEvents("app-1", "driver", {StartOf("mallory")}, {}));
  EXPECT_NE(lists_->Problem(), "");
  EXPECT_EQ(Viewers(), "");
  std::filesystem::remove(folder_ + "/access.jsonl");
  Add("driver", {EnvironmentOf("bob"), StartOf("alice")});
  EXPECT_EQ(lists_->Problem(), "");
  EXPECT_EQ(Viewers(), kAliceAndBob);
}

}  // namespace
}  // namespace sparkprof
