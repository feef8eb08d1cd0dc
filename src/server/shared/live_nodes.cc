// SPDX-License-Identifier: Apache-2.0
#include "server/shared/live_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <stdexcept>

#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "http/http_client.h"
#include "http/signing.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

// Contains random text in a question, and the proof in its answer.
constexpr std::string_view kProofHeader = "sparkprof-node-proof";
constexpr std::string_view kReady = "ready";
constexpr std::chrono::hours kAnnounceAgain{1};
// A node without news for this long is forgotten. Clocks may differ by an hour.
constexpr std::chrono::hours kForgetAfter{3};
constexpr std::chrono::seconds kGoneAfter{60}, kAskGoneEvery{30};  // nodes without news are asked less often
constexpr size_t kMaxQuestion = 64, kMaxAnswer = 64 << 10;

}  // namespace

LiveNodes::LiveNodes(SharedLog* log, std::string id, std::string key, LiveNodesTimes times)
    : log_(log), id_(std::move(id)), key_(std::move(key)), times_(times) {}

bool LiveNodes::Apply(std::string_view line) {
  JsonParser parser;
  simdjson::dom::object object;
  if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS) return false;
  const std::string id(TextAt(object, "member"));
  if (id.empty()) return false;
  const Result<Url> url = ParseUrl(TextAt(object, "address"));
  if (id == id_ || !url) return true;
  const std::lock_guard lock(mutex_);
  // Lines may be old until this node follows the log.
  const int64_t age_ns = is_started_ ? 0 : std::max<int64_t>(0, EpochNanos() - IntegerAt(object, "timeNs", 0));
  if (std::chrono::nanoseconds(age_ns) > kForgetAfter) return true;
  const std::string place = url->Authority();
  std::erase_if(nodes_, [&](const auto& known) {
    return known.first != id && known.second.node->url.scheme == url->scheme &&
           known.second.node->url.Authority() == place;
  });
  Known& known = nodes_[id];
  if (!known.node || known.node->url.Authority() != place) known.node = std::make_shared<LiveNode>(id, *url);
  known.announced = Clock::now() - std::chrono::nanoseconds(age_ns);
  return true;
}

void LiveNodes::Start(std::string url, std::function<bool()> is_ready) {
  if (thread_.joinable()) return;
  url_ = std::move(url);
  is_ready_ = std::move(is_ready);
  {
    const std::lock_guard lock(mutex_);
    is_started_ = true;
  }
  thread_ = std::thread([this] { Run(); });
}

void LiveNodes::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LiveNodes::Run() {
  task_.NameThread();
  while (!stop_) {
    task_.Attempt([this] {
      is_own_ready_ = is_ready_();
      AskAll();
      Announce();
    });
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, times_.ask, [this] { return stop_.load(); });
  }
}

void LiveNodes::Announce() {
  const Clock::time_point now = Clock::now();
  if (announced_ && now - *announced_ < kAnnounceAgain) return;
  JsonWriter json;
  json.BeginObject().Member("member", id_).Member("address", url_).Member("timeNs", EpochNanos()).EndObject();
  if (Result<void> appended = log_->Append(json.Take() + "\n"); !appended) {
    throw std::runtime_error(appended.error().message);  // becomes the task's problem
  }
  announced_ = now;
}

void LiveNodes::AskAll() {
  std::vector<std::shared_ptr<LiveNode>> asked;
  {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    std::erase_if(nodes_, [now](const auto& known) { return now - known.second.News() > kForgetAfter; });
    for (auto& [id, known] : nodes_) {
      if (now - known.News() > kGoneAfter && now - known.asked < kAskGoneEvery) continue;
      known.asked = now;
      asked.push_back(known.node);
    }
  }
  std::vector<std::future<void>> asking;
  for (const auto& node : asked) {
    asking.push_back(std::async(std::launch::async, [this, one = node.get()] { Ask(one); }));
  }
  for (std::future<void>& one : asking) one.get();
}

void LiveNodes::Ask(LiveNode* node) {
  const Result<std::string> question = NewUploadSecret();
  if (!question) throw std::runtime_error(question.error().message);
  Url url = node->url;
  url.target = "/readyz";
  const Result<HttpResponse> answer = SendHttp(
      "GET", url, {{std::string(kProofHeader), *question}}, {},
      {.timeout = times_.answer, .max_response_bytes = kMaxAnswer, .stop = &stop_, .certificate_authorities = {}});
  const bool is_it = answer && IsSameSecret(answer->Header(kProofHeader), ProofFor(node->id, kReady, *question));
  const std::lock_guard lock(mutex_);
  node->is_silent = !is_it;
  const auto found = nodes_.find(node->id);
  if (found == nodes_.end() || found->second.node.get() != node) return;
  Known& known = found->second;
  if (is_it) {
    known.answered = Clock::now();
    known.is_ready = answer->status == 200;
    known.problem.clear();
  } else {
    known.problem = answer ? "another server answers at this address" : answer.error().message;
  }
}

bool LiveNodes::IsAlive(const Known& known, Clock::time_point now) const {
  return known.is_ready && known.answered && now - *known.answered < times_.alive;
}

std::shared_ptr<LiveNode> LiveNodes::OwnerOf(std::string_view application) const {
  const auto score = [application](const std::string& id) { return HashBytes(fmt::format("{}\n{}", id, application)); };
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  uint64_t highest = is_own_ready_ ? score(id_) : 0;
  std::shared_ptr<LiveNode> owner;
  for (const auto& [id, known] : nodes_) {
    if (!IsAlive(known, now)) continue;
    const uint64_t its_score = score(id);
    if (its_score <= highest) continue;
    highest = its_score;
    owner = known.node;
  }
  return owner && owner->is_silent ? nullptr : owner;
}

void LiveNodes::AddProof(const HttpRequest& request, HttpResponse* response) const {
  const std::string_view question = request.Header(kProofHeader);
  if (question.empty() || question.size() > kMaxQuestion) return;
  response->headers.emplace_back(kProofHeader, ProofFor(id_, kReady, question));
}

std::string LiveNodes::ProofFor(const std::string& id, std::string_view purpose, std::string_view text) const {
  return ToHex(HmacSha256(key_, fmt::format("{}\n{}\n{}", id, purpose, text)));
}

std::vector<LiveNodes::State> LiveNodes::States() const {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  std::vector<State> states;
  for (const auto& [id, known] : nodes_) {
    states.push_back(
        {known.node->url.scheme + "://" + known.node->url.Authority(), IsAlive(known, now), known.problem});
  }
  return states;
}

}  // namespace sparkprof
