// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/account/account.h"
#include "analysis/time/time_spent.h"
#include "base/saturate.h"
#include "base/time.h"
#include "render/report/answers_json.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxParts = 300;  // smaller ones are one

void WriteSums(const PartSums& sums, bool has_reasons, JsonWriter* json) {
  std::vector<std::pair<int64_t, PartSums::key_type>> parts;
  for (const auto& [key, ns] : sums) parts.emplace_back(ns, key);
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (parts.size() > kMaxParts) {
    int64_t rest_ns = 0;
    for (size_t row = kMaxParts; row < parts.size(); ++row) AddSaturated(parts[row].first, &rest_ns);
    const size_t others = parts.size() - kMaxParts;
    parts.resize(kMaxParts);
    parts.emplace_back(rest_ns, PartSums::key_type{fmt::format("{} smaller parts", others), "", ""});
  }
  std::vector<int64_t> times;
  for (const auto& [ns, key] : parts) times.push_back(ns);
  const std::vector<double> shares = SharesAddingUp(times);
  // Milliseconds up to each part, so that rounding leaves their sum exact.
  int64_t until_ns = 0, until_ms = 0;
  json->BeginArray();
  for (size_t row = 0; row < parts.size(); ++row) {
    const auto& [part, payer, reason] = parts[row].second;
    json->BeginObject().Member("part", part).MemberOrNull("payer", !payer.empty(), payer);
    AddSaturated(parts[row].first, &until_ns);
    const int64_t ms = until_ns / kNanosPerMilli - until_ms;
    until_ms += ms;
    json->Member("ms", ms).Member("share", static_cast<double>(std::llround(shares[row] * 1000)) / 10);
    if (has_reasons) json->MemberOrNull("reason", !reason.empty(), reason);
    json->EndObject();
  }
  json->EndArray();
}

AccountSums SumsOf(const AnsweredRun& run) {
  const Answers& answers = run.answers;
  if (answers.account_sums) return *answers.account_sums;
  if (answers.accounted == nullptr) return {};
  return SumAccount(run.application, answers.stages, answers.udfs, *answers.accounted);
}

}  // namespace

void WriteAccount(const std::vector<AnsweredRun>& runs, JsonWriter* json) {
  AccountSums sums;
  for (const AnsweredRun& run : runs) sums.Add(SumsOf(run));
  json->Key("account").BeginObject().Key("core");
  if (sums.has_cores) {
    WriteSums(sums.core, false, json);
  } else {
    json->Null();
  }
  json->Key("wall");
  WriteSums(sums.wall, true, json);
  if (sums.is_running) json->Member("running", true);
  json->EndObject();
}

}  // namespace sparkprof
