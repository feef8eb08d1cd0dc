// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "storage/storages.h"
#include "storage/testing/stub_server.h"

namespace sparkprof {
namespace {

constexpr char kKey[] = "c2VjcmV0IG9mIHRoZSBhY2NvdW50";

// The signatures are those of Python's hmac for the text that the service's documentation describes; Azurite accepts
// such ones.
TEST(AzureStorageTest, SignsRequestsAsDocumented) {
  constexpr int64_t kTimeNs = 1'700'000'000'000'000'000;  // 2023-11-14T22:13:20Z
  const auto signature_of = [&](const std::string& target, StorageRequest request) {
    request.headers.emplace_back("x-ms-version", "2021-12-02");
    const Url url{"https", "lake.blob.core.windows.net", 443, target};
    return std::string(FindHeader(SignAzureRequest(url, request, "lake", kKey, kTimeNs).value(), "authorization"));
  };
  EXPECT_EQ(signature_of("/spark?comp=list&prefix=a%20b%2F&restype=container", {}),
            "SharedKey lake:wVsgpbvYZBcnAf1gkO+SIhR1U15aPAoXe4rMjL4Q8bA=");
  EXPECT_EQ(signature_of("/spark/a%20b/app-1", {.headers = {{"range", "bytes=3-6"}}}),
            "SharedKey lake:aU7x2jLkC1Zqfilg5ddmLKRl9DPm5kdj79c5miiXiNU=");
  EXPECT_EQ(
      signature_of("/spark/a%20b/app-1", {"PUT", "content", {{"if-none-match", "*"}, {"x-ms-blob-type", "BlockBlob"}}}),
      "SharedKey lake:0Acd2BTaYI0CQNdzMIhU/xWa7xFLp6vNPdl8BhGTkX4=");
  EXPECT_FALSE(SignAzureRequest({"https", "h", 443, "/"}, {}, "lake", "no base64!", kTimeNs));
}

// A container on a stub; the environment names its endpoint and a shared access signature.
class AzureContainerTest : public testing::Test {
 protected:
  ~AzureContainerTest() override {
    unsetenv("AZURE_STORAGE_CONNECTION_STRING");
    unsetenv("AZURE_STORAGE_SAS_TOKEN");
  }

  static std::unique_ptr<Storage> Open(const StubServer& server) {
    const std::string connection = "AccountName=lake;BlobEndpoint=http://" + server.Authority() + "/lake/";
    setenv("AZURE_STORAGE_CONNECTION_STRING", connection.c_str(), 1);
    setenv("AZURE_STORAGE_SAS_TOKEN", "?sv=2021&sig=hidden", 1);
    Result<std::unique_ptr<Storage>> storage = OpenStorage("abfss://spark@lake.dfs.core.windows.net/logs/");
    EXPECT_TRUE(storage) << storage.error().message;
    return std::move(*storage);
  }

  static std::string Page(const std::string& blobs, const std::string& next = "") {
    return StubServer::Response("200 OK", "\xEF\xBB\xBF<?xml version=\"1.0\"?><EnumerationResults><Blobs>" + blobs +
                                              "</Blobs><NextMarker>" + next + "</NextMarker></EnumerationResults>");
  }

  static std::string Blob(const std::string& name, const std::string& size, const std::string& more = "") {
    return "<Blob><Name>" + name + "</Name><Properties><Last-Modified>Tue, 14 Nov 2023 22:13:20 GMT</Last-Modified>" +
           "<Content-Length>" + size + "</Content-Length>" + more + "</Properties></Blob>";
  }
};

TEST_F(AzureContainerTest, BlobsBelowThePrefixAreListedPageByPageWithoutFolders) {
  StubServer server({Page(Blob("logs/b", "5") + Blob("logs/sub", "0", "<ResourceType>directory</ResourceType>"), "2!x"),
                     Page(Blob("logs/a b", "3") + Blob("logs/bad", "x"))});
  const std::unique_ptr<Storage> storage = Open(server);
  const Result<StorageListing> listing = storage->List();
  ASSERT_TRUE(listing) << listing.error().message;
  constexpr int64_t kTimeNs = 1'700'000'000'000'000'000;
  EXPECT_EQ(listing->files,
            (std::vector<StoredFile>{{storage->Root() + "/a b", 3, kTimeNs}, {storage->Root() + "/b", 5, kTimeNs}}));
  EXPECT_EQ(server.Requests().at(1),
            "GET /lake/spark?comp=list&marker=2%21x&prefix=logs%2F&restype=container&sv=2021&sig=hidden");
}

TEST_F(AzureContainerTest, ARefusalHasTheReasonOfTheServerAndNoSignature) {
  StubServer server({StubServer::Response(
      "403 Forbidden", "<Error><Code>AuthenticationFailed</Code><Message>expired</Message></Error>")});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().message,
            "abfss://spark@lake.dfs.core.windows.net/logs: status 403: AuthenticationFailed: expired");
}

TEST_F(AzureContainerTest, ABlobIsCreatedOnlyIfThereIsNone) {
  const auto error = [](const std::string& status, const std::string& code) {
    return StubServer::Response(status, "<Error><Code>" + code + "</Code></Error>",
                                "x-ms-error-code: " + code + "\r\n");
  };
  StubServer server({StubServer::Response("201 Created", ""), error("409 Conflict", "BlobAlreadyExists"),
                     StubServer::Response("206 Partial Content", "other"),
                     error("409 Conflict", "ContainerBeingDeleted"), error("404 Not Found", "BlobNotFound"),
                     error("404 Not Found", "ContainerNotFound"), StubServer::Response("202 Accepted", "")});
  const std::unique_ptr<Storage> storage = Open(server);
  const std::string name = storage->Root() + "/a b";
  EXPECT_TRUE(*storage->Create(name, "mine"));
  EXPECT_FALSE(*storage->Create(name, "mine"));
  EXPECT_FALSE(storage->Create(name, "mine")) << "not every conflict is a blob";
  EXPECT_EQ(*storage->ReadIfExists(name, 100), std::nullopt);
  EXPECT_FALSE(storage->ReadIfExists(name, 100)) << "no container";
  EXPECT_TRUE(storage->Remove(name));
  EXPECT_EQ(server.Requests().front(), "PUT /lake/spark/logs/a%20b?sv=2021&sig=hidden");
  EXPECT_NE(server.Headers().front().find("if-none-match: *"), std::string::npos);
}

TEST_F(AzureContainerTest, LocationsWithoutContainerOrAccountAreRefused) {
  for (const char* const location :
       {"abfss://spark/logs", "abfss://@lake.dfs.core.windows.net/x", "wasbs://spark@lake"})
    EXPECT_FALSE(OpenStorage(location)) << location;
}

}  // namespace
}  // namespace sparkprof
