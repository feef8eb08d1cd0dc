// SPDX-License-Identifier: Apache-2.0
#include "proofs/known_proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxName = 500, kMaxText = 1000;  // bytes
constexpr size_t kMaxWorse = 10;
constexpr std::array<std::string_view, 5> kVerdicts = {"proved", "no-difference", "slower", "different-results",
                                                       "failed"};
constexpr std::array<std::string_view, 4> kPromises = {"open", "kept", "exceeded", "missed"};

std::string BoundedText(std::string_view text, size_t most) { return Shorten(ToOneLine(RedactText(text)), most); }

std::optional<ProofChange> ChangeAt(const simdjson::dom::object& object, std::string_view key) {
  simdjson::dom::object range;
  if (!ObjectAt(object, key, &range)) return std::nullopt;
  ProofChange change{.median = IntegerAt(range, "median", 0), .low = {}, .high = {}};
  const auto end = [&](std::string_view name, std::optional<int64_t>* value) {
    if (simdjson::dom::element found; Find(range, name, &found) && found.is_number()) *value = IntegerOf(found, 0);
  };
  end("low", &change.low);
  end("high", &change.high);
  return change;
}

void WriteRange(std::string_view key, const std::optional<ProofChange>& change, bool has_median, JsonWriter* json) {
  json->Key(key);
  if (!change) {
    json->Null();
    return;
  }
  json->BeginObject();
  if (has_median) json->Member("median", change->median);
  for (const auto& [name, end] : {std::pair("low", change->low), std::pair("high", change->high)}) {
    json->Member(name, end);
  }
  json->EndObject();
}

}  // namespace

void WriteSubject(const ProofSubject& subject, JsonWriter* json) {
  json->Member("time", subject.time_ms).Member("group", subject.group).Member("application", subject.application);
  json->Member("finding", subject.finding).Member("rule", subject.rule).Member("change", subject.change);
}

bool IsVerdict(std::string_view name) { return std::find(kVerdicts.begin(), kVerdicts.end(), name) != kVerdicts.end(); }

Result<KnownProof> ParseProof(std::string_view text) {
  JsonParser parser;
  simdjson::dom::object object;
  if (parser.Parse(text).get_object().get(object) != simdjson::SUCCESS)
    return Fail("not a JSON object; expected proof.json of `sparkprof prove`");
  KnownProof proof;
  proof.verdict = TextAt(object, "verdict");
  if (!IsVerdict(proof.verdict)) return Fail(fmt::format("verdict: expected {}", fmt::join(kVerdicts, ", ")));
  ProofSubject& subject = proof.subject;
  constexpr int64_t kLatestMillis = 4'102'444'800'000;  // year 2100
  subject.time_ms = std::clamp<int64_t>(IntegerAt(object, "time", 0), 0, kLatestMillis);
  subject.group = BoundedText(TextAt(object, "group"), kMaxName);
  subject.application = BoundedText(TextAt(object, "application"), kMaxName);
  subject.finding = BoundedText(TextAt(object, "finding"), kMaxName);
  subject.rule = BoundedText(TextAt(object, "rule"), kMaxName);
  subject.change = BoundedText(TextAt(object, "change"), kMaxText);
  if (subject.group.empty()) return Fail("group: expected the group of the application");
  proof.text = BoundedText(TextAt(object, "text"), kMaxText);
  proof.delta_ms = ChangeAt(object, "deltaMs");
  proof.promised_ms = ChangeAt(object, "promisedMs");
  proof.promise = TextAt(object, "promise");
  if (std::find(kPromises.begin(), kPromises.end(), proof.promise) == kPromises.end()) proof.promise.clear();
  if (simdjson::dom::array worse; ArrayAt(object, "worse", &worse)) {
    for (const simdjson::dom::element one : worse) {
      if (proof.worse.size() < kMaxWorse) proof.worse.push_back(BoundedText(TextOf(one), kMaxName));
    }
  }
  if (simdjson::dom::object runs; ObjectAt(object, "runs", &runs)) {
    proof.runs_before = IntegerAt(runs, "before", 0);
    proof.runs_after = IntegerAt(runs, "after", 0);
  }
  return proof;
}

std::string KnownProofJson(const KnownProof& proof) {
  JsonWriter json;
  json.BeginObject();
  WriteSubject(proof.subject, &json);
  json.Member("verdict", proof.verdict).Member("text", proof.text);
  WriteRange("deltaMs", proof.delta_ms, /*has_median=*/true, &json);
  WriteRange("promisedMs", proof.promised_ms, /*has_median=*/false, &json);
  json.MemberOrNull("promise", !proof.promise.empty(), proof.promise);
  json.Member("worse", proof.worse).Key("runs").BeginObject();
  json.Member("before", proof.runs_before).Member("after", proof.runs_after);
  return json.EndObject().EndObject().Take();
}

std::string ProofSentence(const KnownProof& proof) {
  std::string text = proof.text.empty() ? proof.verdict : proof.text;
  if (!proof.subject.change.empty()) text += ": " + proof.subject.change;
  if (!proof.subject.finding.empty()) text += ", advised by " + proof.subject.finding;
  return text;
}

void RuleCounts::Add(const KnownProof& proof) {
  if (proof.subject.rule.empty()) return;
  Count& count = by_rule_[proof.subject.rule];
  ++count.proofs;
  count.proved += proof.IsProved() ? 1 : 0;
}

std::vector<ProvedRule> RuleCounts::Most(size_t most) const {
  std::vector<std::pair<std::string_view, Count>> counts(by_rule_.begin(), by_rule_.end());
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second.proofs > b.second.proofs; });
  if (counts.size() > most) counts.resize(most);
  std::vector<ProvedRule> rules;
  for (const auto& [rule, count] : counts) rules.push_back({std::string(rule), count.proofs, count.proved});
  return rules;
}

}  // namespace sparkprof
