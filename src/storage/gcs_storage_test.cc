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

// A bucket on a stub, as on an emulator.
class GcsStorageTest : public testing::Test {
 protected:
  ~GcsStorageTest() override { unsetenv("STORAGE_EMULATOR_HOST"); }

  static std::unique_ptr<Storage> Open(const StubServer& server, const std::string& location = "gs://lake/logs") {
    setenv("STORAGE_EMULATOR_HOST", server.Authority().c_str(), 1);
    Result<std::unique_ptr<Storage>> storage = OpenStorage(location);
    EXPECT_TRUE(storage) << storage.error().message;
    return std::move(*storage);
  }

  static std::string Page(const std::string& items, const std::string& next = "") {
    return StubServer::Response("200 OK", R"({"items":[)" + items + R"(],"nextPageToken":")" + next + "\"}");
  }

  static std::string Item(const std::string& name, const std::string& size) {
    return R"({"name":")" + name + R"(","size":)" + size + R"(,"updated":"2023-11-14T22:13:20.250Z"})";
  }
};

TEST_F(GcsStorageTest, ObjectsBelowThePrefixAreListedPageByPage) {
  StubServer server({Page(Item("logs/b c", "\"5\"") + "," + Item("logs/folder/", "\"0\""), "a/b="),
                     Page(Item("logs/a", "3") + "," + Item("other/x", "1") + "," + Item("logs/bad", "\"x\""))});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files, (std::vector<StoredFile>{{"gs://lake/logs/a", 3, 1'700'000'000'250'000'000},
                                                     {"gs://lake/logs/b c", 5, 1'700'000'000'250'000'000}}));
  EXPECT_EQ(server.Requests().at(1),
            "GET /storage/v1/b/lake/o?prefix=logs%2F&fields=items%28name%2Csize%2Cupdated%29%2CnextPageToken"
            "&pageToken=a%2Fb%3D");
}

TEST_F(GcsStorageTest, ARootThatIsAnObjectIsThatObject) {
  StubServer server({Page(""), Page(Item("logs/app-10", "\"9\"") + "," + Item("logs/app-1", "\"4\"")),
                     StubServer::Response("206 Partial Content", "cont")});
  const std::unique_ptr<Storage> storage = Open(server, "gs://lake/logs/app-1");
  const Result<StorageListing> listing = storage->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files, (std::vector<StoredFile>{{"gs://lake/logs/app-1", 4, 1'700'000'000'250'000'000}}));
  EXPECT_EQ(storage->Read("gs://lake/logs/app-1", 0, 4).value(), "cont");
  EXPECT_EQ(server.Requests().at(2), "GET /storage/v1/b/lake/o/logs%2Fapp-1?alt=media");
}

TEST_F(GcsStorageTest, ARefusalHasTheReasonOfTheServer) {
  StubServer server({StubServer::Response("403 Forbidden", R"({"error":{"code":403,"message":"no access to it"}})")});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().message, "gs://lake/logs: status 403: no access to it");
}

TEST_F(GcsStorageTest, AnObjectIsCreatedOnlyIfThereIsNone) {
  const std::string exists = StubServer::Response("412 Precondition Failed", "");
  StubServer server({StubServer::Response("200 OK", "{}"), exists, StubServer::Response("206 Partial Content", "other"),
                     exists, StubServer::Response("206 Partial Content", "mine"),
                     StubServer::Response("404 Not Found", "No such object: lake/logs/a b"),
                     StubServer::Response("404 Not Found", "The specified bucket does not exist."),
                     StubServer::Response("204 No Content", "")});
  const std::unique_ptr<Storage> storage = Open(server);
  const std::string name = "gs://lake/logs/a b";
  EXPECT_TRUE(*storage->Create(name, "mine"));
  EXPECT_FALSE(*storage->Create(name, "mine"));
  EXPECT_TRUE(*storage->Create(name, "mine")) << "the answer to an earlier request was lost";
  EXPECT_EQ(*storage->ReadIfExists(name, 100), std::nullopt);
  EXPECT_FALSE(storage->ReadIfExists(name, 100)) << "no bucket";
  EXPECT_TRUE(storage->Remove(name));
  EXPECT_EQ(server.Requests().front(),
            "POST /upload/storage/v1/b/lake/o?uploadType=media&ifGenerationMatch=0&name=logs%2Fa%20b");
  EXPECT_EQ(server.Requests().back(), "DELETE /storage/v1/b/lake/o/logs%2Fa%20b");
}

TEST(ServiceAccountTest, AFileWithoutAKeyIsRefused) {
  std::string address;
  for (const char* const json : {"", "[]", "{}", R"({"client_email":"a@b","private_key":"none"})"}) {
    EXPECT_FALSE(TokenRequestOfServiceAccount(json, "scope", 0, &address)) << json;
  }
}

}  // namespace
}  // namespace sparkprof
