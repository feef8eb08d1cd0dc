// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/account/account.h"
#include "analysis/account/payers.h"
#include "analysis/owners/sample_owners.h"
#include "analysis/time/time_spent.h"
#include "base/saturate.h"
#include "base/time.h"
#include "render/report/answers_json.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxParts = 300;  // smaller ones are one

// Equal parts of all applications, in nanoseconds.
class Parts {
 public:
  void Add(const Application& application, const Payers& payers, const AccountEntry& entry) {
    const std::string name(NameOf(entry.part));
    const std::string part = IsOfStage(entry) ? fmt::format("{}: {}", StageOf(application, entry.stage), name) : name;
    AddSaturated(entry.ns, &sums_[{part, payers.Of(entry), ReasonOf(entry.part)}]);
  }

  void Write(bool has_reasons, JsonWriter* json) const {
    std::vector<std::pair<int64_t, Key>> parts;
    for (const auto& [key, ns] : sums_) parts.emplace_back(ns, key);
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (parts.size() > kMaxParts) {
      int64_t rest_ns = 0;
      for (size_t row = kMaxParts; row < parts.size(); ++row) AddSaturated(parts[row].first, &rest_ns);
      const size_t others = parts.size() - kMaxParts;
      parts.resize(kMaxParts);
      parts.emplace_back(rest_ns, Key{fmt::format("{} smaller parts", others), "", ""});
    }
    std::vector<int64_t> times;
    for (const auto& [ns, key] : parts) times.push_back(ns);
    const std::vector<double> shares = SharesAddingUp(times);
    // Milliseconds up to each part, so that rounding leaves their sum exact.
    int64_t until_ns = 0, until_ms = 0;
    json->BeginArray();
    for (size_t row = 0; row < parts.size(); ++row) {
      const auto& [part, payer, reason] = parts[row].second;
      json->BeginObject().Member("part", part).Key("payer");
      WriteText(payer, json);
      AddSaturated(parts[row].first, &until_ns);
      const int64_t ms = until_ns / kNanosPerMilli - until_ms;
      until_ms += ms;
      json->Member("ms", ms).Member("share", static_cast<double>(std::llround(shares[row] * 1000)) / 10);
      if (has_reasons) {
        json->Key("reason");
        WriteText(reason, json);
      }
      json->EndObject();
    }
    json->EndArray();
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string_view>;  // part, payer, reason

  static void WriteText(std::string_view text, JsonWriter* json) {
    if (text.empty()) {
      json->Null();
    } else {
      json->Value(text);
    }
  }

  static std::string StageOf(const Application& application, int32_t row) {
    const Stage& stage = application.stages[static_cast<size_t>(row)];
    return OwnerOfStage(stage.id, stage.attempt).second;
  }

  std::map<Key, int64_t> sums_;
};

}  // namespace

void WriteAccount(const std::vector<AnsweredRun>& runs, JsonWriter* json) {
  Parts core, wall;
  bool has_cores = false, is_running = false;
  for (const auto& [application, answers] : runs) {
    if (answers.accounted == nullptr) continue;
    const Account& account = answers.accounted->account;
    const Payers payers(application, answers.stages, answers.udfs);
    for (const WallEntry& entry : account.wall) wall.Add(application, payers, entry);
    is_running |= account.is_running;
    const std::optional<CoreLedger>& ledger = answers.accounted->Core();
    if (!ledger) continue;
    has_cores = true;
    for (const AccountEntry& entry : ledger->entries) core.Add(application, payers, entry);
  }
  json->Key("account").BeginObject().Key("core");
  if (has_cores) {
    core.Write(false, json);
  } else {
    json->Null();
  }
  json->Key("wall");
  wall.Write(true, json);
  if (is_running) json->Member("running", true);
  json->EndObject();
}

}  // namespace sparkprof
