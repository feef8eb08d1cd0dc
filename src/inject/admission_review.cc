// SPDX-License-Identifier: Apache-2.0
#include "inject/admission_review.h"

#include <optional>
#include <utility>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "inject/json_members.h"

namespace sparkprof {
namespace {

constexpr std::string_view kReviewVersion = "admission.k8s.io/v1";
constexpr size_t kMaxReviewDepth = 64;  // pods have about ten levels

PodInjection Malformed(std::string reason) { return {InjectOutcome::kMalformed, std::move(reason), {}}; }

PodInjection Decide(simdjson::dom::element review, const InjectOptions& options) {
  if (MemberText(review, {"apiVersion"}) != kReviewVersion) return Malformed("expected admission.k8s.io/v1");
  if (MemberText(review, {"request", "uid"}).empty()) return Malformed("request.uid is missing");
  // Ephemeral containers and other subresources belong to running pods.
  const bool is_new_pod = MemberText(review, {"request", "operation"}) == "CREATE" &&
                          MemberText(review, {"request", "subResource"}).empty() &&
                          MemberText(review, {"request", "kind", "kind"}) == "Pod";
  if (!is_new_pod) return {};
  const std::optional<simdjson::dom::element> pod = Member(review, {"request", "object"});
  if (!pod) return Malformed("request.object is missing");
  return InjectPlugin(*pod, options);
}

std::string AnswerJson(std::string_view uid, const std::string& patch) {
  JsonWriter json;
  json.BeginObject().Member("apiVersion", kReviewVersion).Member("kind", "AdmissionReview").Key("response");
  json.BeginObject().Member("uid", uid).Member("allowed", true);
  if (!patch.empty()) json.Member("patchType", "JSONPatch").Member("patch", Base64Encode(patch));
  return json.EndObject().EndObject().Take() + "\n";
}

}  // namespace

ReviewAnswer AnswerReview(std::string_view review, const InjectOptions& options) {
  std::string_view uid;
  PodInjection injection = Malformed("expected an AdmissionReview in JSON");
  JsonParser parser;
  simdjson::dom::element document;
  if (review.size() > kMaxReviewBytes) {
    injection.reason = "the review is too large";
  } else if (parser.Parse(review, kMaxReviewDepth).get(document) == simdjson::SUCCESS) {
    uid = MemberText(document, {"request", "uid"});
    injection = Decide(document, options);
  }
  return {injection.outcome, std::move(injection.reason), AnswerJson(uid, injection.patch)};
}

}  // namespace sparkprof
