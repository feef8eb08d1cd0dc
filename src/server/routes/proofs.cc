// SPDX-License-Identifier: Apache-2.0
#include "server/routes/proofs.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

constexpr int64_t kMaxListedProofs = 1'000;
constexpr size_t kMaxListedRules = 1'000;  // named by senders

}  // namespace

ProofStore::Proofs VisibleProofs(const ServerParts& parts, const HttpRequest& request,
                                 const std::optional<std::string>& group) {
  const std::optional<Viewer> viewer = parts.options.access.ViewerOf(request);
  ProofStore::Proofs proofs = parts.proofs->List(group);
  std::erase_if(proofs, [&](const auto& stored) {
    if (!viewer) return false;
    const bool is_sender = !stored->sender.empty() && stored->sender == viewer->user;
    return TenantOf(stored->viewers) != viewer->tenant || !(is_sender || MayView(stored->viewers, *viewer));
  });
  return proofs;
}

HttpResponse PostProof(ServerParts* parts, const HttpRequest& request, const Captured&) {
  Result<KnownProof> proof = ParseProof(request.body);
  if (!proof) return ErrorResponse(400, proof.error().message);
  if (proof->subject.time_ms == 0) proof->subject.time_ms = EpochNanos() / kNanosPerMilli;
  const Result<Sender> sender = parts->options.access.SenderOf(request);
  if (!sender) return ErrorResponse(400, sender.error().message);
  const auto row = parts->catalogue->Find(ResolveEntry(*parts, request, proof->subject.application), std::nullopt);
  if (!row) return ErrorResponse(503, row.error().message);
  // A user's token proves nothing about an application that the user may not see.
  const std::optional<Viewer> viewer = parts->options.access.ViewerOf(request);
  const bool is_about_it = *row && (sender->user.empty() || !viewer || MayView((*row)->viewers, *viewer));
  const std::string json = KnownProofJson(*proof);
  const auto record = [&](const Change& change) {
    return parts->audit->Add(request.peer, sender->role, "prove", proof->subject.group, "", json, change);
  };
  if (const Result<void> added = parts->proofs->Add(
          {*proof, sender->user, is_about_it ? (*row)->viewers : InTenant("", sender->tenant)}, record);
      !added) {
    return ErrorResponse(503, added.error().message);
  }
  return MakeResponse(201, "application/json", json + "\n");
}

HttpResponse ListProofs(ServerParts* parts, const HttpRequest& request, const Captured&) {
  if (const Result<void> known = CheckParametersAndValues(request, "group rule verdict limit"); !known)
    return ErrorResponse(400, known.error().message);
  const std::string_view group = request.Parameter("group"), rule = request.Parameter("rule");
  const std::string_view verdict = request.Parameter("verdict"), limit_text = request.Parameter("limit");
  const std::optional<int64_t> limit = limit_text.empty() ? kMaxListedProofs : ParseInteger(limit_text);
  if (!limit || *limit < 1 || *limit > kMaxListedProofs)
    return ErrorResponse(400, fmt::format("limit: expected 1 to {}", kMaxListedProofs));
  if (!verdict.empty() && !IsVerdict(verdict))
    return ErrorResponse(400, fmt::format("verdict: unknown verdict '{}'; use those of docs/prove.md", verdict));
  ProofStore::Proofs proofs =
      VisibleProofs(*parts, request, group.empty() ? std::nullopt : std::optional<std::string>(group));
  RuleCounts counts;
  for (const auto& stored : proofs) counts.Add(stored->proof);
  const std::vector<ProvedRule> rules = counts.Most(kMaxListedRules);
  std::erase_if(proofs, [&](const auto& stored) {
    const KnownProof& proof = stored->proof;
    return (!rule.empty() && proof.subject.rule != rule) || (!verdict.empty() && proof.verdict != verdict);
  });
  JsonWriter json;
  json.BeginObject().Key("proofs").BeginArray();
  for (size_t i = 0; i < proofs.size() && i < static_cast<size_t>(*limit); ++i)
    json.Raw(KnownProofJson(proofs[i]->proof));
  json.EndArray().Member("total", proofs.size()).Key("rules").BeginArray();
  for (const ProvedRule& counted : rules) {
    json.BeginObject().Member("rule", counted.rule).Member("proofs", counted.proofs);
    json.Member("proved", counted.proved).EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace sparkprof
