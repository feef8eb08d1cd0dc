// SPDX-License-Identifier: Apache-2.0
#include "storage/webhdfs_storage.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"

namespace sparkprof {
namespace {

// Answers one connection after the other with the given responses, and keeps the first line of each request.
class StubNameNode {
 public:
  explicit StubNameNode(std::vector<std::string> responses)
      : responses_(std::move(responses)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_.Get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_.Get(), 8), 0);
    EXPECT_EQ(getsockname(listener_.Get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~StubNameNode() { Join(); }

  std::string Root() const { return "webhdfs://127.0.0.1:" + std::to_string(port_) + "/logs"; }

  // The requests, once all responses were sent.
  const std::vector<std::string>& Requests() {
    Join();
    return requests_;
  }

  static std::string Response(const std::string& status, const std::string& body, const std::string& headers = {}) {
    return "HTTP/1.1 " + status + "\r\nconnection: close\r\ncontent-length: " + std::to_string(body.size()) + "\r\n" +
           headers + "\r\n" + body;
  }

 private:
  void Join() {
    shutdown(listener_.Get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  void Serve() {
    for (const std::string& response : responses_) {
      const FileDescriptor connection(accept(listener_.Get(), nullptr, nullptr));
      if (!connection.IsOpen()) return;
      std::string request;
      char piece[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = read(connection.Get(), piece, sizeof piece);
        if (got <= 0) break;
        request.append(piece, static_cast<size_t>(got));
      }
      requests_.push_back(request.substr(0, request.find(" HTTP/")));
      EXPECT_TRUE(WriteAll(connection.Get(), response, "stub"));
    }
  }

  const std::vector<std::string> responses_;
  std::vector<std::string> requests_;
  FileDescriptor listener_;
  int port_ = 0;
  std::thread thread_;
};

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

TEST(WebHdfsStorageTest, AFolderIsListedPageByPageAndWithTheFoldersBelowIt) {
  StubNameNode node({StubNameNode::Response("200 OK", Batch(File("a", 3), 2)),
                     StubNameNode::Response("200 OK", Batch(R"({"pathSuffix":"sub","type":"DIRECTORY"},)"
                                                            R"({"pathSuffix":"link","type":"SYMLINK"})",
                                                            0)),
                     StubNameNode::Response("200 OK", Batch(File("b", 5), 0))});
  const StorageListing listing = List(node.Root());
  EXPECT_EQ(Names(listing, node.Root()), (std::vector<std::string>{"/a", "/sub/b"}));
  ASSERT_EQ(listing.not_listed.size(), 1u);
  EXPECT_EQ(listing.not_listed[0].name, node.Root() + "/link");
  EXPECT_EQ(listing.files[0].modified_ns, 1'700'000'000'000'000'000);
  const std::vector<std::string>& requests = node.Requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[0].starts_with("GET /webhdfs/v1/logs?op=LISTSTATUS_BATCH")) << requests[0];
  EXPECT_NE(requests[1].find("startAfter=a"), std::string::npos) << requests[1];
  EXPECT_TRUE(requests[2].starts_with("GET /webhdfs/v1/logs/sub?")) << requests[2];
}

TEST(WebHdfsStorageTest, AnOldHadoopWithoutBatchesIsListedAtOnce) {
  StubNameNode node({StubNameNode::Response("400 Bad Request", "{}"),
                     StubNameNode::Response("200 OK", Statuses(File("a", 3) + "," + File("..", 1)))});
  EXPECT_EQ(Names(List(node.Root()), node.Root()), (std::vector<std::string>{"/a"})) << "names are of that folder";
  EXPECT_NE(node.Requests()[1].find("op=LISTSTATUS&"), std::string::npos) << node.Requests()[1];
}

TEST(WebHdfsStorageTest, AFolderThatMayNotBeReadIsLeftOutButNotTheRoot) {
  const std::string refused =
      R"({"RemoteException":{"exception":"AccessControlException","message":"Permission denied"}})";
  StubNameNode node({StubNameNode::Response("200 OK", Batch(R"({"pathSuffix":"own","type":"DIRECTORY"})", 0)),
                     StubNameNode::Response("403 Forbidden", refused)});
  const StorageListing listing = List(node.Root());
  ASSERT_EQ(listing.not_listed.size(), 1u);
  EXPECT_NE(listing.not_listed[0].reason.find("Permission denied"), std::string::npos) << listing.not_listed[0].reason;
  StubNameNode strict({StubNameNode::Response("403 Forbidden", refused)});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(strict.Root());
  ASSERT_TRUE(storage);
  EXPECT_FALSE((*storage)->List());
}

TEST(WebHdfsStorageTest, AReadFollowsTheRedirectToTheDataNode) {
  StubNameNode data({StubNameNode::Response("200 OK", "content and more")});
  const std::string target = "http" + data.Root().substr(7, data.Root().find("/logs") - 7) + "/data";
  StubNameNode node({StubNameNode::Response("307 Temporary Redirect", "", "location: " + target + "\r\n")});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(node.Root());
  ASSERT_TRUE(storage);
  const Result<std::string> read = (*storage)->Read(node.Root() + "/a b", 4, 7);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, "content") << "not more than was asked for";
  EXPECT_TRUE(node.Requests()[0].starts_with("GET /webhdfs/v1/logs/a%20b?op=OPEN&offset=4&length=7"))
      << node.Requests()[0];
}

TEST(WebHdfsStorageTest, AReadBehindTheEndIsEmpty) {
  StubNameNode node({StubNameNode::Response(
      "403 Forbidden", R"~({"RemoteException":{"message":"Offset=9 out of the range [0, 3)"}})~")});
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(node.Root());
  ASSERT_TRUE(storage);
  EXPECT_EQ((*storage)->Read(node.Root() + "/a", 9, 1).value(), "");
}

TEST(WebHdfsStorageTest, AnAnswerThatIsNoListingIsAnError) {
  for (const char* const body : {"", "[]", "{}", R"({"DirectoryListing":{}})", "<html>"}) {
    StubNameNode node({StubNameNode::Response("200 OK", body)});
    const Result<std::unique_ptr<Storage>> storage = OpenStorage(node.Root());
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
