// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "catalogue/duckdb/duckdb_catalogue.h"
#include "catalogue/testing/example_entries.h"
#include "http/http_client.h"
#include "model/segment/block.h"
#include "model/testing/example_segment.h"
#include "server/server.h"

namespace sparkprof {

// A collector in this process, with its own folder, store and DuckDB catalogue.
class CollectorTest : public FolderTest {
 protected:
  void TearDown() override {
    if (thread_.joinable()) {
      server_->Stop();
      thread_.join();
    }
    server_.reset();
  }

  // Returns false if DuckDB's library is missing; the test then ends.
  bool Start(std::vector<CatalogueEntry> entries = {}, ServerOptions options = {}) {
    CatalogueProblem problem{};
    Result<std::unique_ptr<Catalogue>> catalogue = OpenDuckdbCatalogue(Path("catalogue.duckdb"), {}, &problem);
    if (problem == CatalogueProblem::kNoLibrary) return false;
    EXPECT_TRUE(catalogue) << catalogue.error().message;
    const Result<void> put = (*catalogue)->PutAll(entries);
    EXPECT_TRUE(put) << put.error().message;
    options.http.address = {"127.0.0.1", 0};
    options.data = folder_;
    Result<std::unique_ptr<Server>> server = Server::Open(std::move(options), std::move(*catalogue));
    EXPECT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->Run(); });
    return true;
  }

  HttpResponse Send(std::string_view method, const std::string& target, std::string_view body = {},
                    const HttpHeaders& headers = {}) {
    Result<Url> url = ParseUrl(server_->Address() + target);
    EXPECT_TRUE(url) << url.error().message;
    Result<HttpResponse> response = SendHttp(method, *url, headers, body);
    EXPECT_TRUE(response) << response.error().message;
    return response ? *response : HttpResponse{.status = 0};
  }
  HttpResponse Get(const std::string& target, const HttpHeaders& headers = {}) {
    return Send("GET", target, {}, headers);
  }
  // "200 BODY", without a final line end.
  std::string Answer(const HttpResponse& response) const {
    std::string text = std::to_string(response.status) + " " + std::string(response.Body());
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  std::string Answer(const std::string& target) { return Answer(Get(target)); }

  // Sends the example's recording with another ID.
  void SendApplication(const std::string& id) {
    Segment segment = ExampleSegment();
    segment.source.application_id = id;
    const HttpResponse response = Send("POST", "/api/sparkprof/v1/recordings", EncodeBlock(segment));
    EXPECT_EQ(Answer(response), R"(200 {"blocks":1,"duplicates":0,"applications":[")" + id + R"("]})");
  }

 private:
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace sparkprof
