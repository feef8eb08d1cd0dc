// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "storage/storages.h"
#include "storage/testing/stub_server.h"

namespace sparkprof {
namespace {

// The root of the folder /logs on the stub.
std::string RootOf(const StubServer& node) { return "webhdfs://" + node.Authority() + "/logs"; }

std::string File(const std::string& name, int size) {
  return R"({"pathSuffix":")" + name + R"(","type":"FILE","length":)" + std::to_string(size) +
         R"(,"modificationTime":1700000000000})";
}

std::string Statuses(const std::string& entries) { return R"({"FileStatuses":{"FileStatus":[)" + entries + "]}}"; }

std::string Batch(const std::string& entries, int remaining) {
  return R"({"DirectoryListing":{"partialListing":)" + Statuses(entries) + R"(,"remainingEntries":)" +
         std::to_string(remaining) + "}}";
}

std::vector<std::string> Names(const StorageListing& listing, const std::string& root) {
  std::vector<std::string> names;
  for (const StoredFile& file : listing.files) names.push_back(file.name.substr(root.size()));
  return names;
}

StorageListing List(const std::string& root) {
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(root);
  EXPECT_TRUE(storage);
  const Result<StorageListing> listing = (*storage)->List();
  EXPECT_TRUE(listing) << listing.error().message;
  return listing.value_or(StorageListing());
}

TEST(WebHdfsStorageTest, TheNameNodeThatStandsByIsNotAskedAgain) {
  constexpr char kStandby[] = R"({"RemoteException":{"exception":"StandbyException","message":"not here"}})";
  StubServer standby({StubServer::Response("403 Forbidden", kStandby)});
  StubServer active(
      {StubServer::Response("200 OK", Batch(File("a", 3), 1)), StubServer::Response("200 OK", Batch(File("b", 5), 0))});
  std::string folder = testing::TempDir() + "hdfs-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto property = [](const std::string& name, const std::string& value) {
    return "<property><name>" + name + "</name><value>" + value + "</value></property>";
  };
  ASSERT_TRUE(WriteFile(folder + "/hdfs-site.xml",
                        "<configuration>" + property("dfs.ha.namenodes.lake", "nn1, nn2") +
                            property("dfs.namenode.http-address.lake.nn1", standby.Authority()) +
                            property("dfs.namenode.http-address.lake.nn2", active.Authority()) + "</configuration>"));
  setenv("HADOOP_CONF_DIR", folder.c_str(), 1);
  const StorageListing listing = List("hdfs://lake/logs");
  unsetenv("HADOOP_CONF_DIR");
  EXPECT_EQ(Names(listing, "hdfs://lake/logs"), (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(standby.Requests().size(), 1U);
}

TEST(WebHdfsStorageTest, ATokenThatExpiredIsReplacedByThatOfTheFile) {
  using std::string_literals::operator""s;
  const auto token_file = [](char password) {
    return "HDTS\0\x01\x01n\x02id\x01"s + password + "\x12WEBHDFS delegation\x06h:9870\0"s;
  };
  constexpr char kExpired[] = R"({"RemoteException":{"exception":"SecretManager$InvalidToken","message":"expired"}})";
  StubServer node({StubServer::Response("403 Forbidden", kExpired),
                   StubServer::Response("200 OK", Batch(File("a", 3), 0)),
                   StubServer::Response("403 Forbidden", kExpired)});
  const std::string file = testing::TempDir() + "hdfs-token-" + std::to_string(getpid());
  ASSERT_TRUE(WriteFile(file, token_file('1')));
  setenv("HADOOP_TOKEN_FILE_LOCATION", file.c_str(), 1);
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(node));
  ASSERT_TRUE(storage) << storage.error().message;
  ASSERT_TRUE(WriteFile(file, token_file('2')));
  EXPECT_EQ((*storage)->List().value().files.size(), 1U);
  EXPECT_FALSE((*storage)->List()) << "the same token again";
  unsetenv("HADOOP_TOKEN_FILE_LOCATION");
  unlink(file.c_str());
  EXPECT_EQ(node.Requests().size(), 3U);
}

TEST(WebHdfsStorageTest, ARootThatIsAFileIsThatFile) {
  StubServer node({StubServer::Response("200 OK", Batch(File("", 3), 0)), StubServer::Response("200 OK", "abc")});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(node) + "/app-1");
  const Result<StorageListing> listing = (*storage)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  ASSERT_EQ(listing->files.size(), 1U);
  EXPECT_EQ(listing->files[0].name, RootOf(node) + "/app-1");
  EXPECT_EQ((*storage)->Read(listing->files[0].name, 0, 3).value(), "abc");
}

TEST(WebHdfsStorageTest, AFolderIsListedPageByPageAndWithTheFoldersBelowIt) {
  StubServer node({StubServer::Response("200 OK", Batch(File("a", 3), 2)),
                   StubServer::Response("200 OK", Batch(R"({"pathSuffix":"sub","type":"DIRECTORY"},)"
                                                        R"({"pathSuffix":"link","type":"SYMLINK"})",
                                                        0)),
                   StubServer::Response("200 OK", Batch(File("b", 5), 0))});
  const StorageListing listing = List(RootOf(node));
  EXPECT_EQ(Names(listing, RootOf(node)), (std::vector<std::string>{"/a", "/sub/b"}));
  ASSERT_EQ(listing.not_listed.size(), 1u);
  EXPECT_EQ(listing.not_listed[0].name, RootOf(node) + "/link");
  EXPECT_EQ(listing.files[0].modified_ns, 1'700'000'000'000'000'000);
  const std::vector<std::string>& requests = node.Requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[0].starts_with("GET /webhdfs/v1/logs?op=LISTSTATUS_BATCH")) << requests[0];
  EXPECT_NE(requests[1].find("startAfter=a"), std::string::npos) << requests[1];
  EXPECT_TRUE(requests[2].starts_with("GET /webhdfs/v1/logs/sub?")) << requests[2];
}

TEST(WebHdfsStorageTest, AnOldHadoopWithoutBatchesIsListedAtOnce) {
  StubServer node({StubServer::Response("400 Bad Request", "{}"),
                   StubServer::Response("200 OK", Statuses(File("a", 3) + "," + File("..", 1)))});
  EXPECT_EQ(Names(List(RootOf(node)), RootOf(node)), (std::vector<std::string>{"/a"})) << "names are of that folder";
  EXPECT_NE(node.Requests()[1].find("op=LISTSTATUS&"), std::string::npos) << node.Requests()[1];
}

TEST(WebHdfsStorageTest, AFolderThatMayNotBeReadIsLeftOutButNotTheRoot) {
  const std::string refused =
      R"({"RemoteException":{"exception":"AccessControlException","message":"Permission denied"}})";
  StubServer node({StubServer::Response("200 OK", Batch(R"({"pathSuffix":"own","type":"DIRECTORY"})", 0)),
                   StubServer::Response("403 Forbidden", refused)});
  const StorageListing listing = List(RootOf(node));
  ASSERT_EQ(listing.not_listed.size(), 1u);
  EXPECT_NE(listing.not_listed[0].reason.find("Permission denied"), std::string::npos) << listing.not_listed[0].reason;
  StubServer strict({StubServer::Response("403 Forbidden", refused)});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(strict));
  ASSERT_TRUE(storage);
  EXPECT_FALSE((*storage)->List());
}

TEST(WebHdfsStorageTest, AReadFollowsTheRedirectToTheDataNode) {
  StubServer data({StubServer::Response("200 OK", "content and more")});
  const std::string target = "http://" + data.Authority() + "/data";
  StubServer node({StubServer::Response("307 Temporary Redirect", "", "location: " + target + "\r\n")});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(node));
  ASSERT_TRUE(storage);
  const Result<std::string> read = (*storage)->Read(RootOf(node) + "/a b", 4, 7);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, "content") << "not more than was asked for";
  EXPECT_TRUE(node.Requests()[0].starts_with("GET /webhdfs/v1/logs/a%20b?op=OPEN&offset=4&length=7"))
      << node.Requests()[0];
}

TEST(WebHdfsStorageTest, AReadBehindTheEndIsEmpty) {
  StubServer node({StubServer::Response("403 Forbidden",
                                        R"~({"RemoteException":{"message":"Offset=9 out of the range [0, 3)"}})~")});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(node));
  ASSERT_TRUE(storage);
  EXPECT_EQ((*storage)->Read(RootOf(node) + "/a", 9, 1).value(), "");
}

TEST(WebHdfsStorageTest, AFileGetsItsNameWhenItIsCompleteAndOnlyIfTheNameIsFree) {
  const std::string created = StubServer::Response("201 Created", "");
  StubServer data({"HTTP/1.1 100 Continue\r\n\r\n" + created, created});
  const std::string redirect =
      StubServer::Response("307 Temporary Redirect", "", "location: http://" + data.Authority() + "/data\r\n");
  const std::string yes = StubServer::Response("200 OK", R"({"boolean":true})");
  const std::string no = StubServer::Response("200 OK", R"({"boolean":false})");
  StubServer node({redirect, yes, yes, redirect, no, yes, StubServer::Response("200 OK", "other")});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(node));
  const std::string name = RootOf(node) + "/blocks/a b";
  EXPECT_TRUE(*(*storage)->Create(name, "mine"));
  EXPECT_FALSE(*(*storage)->Create(name, "mine"));
  const std::vector<std::string>& requests = node.Requests();
  ASSERT_EQ(requests.size(), 7U);
  EXPECT_TRUE(requests[0].starts_with("PUT /webhdfs/v1/logs/tmp/")) << requests[0];
  EXPECT_TRUE(requests[1].starts_with("PUT /webhdfs/v1/logs/blocks?op=MKDIRS")) << requests[1];
  EXPECT_NE(requests[2].find("op=RENAME&destination=%2Flogs%2Fblocks%2Fa%20b"), std::string::npos) << requests[2];
  EXPECT_TRUE(requests[5].starts_with("DELETE /webhdfs/v1/logs/tmp/")) << "the file without a name goes";
  EXPECT_EQ(data.Requests().front(), "PUT /data");
  EXPECT_NE(data.Headers().front().find("content-length: 4"), std::string::npos) << "the DataNode gets the content";
}

TEST(WebHdfsStorageTest, AnAnswerThatIsNoListingIsAnError) {
  for (const char* const body : {"", "[]", "{}", R"({"DirectoryListing":{}})", "<html>"}) {
    StubServer node({StubServer::Response("200 OK", body)});
    const Result<std::unique_ptr<Storage>> storage = OpenStorage(RootOf(node));
    ASSERT_TRUE(storage);
    const Result<StorageListing> listing = (*storage)->List();
    ASSERT_FALSE(listing) << body;
    EXPECT_NE(listing.error().message.find("WebHDFS"), std::string::npos) << listing.error().message;
  }
}

TEST(WebHdfsStorageTest, LocationsWithoutAHostAreRefused) {
  for (const char* const location : {"hdfs://", "hdfs:/logs", "webhdfs://host:port/logs"}) {
    EXPECT_FALSE(OpenStorage(location)) << location;
  }
}

}  // namespace
}  // namespace sparkprof
