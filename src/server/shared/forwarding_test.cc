// SPDX-License-Identifier: Apache-2.0
#include "server/shared/forwarding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/testing/folder_test.h"
#include "base/text/text.h"
#include "http_server/http_server.h"
#include "server/shared/block_objects.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

using std::chrono::milliseconds;

constexpr LiveNodesTimes kTimes{.ask = milliseconds(50), .answer = milliseconds(60'000), .alive = milliseconds(3'000)};
constexpr int kApplications = 60;

// A minimal server on a store, which answers with its own name, the client's address and the client's name.
class Node : public HttpHandler {
 public:
  Node(Storage* storage, const std::string& id, const std::string& key)
      : log(storage, id), nodes(&log, id, key, kTimes), forwarding(&nodes, {"x-user"}) {
    log.SetListener([this](uint64_t, std::string_view lines) {
      for (const std::string_view line : Split(lines, '\n')) nodes.Apply(line);
    });
    Result<std::unique_ptr<HttpServer>> listening = HttpServer::Listen({.address = {"127.0.0.1", 0}}, this);
    EXPECT_TRUE(listening);
    http_ = std::move(*listening);
    thread_ = std::thread([this] { http_->Run(); });
    nodes.Start(fmt::format("http://127.0.0.1:{}", http_->Port()), [this] { return is_ready.load(); });
  }
  ~Node() override {
    nodes.Stop();
    Kill();
  }

  void Kill() {
    if (!thread_.joinable()) return;
    http_->Stop();
    thread_.join();
    http_.reset();
  }

  HttpAdmission Admit(const HttpRequest&) override { return {.refusal = std::nullopt, .lane = HttpLane::kQuick}; }
  HttpResponse Answer(const HttpRequest& request) override {
    if (request.segments.front() == "readyz") {
      HttpResponse response = MakeResponse(is_ready ? 200 : 503, "text/plain", "");
      nodes.AddProof(request, &response);
      return response;
    }
    const std::optional<HttpRequest> received = forwarding.Received(request);
    const std::lock_guard lock(mutex_);
    last_ = request;
    if (!received) return MakeResponse(401, "text/plain", "");
    HttpResponse response = MakeResponse(
        status, "text/plain", fmt::format("{} for {} of {}", nodes.Id(), received->Header("x-user"), received->peer));
    response.headers.emplace_back("etag", "\"1\"");
    response.headers.emplace_back("set-cookie", "no");
    return response;
  }
  HttpResponse Refuse(unsigned refused, const std::string&) override { return MakeResponse(refused, "text/plain", ""); }
  HttpRequest Last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

  // The nodes that have the applications app-0, app-1, …
  std::vector<std::string> Owners() const {
    std::vector<std::string> owners;
    for (int number = 0; number < kApplications; ++number) {
      const auto owner = nodes.OwnerOf("app-" + std::to_string(number));
      owners.push_back(owner ? owner->id : nodes.Id());
    }
    return owners;
  }
  std::string ApplicationOf(const std::string& owner) const {
    const std::vector<std::string> owners = Owners();
    return fmt::format("app-{}", std::find(owners.begin(), owners.end(), owner) - owners.begin());
  }

  std::atomic<bool> is_ready = true;
  std::atomic<unsigned> status = 200;
  SharedLog log;
  LiveNodes nodes;
  Forwarding forwarding;

 private:
  std::unique_ptr<HttpServer> http_;
  std::thread thread_;
  mutable std::mutex mutex_;
  HttpRequest last_;
};

HttpRequest RequestOf(const std::string& application) {
  return {.method = "GET",
          .segments = {"applications", application, "a/b"},
          .parameters = {{"filter", "x y&z"}, {"empty", ""}},
          .headers = {{"x-user", "ada"}, {"origin", "http://elsewhere"}},
          .body = {},
          .peer = "10.1.2.3"};
}

class ForwardingTest : public FolderTest {
 protected:
  ForwardingTest() { EXPECT_TRUE(MakeFoldersOfStore(storage_.get())); }

  Node* Start(const std::string& id, const std::string& key = "key of the store") {
    return nodes_.emplace_back(std::make_unique<Node>(storage_.get(), id, key)).get();
  }
  // Waits for the condition while the nodes read the log.
  void Await(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < until) {
      for (const auto& node : nodes_) EXPECT_TRUE(node->log.Read());
      std::this_thread::yield();
    }
    EXPECT_TRUE(condition());
  }
  static std::set<std::string> DistinctOwners(const Node& node) {
    const std::vector<std::string> owners = node.Owners();
    return {owners.begin(), owners.end()};
  }

  const std::unique_ptr<Storage> storage_ = OpenLocalStorage(folder_, {});
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(ForwardingTest, NodesAgreeWhichOfThemHasAnApplication) {
  const Node *const a = Start("a"), *const b = Start("b"), *const c = Start("c");
  Await([&] { return DistinctOwners(*a).size() == 3 && a->Owners() == b->Owners() && a->Owners() == c->Owners(); });
}

TEST_F(ForwardingTest, OnlyTheApplicationsOfANodeThatEndsMove) {
  Node *const a = Start("a"), *const b = Start("b"), *const c = Start("c");
  Await([&] { return DistinctOwners(*a).size() == 3 && a->Owners() == b->Owners(); });
  const std::vector<std::string> before = a->Owners();
  c->Kill();
  Await([&] { return DistinctOwners(*a) == std::set<std::string>{"a", "b"} && a->Owners() == b->Owners(); });
  const std::vector<std::string> after = a->Owners();
  for (size_t row = 0; row < before.size(); ++row) {
    EXPECT_TRUE(before[row] == "c" || after[row] == before[row]) << row;
  }
  b->is_ready = false;
  Await([&] {
    return DistinctOwners(*a) == std::set<std::string>{"a"} && DistinctOwners(*b) == std::set<std::string>{"a"};
  });
}

TEST_F(ForwardingTest, AnotherServerAtTheAddressOfANodeIsNotTrusted) {
  const Node* const a = Start("a");
  Start("b", "key of another store");
  Await([&] { return a->nodes.States().size() == 1 && a->nodes.States().front().problem != "no answer yet"; });
  EXPECT_EQ(a->nodes.States().front().problem, "another server answers at this address");
  EXPECT_EQ(DistinctOwners(*a), std::set<std::string>{"a"});
}

TEST_F(ForwardingTest, TheNodeWithTheApplicationAnswersForTheClient) {
  Node *const a = Start("a"), *const b = Start("b");
  Await([&] { return DistinctOwners(*a).size() == 2; });
  const std::string application = a->ApplicationOf("b");
  EXPECT_TRUE(a->forwarding.IsElsewhere(application));
  EXPECT_FALSE(a->forwarding.IsElsewhere(a->ApplicationOf("a")));
  EXPECT_FALSE(a->forwarding.Answer(a->ApplicationOf("a"), RequestOf("app")));
  const std::optional<HttpResponse> response = a->forwarding.Answer(application, RequestOf(application));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->Body(), "b for ada of 10.1.2.3");
  EXPECT_EQ(response->Header("etag"), "\"1\"");
  EXPECT_EQ(response->Header("set-cookie"), "");
  EXPECT_EQ(b->Last().segments, RequestOf(application).segments);
  EXPECT_EQ(b->Last().parameters, RequestOf(application).parameters);
  EXPECT_EQ(b->Last().Header("origin"), "");
  EXPECT_EQ(a->forwarding.answered, 1U);
}

TEST_F(ForwardingTest, AMarkProvesTheWholeRequestToOneNode) {
  const Node *const a = Start("a"), *const b = Start("b");
  Await([&] { return DistinctOwners(*a).size() == 2; });
  const std::string application = a->ApplicationOf("b");
  ASSERT_TRUE(nodes_[0]->forwarding.Answer(application, RequestOf(application)));
  const HttpRequest sent = b->Last();
  EXPECT_TRUE(Forwarding::IsMarked(sent));
  EXPECT_FALSE(Forwarding::IsMarked(RequestOf(application)));
  ASSERT_TRUE(b->forwarding.Received(sent));
  EXPECT_EQ(b->forwarding.Received(sent)->peer, "10.1.2.3");
  EXPECT_FALSE(a->forwarding.Received(sent)) << "the proof is for b";
  HttpRequest changed = sent;
  changed.segments[1] = "app";
  EXPECT_FALSE(b->forwarding.Received(changed));
  changed = sent;
  changed.parameters.pop_back();
  EXPECT_FALSE(b->forwarding.Received(changed));
  for (const auto& [name, value] : sent.headers) {
    if (name != "x-user" && name != "sparkprof-forwarded") continue;
    changed = sent;
    for (auto& [header, text] : changed.headers) {
      if (header == name) text.front() = '2';  // also the client's address in the mark
    }
    EXPECT_FALSE(b->forwarding.Received(changed)) << name;
  }
  changed = sent;
  changed.headers.emplace_back("x-user", "bob");
  EXPECT_FALSE(b->forwarding.Received(changed));
}

TEST_F(ForwardingTest, WhatTheOtherNodeDoesNotAnswerIsAnsweredHere) {
  Node *const a = Start("a"), *const b = Start("b");
  Await([&] { return DistinctOwners(*a).size() == 2; });
  const std::string application = a->ApplicationOf("b");
  for (const unsigned status : {401, 404, 429, 500, 503}) {
    b->status = status;
    EXPECT_FALSE(a->forwarding.Answer(application, RequestOf(application))) << status;
  }
  b->status = 403;
  EXPECT_TRUE(a->forwarding.Answer(application, RequestOf(application)));
  HttpRequest repeated = RequestOf(application);
  repeated.headers.emplace_back("x-user", "");
  EXPECT_FALSE(a->forwarding.Answer(application, repeated)) << "its meaning depends on both headers";
  b->Kill();
  EXPECT_FALSE(a->forwarding.Answer(application, RequestOf(application)));
  EXPECT_GE(a->forwarding.unanswered, 5U);
  EXPECT_FALSE(a->forwarding.IsElsewhere(application)) << "the next request does not try it";
}

}  // namespace
}  // namespace sparkprof
